//! The shipped results of the baselines, and how they were made.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use eval::anchors::{self, Anchors};
use eval::{Adjudication, Arena, RunRatings, Tallies};
use rules::Variant;

const SEED: u64 = 2026;
const MAX_DEPTH: u32 = 6;
const PAIRS: usize = 40;

#[expect(clippy::print_stdout, reason = "shows that hours of work go on")]
fn measure(variant: Variant, max_depth: u32, pairs: usize) -> Anchors {
    let stop = AtomicBool::new(false);
    let arena = Arena {
        seed: SEED,
        threads: 1,
        pairs_at_once: 1,
        first_pair: 0,
        adjudication: Adjudication::OFF,
        stop: &stop,
    };
    let clock = Instant::now();
    let mut progress = |games: &Tallies| {
        println!(
            "{variant}: {} games in {:.0?}",
            games.games(),
            clock.elapsed()
        );
    };
    anchors::measure(variant, max_depth, pairs, &arena, &mut progress).expect("matches")
}

/// One line for each tally, so that differences can be read.
fn to_json(anchors: &Anchors) -> String {
    let Anchors {
        rules_version,
        max_depth,
        pairs,
        seed,
        games,
    } = anchors;
    let games: Vec<String> = games
        .iter()
        .map(|tally| serde_json::to_string(&tally).expect("json"))
        .collect();
    format!(
        "{{\n\"rules_version\": {rules_version}, \"max_depth\": {max_depth}, \"pairs\": {pairs}, \
         \"seed\": {seed}, \"games\": [\n{}\n]}}",
        games.join(",\n")
    )
}

/// Makes `data/anchors.json` anew and writes it to the path in `ANCHORS_OUT`.
#[test]
#[ignore = "takes some minutes"]
fn measure_all() {
    let path = std::env::var("ANCHORS_OUT").expect("ANCHORS_OUT names a file");
    let mut file = String::from("{");
    for (index, variant) in Variant::ALL.into_iter().enumerate() {
        let measured = measure(variant, MAX_DEPTH, PAIRS);
        let comma = if index == 0 { "" } else { "," };
        write!(file, "{comma}\n\"{variant}\": {}", to_json(&measured)).expect("a string grows");
        std::fs::write(&path, format!("{file}\n}}\n")).expect("a file to write");
        let ratings = RunRatings::new(&measured, &Tallies::default()).expect("ratings");
        for player in &ratings.table().players {
            println!("{} {:.0} ± {:.0}", player.name, player.elo, player.ci95);
        }
    }
}

/// A change of the rules that forgets to measure again would leave its runs without ratings.
#[test]
fn every_ruleset_has_a_scale_that_rises_with_the_depth() {
    for variant in Variant::ALL {
        let anchors = anchors::shipped(variant).unwrap_or_else(|| panic!("{variant}"));
        let ratings = RunRatings::new(&anchors, &Tallies::default()).expect("ratings");
        let elo = |name: &str| {
            let player = ratings.player(name);
            player.unwrap_or_else(|| panic!("{variant}: {name}")).elo
        };
        assert_eq!(elo(anchors::ZERO), 0.0, "{variant}");
        let levels = (1..=anchors.max_depth).map(|depth| elo(&format!("alphabeta:depth={depth}")));
        assert!(levels.is_sorted(), "{variant}");
    }
}
