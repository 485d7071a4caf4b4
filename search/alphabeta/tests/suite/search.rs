//! Properties of the full search, with every technique enabled.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{PLAIN, analyse, random_game, search};
use alphabeta::{
    AlphaBetaSearch, Evaluation, Limits, MaterialBalance, Observer, Oracle, Parameters, Resources,
    WIN, win_in,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Color, Game, Position, Variant};

fn game(variant: Variant, fen: &str) -> Game {
    Game::new(Position::from_fen(variant, fen).expect(fen))
}

/// Plays moves by their text.
fn played(mut game: Game, moves: &str) -> Game {
    for text in moves.split_whitespace() {
        game.play(game.position().parse_move(text).expect(text));
    }
    game
}

#[test]
fn known_wins_are_found() {
    let wins = [
        (Variant::English, "W:W29,30:B21", 1),
        (Variant::English, "W:WK14,K15:BK1", 0),
        (Variant::English, "B:WK28,32:BK23,K24", 0),
        (Variant::Thai, "W:WK14,K15:BK32", 0),
        (Variant::Frisian, "W:WK28,K33,K39:B11", 0),
        (Variant::Ringboard, "W:WK28,K29,K30:BK13", 0),
    ];
    for (variant, fen, plies) in wins {
        let game = game(variant, fen);
        let limits = Limits {
            depth: 40,
            nodes: 3_000_000,
            ..Limits::NONE
        };
        let line = &analyse(&mut search(Parameters::DEFAULT), &game, &limits).lines[0];
        let found = line.plies_to_end().filter(|_| line.score > 0);
        assert!(found.is_some(), "{variant} {fen}: {line:?}");
        assert!(
            plies == 0 || found == Some(plies),
            "{variant} {fen}: {line:?}"
        );
    }
}

#[test]
fn forced_moves_cost_no_depth_with_flying_kings_on_large_boards() {
    let limits = Limits {
        depth: 8,
        ..Limits::NONE
    };
    let resources = Resources {
        table_bytes: 1 << 20,
        threads: 1,
    };
    for (variant, is_deeper) in [
        (Variant::International, true),
        (Variant::Frisian, true),
        (Variant::Ringboard, false),
        (Variant::Brazilian, false),
        (Variant::English, false),
    ] {
        let game = Game::new(Position::start(variant));
        let mut usual = AlphaBetaSearch::new(MaterialBalance, &resources);
        let usual = analyse(&mut usual, &game, &limits).nodes;
        let plain = analyse(&mut search(Parameters::DEFAULT), &game, &limits).nodes;
        assert_eq!(usual > plain, is_deeper, "{variant}: {usual}, {plain}");
    }
}

/// A search makes its table of reductions before it knows the game.
#[test]
fn all_games_have_the_same_reductions() {
    for variant in Variant::ALL {
        let reductions = |parameters: Parameters| {
            let Parameters {
                reduction_base,
                reduction_divisor,
                ..
            } = parameters;
            (reduction_base, reduction_divisor)
        };
        let own = reductions(Parameters::of(variant));
        assert_eq!(own, reductions(Parameters::DEFAULT), "{variant}");
    }
}

#[test]
fn a_number_of_nodes_and_one_thread_give_one_result() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    for variant in Variant::ALL {
        let mut used = search(Parameters::DEFAULT);
        for nodes in [1, 300, 5_000, 60_000] {
            let game = random_game(variant, 80, rng);
            let limits = Limits {
                nodes,
                ..Limits::NONE
            };
            used.forget(nodes);
            let found = analyse(&mut used, &game, &limits);
            let mut fresh = search(Parameters::DEFAULT);
            fresh.forget(nodes);
            assert_eq!(found, analyse(&mut fresh, &game, &limits), "{variant}");
            assert!(found.nodes <= nodes, "{} of {nodes} nodes", found.nodes);
        }
    }
}

/// Entries of the smallest table are overwritten all the time, by other positions too.
#[test]
fn the_smallest_table_never_gives_a_wrong_move() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let resources = Resources {
        table_bytes: 0,
        threads: 2,
    };
    for variant in Variant::ALL {
        let mut search = AlphaBetaSearch::new(MaterialBalance, &resources);
        for _ in 0..20 {
            let game = random_game(variant, 100, rng);
            let limits = Limits {
                nodes: 20_000,
                lines: 2,
                ..Limits::NONE
            };
            for line in analyse(&mut search, &game, &limits).lines {
                let mut replayed = game.clone();
                for mv in line.moves {
                    assert!(replayed.legal_moves().contains(&mv), "{variant} {mv:?}");
                    replayed.play(mv);
                }
            }
        }
    }
}

/// Lines of one completed depth are comparable; lines of an interrupted depth are not.
#[test]
fn several_lines_are_of_one_finished_depth() {
    let start = Game::new(Position::start(Variant::Frisian));
    for nodes in [1, 500, 3_000, 20_000] {
        let limits = Limits {
            nodes,
            lines: 4,
            ..Limits::NONE
        };
        let mut last = None;
        let mut observer = Observer {
            is_over: &|_| false,
            report: &mut |analysis| {
                last = Some(analysis.lines.clone());
                ControlFlow::Continue(())
            },
        };
        let mut search = search(Parameters::DEFAULT);
        let found = search.analyse(&start, &limits, &mut observer).unwrap();
        assert_eq!(found.lines.len(), 4);
        assert!(found.lines.is_sorted_by_key(|line| -line.score));
        assert_eq!(last.is_some(), found.depth > 0);
        if let Some(last) = last {
            assert_eq!(found.lines, last);
        }
    }
}

#[test]
fn a_third_repetition_is_a_draw() {
    // White is far ahead and has been moving back and forth.
    let start = game(Variant::English, "W:WK32,K31,K30:BK4");
    let before = played(start, "32-28 4-8 28-32 8-4 32-28 4-8 28-32");
    let limits = Limits {
        depth: 1,
        lines: usize::MAX,
        ..Limits::NONE
    };
    let analysis = analyse(&mut search(Parameters::DEFAULT), &before, &limits);
    let back = before.position().parse_move("8-4").unwrap();
    let line = analysis
        .lines
        .iter()
        .find(|line| line.moves[0] == back)
        .unwrap();
    assert_eq!(line.score, 0);
    assert_eq!(analysis.lines[0].moves[0], back, "Black takes the draw");
    assert!(analysis.lines[1].score < 0);
}

#[test]
fn a_counter_that_runs_out_is_a_draw_and_a_win_in_time_is_none() {
    let limits = Limits {
        depth: 6,
        ..Limits::NONE
    };
    let drawn = game(Variant::English, "W:WK32,K31,K30:BK4:H79:F90");
    let line = &analyse(&mut search(Parameters::DEFAULT), &drawn, &limits).lines[0];
    assert_eq!(line.score, 0);
    let won = game(Variant::English, "W:WK29,K30:B21:H79:F90");
    let line = &analyse(&mut search(Parameters::DEFAULT), &won, &limits).lines[0];
    assert_eq!(line.plies_to_end(), Some(1), "a win at the last moment");
    let frisian = game(Variant::Frisian, "W:WK46,K47:BK5:H13:F60");
    let line = &analyse(&mut search(Parameters::DEFAULT), &frisian, &limits).lines[0];
    assert_eq!(line.score, 0, "two kings against one");
}

/// White is always one man up; only a draw scores 0.
struct Constant;

impl Evaluation for Constant {
    type State = ();

    fn state(&self) {}

    fn evaluate(&self, position: &Position, _near: &(), _state: &mut ()) -> i32 {
        match position.turn() {
            Color::White => 100,
            Color::Black => -100,
        }
    }
}

/// A draw by repetition belongs to the line in which it occurs. Results from such lines must not be
/// reused after a different history.
#[test]
fn a_repetition_does_not_poison_the_table() {
    let parameters = Parameters {
        table_cutoffs: true,
        ..PLAIN
    };
    let resources = Resources {
        table_bytes: 8 << 20,
        threads: 1,
    };
    let mut search = AlphaBetaSearch::new(Constant, &resources).with_parameters(parameters);
    let mut values = |game: &Game, depth| {
        let limits = Limits {
            depth,
            lines: usize::MAX,
            ..Limits::NONE
        };
        let mut observer = Observer {
            is_over: &|_| false,
            report: &mut |_| ControlFlow::Continue(()),
        };
        let lines = search.analyse(game, &limits, &mut observer).unwrap().lines;
        lines.iter().map(|line| line.score).collect::<Vec<_>>()
    };
    // When White returns to 32, Black can bring about the start position for the third time.
    let with_past = played(
        game(Variant::English, "W:WK32:BK1"),
        "32-28 1-6 28-32 6-1 32-28 1-6",
    );
    for depth in 2..=8 {
        let scores = values(&with_past, depth);
        assert!(scores.contains(&0) && scores[0] == 100, "{scores:?}");
        // Without that history, no repetition is possible within so few plies.
        for mv in with_past.legal_moves().iter() {
            let child = Game::new(with_past.position().play(*mv));
            assert!(values(&child, 3).iter().all(|score| *score == -100));
        }
    }
}

#[test]
fn it_stops_when_told_and_has_an_answer() {
    let start = Game::new(Position::start(Variant::Frisian));
    let mut search = search(Parameters::DEFAULT);
    let mut observer = Observer {
        is_over: &|_| true,
        report: &mut |_| ControlFlow::Continue(()),
    };
    let found = search
        .analyse(&start, &Limits::NONE, &mut observer)
        .unwrap();
    assert!(start.legal_moves().contains(&found.lines[0].moves[0]));
    assert!(found.depth >= 1, "{found:?}");

    let stop = AtomicBool::new(false);
    let stopped_at = std::thread::scope(|scope| {
        let stopper = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let mut observer = Observer {
            is_over: &|_| stop.load(Ordering::Relaxed),
            report: &mut |_| ControlFlow::Continue(()),
        };
        search.analyse(&start, &Limits::NONE, &mut observer);
        let ended = Instant::now();
        ended.duration_since(stopper.join().unwrap())
    });
    // Takes 20 ms on an idle processor; allow for a busy one.
    assert!(stopped_at < Duration::from_millis(200), "{stopped_at:?}");
}

#[test]
fn threads_agree_on_a_win() {
    let resources = Resources {
        table_bytes: 4 << 20,
        threads: 3,
    };
    let mut search = AlphaBetaSearch::new(MaterialBalance, &resources);
    let limits = Limits {
        depth: 20,
        ..Limits::NONE
    };
    let won = game(Variant::English, "W:W29,30:B21");
    let line = &analyse(&mut search, &won, &limits).lines[0];
    assert!(line.score > 0 && line.plies_to_end().is_some(), "{line:?}");
}

/// Knows that White wins as soon as a man has been captured.
struct WhiteWins;

impl Oracle for WhiteWins {
    fn probe(&self, position: &Position) -> Option<i32> {
        let is_known = position.occupied().count() < 24;
        is_known.then(|| match position.turn() {
            Color::White => win_in(10),
            Color::Black => -win_in(10),
        })
    }
}

#[test]
fn an_oracle_is_believed() {
    let start = Game::new(Position::start(Variant::English));
    let resources = Resources {
        table_bytes: 1 << 20,
        threads: 1,
    };
    let mut search =
        AlphaBetaSearch::new(MaterialBalance, &resources).with_oracle(Some(Arc::new(WhiteWins)));
    let limits = Limits {
        depth: 9,
        ..Limits::NONE
    };
    let line = &analyse(&mut search, &start, &limits).lines[0];
    assert!(line.score < -WIN + 100, "{line:?}");
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let over = game(Variant::English, "W:W:B18");
    let mut observer = Observer {
        is_over: &|_| false,
        report: &mut |_| ControlFlow::Continue(()),
    };
    let found = search(Parameters::DEFAULT).analyse(&over, &Limits::NONE, &mut observer);
    assert_eq!(found, None);
}
