//! The alpha-beta baseline compared with plain minimax, and properties it must have.

use std::sync::Arc;

use endgame::{Database, GameValue};
use engine::{Control, SearchLimits, Stopper, Task, Turn};
use eval::{AlphaBeta, Baseline, WIN, is_decided, material};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Outcome, Position, Variant};
use search::Proof;
use types::{Seed, Wdl};

/// The definition that alpha-beta must reproduce: no windows, no order, no memory.
fn minimax(game: &Game, depth: u32, ply: i32) -> i32 {
    match game.outcome() {
        Some(Outcome::Win(winner, _)) if winner == game.position().turn() => return WIN - ply,
        Some(Outcome::Win(..)) => return ply - WIN,
        Some(Outcome::Draw(_)) => return 0,
        None => {}
    }
    let legal = game.legal_moves();
    let captures = legal.iter().any(|mv| mv.is_capture());
    let may_stop = !captures || !game.position().variant().rules().capture_is_mandatory;
    let stand_pat = (depth == 0 && may_stop).then(|| material(game.position()));
    let after = |mv: &Move| {
        let mut next = game.clone();
        next.play(*mv);
        -minimax(&next, depth.saturating_sub(1), ply + 1)
    };
    let searched = legal
        .iter()
        .filter(|mv| depth > 0 || mv.is_capture())
        .map(after)
        .max();
    searched.max(stand_pat).expect("a value or a move")
}

fn minimax_root(game: &Game, depth: u32) -> (i32, Vec<Move>) {
    let legal = game.legal_moves();
    let score = |mv: &Move| {
        let mut next = game.clone();
        next.play(*mv);
        -minimax(&next, depth - 1, 1)
    };
    let scores: Vec<i32> = legal.iter().map(score).collect();
    let best = *scores.iter().max().expect("a legal move");
    let moves = legal
        .iter()
        .zip(&scores)
        .filter(|(_, score)| **score == best)
        .map(|(mv, _)| *mv);
    (best, moves.collect())
}

/// Games of random moves, stopped after `plies` or where the next move would end them.
fn random_game(variant: Variant, plies: usize, rng: &mut ChaCha8Rng) -> Game {
    let mut game = Game::new(Position::start(variant));
    for _ in 0..plies {
        let legal = game.legal_moves();
        let mut next = game.clone();
        next.play(legal[rng.random_range(0..legal.len())]);
        if next.outcome().is_some() {
            break;
        }
        game = next;
    }
    game
}

fn game(variant: Variant, fen: &str) -> Game {
    Game::new(Position::from_fen(variant, fen).expect("a FEN"))
}

fn play(game: &mut Game, moves: &[&str]) {
    for text in moves {
        game.play(game.position().parse_move(text).expect("a legal move"));
    }
}

fn assert_same_as_minimax(alphabeta: &mut AlphaBeta, game: &Game, depth: u32) {
    let analysis = alphabeta.analyse(game).expect("moves");
    let (score, best) = minimax_root(game, depth);
    assert_eq!(
        (analysis.score, &analysis.best),
        (score, &best),
        "{}",
        game.position().to_fen()
    );
}

#[test]
fn equals_minimax_in_random_positions() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for variant in Variant::ALL {
        for depth in 1..=3 {
            let mut alphabeta = AlphaBeta::new(depth);
            for _ in 0..6 {
                let plies = rng.random_range(0..90);
                let game = random_game(variant, plies, &mut rng);
                assert_same_as_minimax(&mut alphabeta, &game, depth);
            }
        }
    }
}

/// Few kings, and counters close to their limits: draws and wins everywhere in the tree.
#[test]
fn equals_minimax_where_draw_rules_decide() {
    let cases = [
        (Variant::English, "W:WK1,K6:BK28:H75"),
        (Variant::English, "B:WK1,5:BK28,27:H78"),
        (Variant::Customary, "W:WK14,32:BK18:H77"),
        (Variant::Thai, "W:WK29,K22:BK4:H36"),
        (Variant::Thai, "W:WK29:B18,7:H3"),
        (Variant::Frisian, "B:WK46,K47:BK5:H11"),
        (Variant::Frisian, "W:W36,K46:BK5,15:H5:F20:+346+0"),
        (Variant::Ringboard, "W:WK28,K38:BK13:H76"),
    ];
    for (variant, fen) in cases {
        for depth in 1..=5 {
            let mut alphabeta = AlphaBeta::new(depth);
            assert_same_as_minimax(&mut alphabeta, &game(variant, fen), depth);
        }
    }
}

#[test]
fn equals_minimax_when_the_game_has_seen_the_position_before() {
    let mut shuffle = game(Variant::English, "W:WK1,K4:BK29,13");
    for _ in 0..3 {
        for depth in 1..=5 {
            assert_same_as_minimax(&mut AlphaBeta::new(depth), &shuffle, depth);
        }
        play(&mut shuffle, &["1-5", "29-25", "5-1", "25-29"]);
        if shuffle.outcome().is_some() {
            break;
        }
    }
}

#[test]
fn repetition_is_a_draw_inside_the_tree() {
    // White is ahead; the position after 5-1 stood on the board twice before.
    let mut shuffle = game(Variant::English, "B:WK1,K4:BK29");
    for _ in 0..2 {
        play(&mut shuffle, &["29-25", "1-5", "25-29", "5-1"]);
    }
    let mut once_more = game(Variant::English, "B:WK1,K4:BK29");
    play(
        &mut once_more,
        &["29-25", "1-5", "25-29", "5-1", "29-25", "1-5", "25-29"],
    );
    assert!(shuffle.outcome().is_some());
    let analysis = AlphaBeta::new(1).analyse(&once_more).expect("moves");
    let back = once_more
        .position()
        .parse_move("5-1")
        .expect("a legal move");
    assert!(analysis.score > 0 && !analysis.best.contains(&back));
}

/// Move ordering determines the work. A baseline may become faster, but not unnoticed.
#[test]
fn it_visits_as_many_positions_as_it_did() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let nodes = |game: &Game, depth| AlphaBeta::new(depth).analyse(game).expect("moves").nodes;
    let mut found = Vec::new();
    for variant in Variant::GAMES {
        let games = [0, 25, 50].map(|plies| random_game(variant, plies, &mut rng));
        found.push(games.map(|game| nodes(&game, 6)));
    }
    let expected = [
        [13_341, 9_668, 1],
        [12_908, 12_063, 5_271],
        [32_967, 80_373, 41_955],
        [13_678, 21_375, 1],
        [9_446, 4_423, 1],
        [24_892, 69_431, 37_806],
        [11_294, 22_839, 5],
        [11_196, 14_198, 1],
        [14_177, 1_377, 1],
        [8_291, 9_535, 542],
        [7_983, 21_288, 5],
        [7_953, 946, 1],
        [8_119, 2_275, 1],
        [6_930, 2_254, 733],
        [24_907, 2_628, 4_835],
    ];
    assert_eq!(found, expected);
    // A win that is found ends the search.
    let won = game(Variant::English, "W:WK22,K23:B18,1");
    assert_eq!([3, 5, 9].map(|depth| nodes(&won, depth)), [42, 240, 240]);
    // The number of plies beyond the depth equals the number of captures.
    assert_eq!(nodes(&game(Variant::English, "W:W22:B15"), 1), 4);
}

#[test]
fn takes_the_shortest_win() {
    // The only enemy is taken: the search stops at the first depth.
    let won = game(Variant::English, "W:WK22:B18");
    let analysis = AlphaBeta::new(6).analyse(&won).expect("moves");
    assert_eq!(analysis.score, WIN - 1);
    assert!(is_decided(analysis.score) && is_decided(-analysis.score));
}

#[test]
fn exchanges_are_seen_to_their_end() {
    // One ply deep, some moves offer an exchange; without the replies they would look like losses.
    for variant in Variant::GAMES {
        let start = Game::new(Position::start(variant));
        let analysis = AlphaBeta::new(1).analyse(&start).expect("moves");
        assert!(analysis.score.abs() <= 2, "{variant}: {}", analysis.score);
    }
}

#[test]
fn choices_depend_on_the_turn_alone() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let games: Vec<Game> = Variant::GAMES
        .iter()
        .map(|&variant| random_game(variant, 20, &mut rng))
        .collect();
    let turn = |game, seed| Turn {
        game,
        seed: Seed::new(seed),
        time: None,
    };
    let together: Vec<Turn<'_>> = games
        .iter()
        .zip(7..)
        .map(|(game, n)| turn(game, n))
        .collect();
    let mut player = Baseline::AlphaBeta { depth: 3 }.player();
    let mut choices = Vec::new();
    player.choose(&together, &mut choices).expect("choices");
    for (asked, choice) in together.iter().zip(&choices).rev() {
        let mut alone = Vec::new();
        player.choose(&[*asked], &mut alone).expect("a choice");
        assert_eq!(alone, [*choice]);
    }
}

#[test]
fn the_seed_decides_among_equal_moves() {
    let start = Game::new(Position::start(Variant::English));
    let mut player = Baseline::AlphaBeta { depth: 2 }.player();
    let mut seen = std::collections::HashSet::new();
    let mut choices = Vec::new();
    for seed in 0..50 {
        player
            .choose(
                &[Turn {
                    game: &start,
                    seed: Seed::new(seed),
                    time: None,
                }],
                &mut choices,
            )
            .expect("a choice");
        seen.insert(choices[0].mv);
    }
    assert!(seen.len() >= 4, "{seen:?}");
}

/// Analyses with a player of this depth; returns the reported depths, and its move and depth.
fn analyze(
    game: &Game,
    depth: u32,
    limits: SearchLimits,
    control: Control,
) -> (Vec<u32>, Move, u32) {
    let mut depths = Vec::new();
    let control = Arc::new(control);
    let task = Task {
        game,
        seed: Seed::new(4),
        stopper: Stopper { limits, control },
    };
    let findings = Baseline::AlphaBeta { depth }
        .analyzer()
        .analyze(&task, &mut |findings| depths.push(findings.best().depth))
        .expect("a move");
    let best = findings.best();
    (depths, best.moves[0], best.depth)
}

#[test]
fn a_complete_analysis_finds_what_the_player_plays() {
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
        let game = random_game(variant, 9, &mut rng);
        let mut choices = Vec::new();
        let turn = Turn {
            game: &game,
            seed: Seed::new(4),
            time: None,
        };
        Baseline::AlphaBeta { depth: 4 }
            .player()
            .choose(&[turn], &mut choices)
            .expect("a choice");
        let (depths, mv, depth) = analyze(&game, 4, SearchLimits::default(), Control::running());
        assert_eq!((depths, mv, depth), (vec![1, 2, 3, 4], choices[0].mv, 4));
        let limits = SearchLimits {
            depth: Some(2),
            ..SearchLimits::default()
        };
        assert_eq!(analyze(&game, 4, limits, Control::running()).0, [1, 2]);
    }
}

/// The results of a player: proof and value of an analysis, and the value of a move.
fn said(baseline: Baseline, game: &Game) -> (Option<Proof>, f32, Option<Wdl>) {
    let task = Task {
        game,
        seed: Seed::new(1),
        stopper: Stopper::within(SearchLimits::default()),
    };
    let mut analyzer = baseline.analyzer();
    let findings = analyzer.analyze(&task, &mut |_| ()).expect("a move");
    let best = findings.best();
    let turn = Turn {
        game,
        seed: Seed::new(1),
        time: None,
    };
    let mut choices = Vec::new();
    let mut player = baseline.player();
    player.choose(&[turn], &mut choices).expect("a choice");
    let value = best.value.expect("a value").value();
    (best.proof, value, choices[0].value)
}

#[test]
fn a_forced_end_is_proven_and_nothing_else() {
    let player = Baseline::AlphaBeta { depth: 4 };
    let (proof, value, said_value) = said(player, &game(Variant::English, "W:WK22,K23:B18"));
    assert_eq!((proof, said_value), (Some(Proof::Win(1)), Some(Wdl::WIN)));
    assert!(value > 0.99);
    let database = Database::build(Variant::English, 3, |_| ()).expect("three pieces are allowed");
    let (mut n_won, mut n_lost) = (0, 0);
    for solved in database.sample(400, 1) {
        let (proof, value, said_value) = said(player, &Game::new(solved.position));
        match proof {
            Some(Proof::Win(plies)) => {
                assert_eq!((solved.value, said_value), (GameValue::Win, Some(Wdl::WIN)));
                assert!(value > 0.99 && plies % 2 == 1 && plies < 30);
                n_won += 1;
            }
            Some(Proof::Loss(plies)) => {
                assert_eq!(
                    (solved.value, said_value),
                    (GameValue::Loss, Some(Wdl::LOSS))
                );
                assert!(value < -0.99 && plies % 2 == 0 && plies < 30);
                n_lost += 1;
            }
            _ => assert_eq!(said_value, None),
        }
    }
    assert!(n_won > 10 && n_lost > 2, "{n_won} {n_lost}");
    let start = Game::new(Position::start(Variant::English));
    let (proof, value, said_value) = said(player, &start);
    assert_eq!((proof, said_value), (None, None));
    assert!(value.abs() < 0.5);
}

#[test]
fn a_learned_evaluation_judges_where_material_is_even() {
    let even = game(
        Variant::English,
        "B:W21,22,23,24,25,26,27,28:B1,2,3,4,5,6,7,8",
    );
    let (_, by_material, _) = said(Baseline::AlphaBeta { depth: 1 }, &even);
    let (_, learned, _) = said(Baseline::Learned { depth: 1 }, &even);
    assert_eq!(by_material, 0.0);
    assert!(learned != 0.0 && learned.abs() < 0.9, "{learned}");
    let without = Variant::ALL
        .into_iter()
        .find(|game| !AlphaBeta::has_learned(*game));
    let start = Game::new(Position::start(without.expect("a game without one")));
    let turn = Turn {
        game: &start,
        seed: Seed::new(1),
        time: None,
    };
    let error = Baseline::Learned { depth: 1 }
        .player()
        .choose(&[turn], &mut Vec::new())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is no frozen evaluation of "),
        "{error}"
    );
}

#[test]
fn a_stopped_analysis_gives_the_last_complete_depth() {
    for variant in Variant::ALL {
        let game = Game::new(Position::start(variant));
        let control = Control::running();
        control.stop();
        let (depths, mv, depth) = analyze(&game, 30, SearchLimits::default(), control);
        assert!(depth < 30 && depths.last() == Some(&depth).filter(|depth| **depth > 0));
        let limits = SearchLimits {
            nodes: Some(20_000),
            ..SearchLimits::default()
        };
        let (deeper, later, _) = analyze(&game, 30, limits, Control::running());
        assert!(deeper.len() > depths.len());
        assert!([mv, later].iter().all(|mv| game.legal_moves().contains(mv)));
    }
}
