//! Games depend only on their numbers, not on threads or concurrent games.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::sync::atomic::AtomicBool;

use rules::Variant;
use search::{Batch, Evaluator, EvaluatorError, SearchConfig, Uniform};
use selfplay::{Agreement, Job, SelfplayConfig, SelfplayStats, play_games, retrace};
use store::{Header, Record, RecordedSearch};
use types::Wdl;

const SEARCH: SearchConfig = SearchConfig {
    simulations: 8,
    ..SearchConfig::PAPER
};

fn config() -> SelfplayConfig {
    SelfplayConfig {
        fast_simulations: 2,
        full_fraction: 0.5,
        games_per_generation: 1000,
        concurrent_games: 3,
        opening_plies: 4,
        max_plies: 60,
    }
}

fn header(variant: Variant) -> Header {
    Header::new(variant, 7, 3, "uniform")
}

fn job<'a>(config: &'a SelfplayConfig, header: &'a Header, numbers: &'a [u32]) -> Job<'a> {
    Job {
        search: &SEARCH,
        config,
        header,
        numbers,
    }
}

fn play(variant: Variant, numbers: &[u32], threads: usize) -> (Vec<Record>, SelfplayStats) {
    let mut records = Vec::new();
    let (config, header) = (config(), header(variant));
    let stats = play_games(
        &job(&config, &header, numbers),
        &mut (0..threads).map(|_| Uniform).collect::<Vec<_>>(),
        &AtomicBool::new(false),
        |record, _| {
            records.push(record);
            Ok(())
        },
    )
    .unwrap();
    (records, stats)
}

#[test]
fn neither_threads_nor_company_change_a_game() {
    for variant in Variant::ALL {
        let numbers: Vec<u32> = (0..12).collect();
        let (one, stats) = play(variant, &numbers, 1);
        assert_eq!(
            one.iter().map(|r| r.header.id.number).collect::<Vec<_>>(),
            numbers
        );
        assert_eq!(play(variant, &numbers, 3).0, one, "{variant}");
        let (some, _) = play(variant, &[2, 5, 11], 2);
        assert_eq!(some, [2, 5, 11].map(|n: usize| one[n].clone()), "{variant}");
        assert_eq!(stats.games, 12);
        let plies = one.iter().flat_map(|record| &record.plies);
        let is_opening = |ply: &&store::Ply| ply.search == RecordedSearch::Opening;
        let n_openings = plies.clone().filter(is_opening).count();
        assert!(n_openings > 0, "{variant}");
        assert_eq!(stats.plies, (plies.count() - n_openings) as u64);
    }
}

#[test]
fn records_are_what_the_rules_allow() {
    let mut n_forced = 0;
    for variant in Variant::ALL {
        let (mut n_full, mut n_fast) = (0, 0);
        for record in play(variant, &[0, 1, 2, 3], 2).0 {
            assert_eq!(Record::decode(&record.encode().unwrap()).unwrap(), record);
            let mut position = record.start;
            for ply in &record.plies {
                let moves = position.legal_moves();
                assert!(moves.contains(&ply.mv));
                match &ply.search {
                    RecordedSearch::Full { policy, .. } => {
                        assert_eq!(policy.n_moves(), moves.len());
                        n_full += 1;
                    }
                    RecordedSearch::Fast { .. } => n_fast += 1,
                    RecordedSearch::Forced { .. } => n_forced += 1,
                    RecordedSearch::Opening => {}
                }
                position = position.play(ply.mv);
            }
        }
        assert!(
            n_full > 0 && n_fast > 0,
            "{variant}: {n_full} full, {n_fast} fast"
        );
    }
    assert!(n_forced > 0);
}

#[test]
fn a_stop_keeps_what_is_finished() {
    let stop = AtomicBool::new(false);
    let numbers: Vec<u32> = (0..1000).collect();
    let mut n_records = 0;
    let header = header(Variant::English);
    let config = config();
    let job = job(&config, &header, &numbers);
    let stats = play_games(&job, &mut [Uniform, Uniform], &stop, |_, _| {
        n_records += 1;
        stop.store(n_records >= 5, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    })
    .unwrap();
    assert_eq!(stats.games, n_records);
    assert!((5..1000).contains(&n_records));
}

#[test]
fn a_failing_receiver_ends_the_job() {
    let header = header(Variant::Thai);
    let config = config();
    let job = job(&config, &header, &[0, 1, 2, 3]);
    let result = play_games(&job, &mut [Uniform], &AtomicBool::new(false), |_, _| {
        Err("the disk is full".into())
    });
    assert!(result.unwrap_err().to_string().contains("the disk is full"));
}

/// Values and moves from a hash of the position, with enough noise to change a few moves.
struct Noisy {
    noise: f32,
}

impl Evaluator for Noisy {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let hash = batch.request(index).position.hash();
            let (value, logits) = batch.reply_mut(index);
            let unit =
                |seed: u64| (hash.wrapping_mul(2 * seed + 1) >> 40) as f32 / (1 << 24) as f32;
            let win = (0.3 + 0.4 * unit(1) + self.noise * (unit(2) - 0.5)).clamp(0.0, 0.9);
            *value = Wdl {
                win,
                draw: 0.1,
                loss: 0.9 - win,
            };
            for (move_index, logit) in (10..).zip(logits) {
                *logit = 2.0 * unit(move_index) + self.noise * unit(2 * move_index);
            }
        }
        Ok(())
    }
}

/// The agreement of games played by one evaluator with searches by another.
fn agreement(played: f32, searched: f32, change: impl Fn(&mut Vec<Record>)) -> Agreement {
    let header = header(Variant::English);
    let numbers: Vec<u32> = (0..20).collect();
    let config = config();
    let job = job(&config, &header, &numbers);
    let never = AtomicBool::new(false);
    let mut records = Vec::new();
    play_games(&job, &mut [Noisy { noise: played }], &never, |record, _| {
        records.push(record);
        Ok(())
    })
    .unwrap();
    change(&mut records);
    let mut evaluators = [searched, searched].map(|noise| Noisy { noise });
    let found = retrace(&job, &records, &mut evaluators).unwrap();
    Agreement::of(&records, &found)
}

#[test]
fn searches_of_recorded_positions_tell_last_bits_from_other_games() {
    let same = agreement(0.0, 0.0, |_| ());
    assert_eq!(
        (
            same.other_moves,
            same.value_distance(),
            same.policy_distance()
        ),
        (0, 0.0, 0.0)
    );
    assert!(same.searches > 300 && same.is_close(), "{same}");
    let near = agreement(0.0, 1e-3, |_| ());
    assert!(near.is_close() && near.value_distance() > 0.0, "{near}");
    let other = agreement(0.0, 1.0, |_| ());
    assert!(!other.is_close(), "{other}");
    // A missing last ply, a move that the search did not find, a game with another number.
    let shorter = agreement(0.0, 0.0, |records| {
        records[3].plies.pop();
    });
    assert!(
        !shorter.is_close() && shorter.to_string().contains("game 3/3 ends"),
        "{shorter}"
    );
    let taken = agreement(0.0, 0.0, |records| {
        let id = records[5].header.id;
        records[5] = records[4].clone();
        records[5].header.id = id;
    });
    assert!(!taken.is_close(), "{taken}");
}

#[test]
fn a_device_plays_half_of_a_generation_at_a_time() {
    let places = |games_per_generation, threads| {
        let config = SelfplayConfig {
            games_per_generation,
            concurrent_games: 256,
            ..config()
        };
        config.on_device(threads).concurrent_games
    };
    assert_eq!(places(4096, 32), 64);
    assert_eq!(places(4096, 2), 256);
    assert_eq!(places(10, 32), 1);
}
