//! The gate on players of known strength.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use engine::{Player, SearchPlayer, SearchPlayerConfig};
use eval::{
    Arena, Baseline, GatePair, GateReport, GateTest, LocalRunner, MatchEvent, PlayerFactory,
    Verdict, gate, openings,
};
use ratings::SprtBounds;
use rules::Variant;
use search::{SearchConfig, Uniform};
use types::Seed;

const BOUNDS: SprtBounds = SprtBounds {
    nelo0: -25.0,
    nelo1: 25.0,
    alpha: 0.25,
    beta: 0.25,
};

fn run(
    candidate: &PlayerFactory<'_>,
    opponent: &PlayerFactory<'_>,
    max_pairs: usize,
    threads: usize,
) -> GateReport {
    let openings = openings::sample(Variant::English, max_pairs, Seed::new(4));
    let never = AtomicBool::new(false);
    let arena = Arena {
        pairs_at_once: 4,
        ..Arena::new(Seed::new(1), threads, &never)
    };
    let mut seen = 0;
    let mut watch = |event: MatchEvent<'_>| {
        seen += u64::from(matches!(event, MatchEvent::Counted(_)));
        ControlFlow::Continue(())
    };
    let test = GateTest {
        openings: &openings,
        bounds: &BOUNDS,
    };
    let report = gate(
        &LocalRunner,
        [candidate, opponent],
        &test,
        &arena,
        &[],
        &mut watch,
    )
    .expect("a match");
    assert_eq!(report.pairs, seen);
    report
}

fn baseline(name: &str) -> PlayerFactory<'static> {
    name.parse::<Baseline>().expect("a baseline").into()
}

#[test]
fn a_stronger_candidate_is_better_and_the_test_stops_early() {
    let report = run(&baseline("alphabeta:depth=2"), &baseline("random"), 60, 2);
    assert_eq!(report.verdict, Verdict::Better);
    assert!(report.pairs < 40 && report.llr >= report.llr_limits.1);
    assert!(
        report
            .sentence
            .starts_with("alphabeta:depth=2 is better than random: LLR +")
    );
    assert_eq!(
        report,
        run(&baseline("alphabeta:depth=2"), &baseline("random"), 60, 1)
    );
}

#[test]
fn a_weaker_candidate_is_not_better() {
    let report = run(&baseline("random"), &baseline("alphabeta:depth=2"), 60, 2);
    assert_eq!(report.verdict, Verdict::NotBetter);
    assert!(report.sentence.contains("is not better than"));
}

#[test]
fn every_gate_decides_when_its_pairs_run_out() {
    let report = run(&baseline("random"), &baseline("random"), 6, 2);
    assert_ne!(report.verdict, Verdict::Inconclusive);
    let errors = report.errors.expect("errors that hold");
    // Six pairs are too few for 0.25.
    assert!(report.pairs == 6 && errors.alpha > 0.35, "{errors:?}");
    assert!(report.sentence.contains("after 6 of at most 6 pairs"));
}

#[test]
fn reports_read_back_from_json() {
    let report = run(&baseline("alphabeta:depth=2"), &baseline("random"), 60, 2);
    let json = serde_json::to_string(&report).expect("json");
    assert!(json.contains(r#""verdict":"better""#) && json.contains(r#""pentanomial":["#));
    let back: GateReport = serde_json::from_str(&json).expect("a report");
    assert_eq!(
        (back.pentanomial, back.sentence),
        (report.pentanomial, report.sentence)
    );
}

/// Interrupts a gate after some finished pairs; returns those that were kept.
fn break_off(
    sides: [&PlayerFactory<'_>; 2],
    test: &GateTest<'_>,
    arena: &Arena<'_>,
    after: usize,
) -> Vec<GatePair> {
    let mut kept = Vec::new();
    let watch = &mut |event: MatchEvent<'_>| {
        if let MatchEvent::Finished(games) = event {
            kept.push(GatePair::new(games));
        }
        match kept.len() >= after {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    gate(&LocalRunner, sides, test, arena, &[], watch).expect("a match");
    kept
}

#[test]
fn a_gate_that_was_broken_off_goes_on_to_the_same_report() {
    let (strong, weak) = (baseline("alphabeta:depth=2"), baseline("alphabeta:depth=1"));
    let whole = run(&strong, &weak, 60, 1);
    assert_eq!(whole.played.len() as u64, whole.pairs);
    let openings = openings::sample(Variant::English, 60, Seed::new(4));
    let test = GateTest {
        openings: &openings,
        bounds: &BOUNDS,
    };
    let never = AtomicBool::new(false);
    for (threads, after) in [(1, 3), (2, 5), (2, 9)] {
        let arena = Arena {
            pairs_at_once: 4,
            ..Arena::new(Seed::new(1), threads, &never)
        };
        let mut kept = break_off([&strong, &weak], &test, &arena, after);
        assert!(kept.len() >= after && (kept.len() as u64) < whole.pairs);
        // Pairs that do not fit are played again.
        kept[1].games[0].moves.push_str(" 1-32");
        let known: Vec<usize> = kept.iter().map(|pair| pair.pair).collect();
        let mut again = 0;
        let watch = &mut |event: MatchEvent<'_>| {
            if let MatchEvent::Finished(games) = event {
                again += usize::from(known.contains(&games[0].pair));
            }
            ControlFlow::Continue(())
        };
        let report =
            gate(&LocalRunner, [&strong, &weak], &test, &arena, &kept, watch).expect("a match");
        assert_eq!(again, 1);
        let json = |report: &GateReport| serde_json::to_string(report).expect("json");
        assert_eq!(json(&report), json(&whole));
    }
}

/// Search without any knowledge in the evaluator must beat random moves.
#[test]
fn a_network_player_passes_the_same_gate() {
    let search = SearchConfig::PAPER.without_noise();
    let config = SearchPlayerConfig {
        few: search,
        many: search,
        simulations: 64,
        games_at_once: 16,
    };
    let net = PlayerFactory::new("uniform", move || {
        Ok(Box::new(SearchPlayer::new("uniform", Uniform, config)) as Box<dyn Player>)
    });
    let report = run(&net, &baseline("random"), 40, 2);
    assert!(report.games.score() > 0.5, "{}", report.sentence);
}
