//! Everything written can be read back.

use engine::hub::{
    Frame, Line, position_text, read_level, read_move, read_position, write_level, write_move,
};
use engine::{SearchLimits, TimeLeft};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use std::time::Duration;

/// Any argument that a line can represent.
fn argument() -> impl Strategy<Value = (String, Option<String>)> {
    (
        "[a-z][a-z-]{0,9}",
        proptest::option::of("[^\"\\p{C}]{0,20}"),
    )
}

fn limits() -> impl Strategy<Value = SearchLimits> {
    let time = (0u32..1 << 30).prop_map(|ms| Duration::from_millis(ms.into()));
    let game = (time.clone(), time.clone(), proptest::option::of(1u32..100)).prop_map(
        |(time, increment, moves)| TimeLeft::Game {
            time: time + increment,
            increment,
            moves,
        },
    );
    let time = proptest::option::of(prop_oneof![time.prop_map(TimeLeft::Move), game]);
    let number = || proptest::option::of(0u32..);
    (number(), number(), time).prop_map(|(depth, nodes, time)| SearchLimits {
        depth,
        nodes: nodes.map(u64::from),
        time,
        ..SearchLimits::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines(command in "[a-z-]{1,10}", arguments in proptest::collection::vec(argument(), 0..6)) {
        let line = arguments.iter().fold(Line::new(&command), |line, (name, value)| match value {
            Some(value) => line.with(name, value),
            None => line.with_flag(name),
        });
        prop_assert_eq!(Line::parse(&line.to_string()), line);
    }

    #[test]
    fn any_text_is_a_line(text in "\\PC{0,80}") {
        let line = Line::parse(&text);
        // After writing once, the text no longer changes.
        let written = line.to_string();
        prop_assert_eq!(Line::parse(&written).to_string(), written);
    }

    #[test]
    fn levels(limits in limits()) {
        let line = Line::parse(&write_level(&limits).to_string());
        let read = read_level(&line).unwrap();
        prop_assert_eq!((read.depth, read.nodes), (limits.depth, limits.nodes));
        // Seconds are written as decimals.
        let about = |a: Duration, b: Duration| a.abs_diff(b) < Duration::from_micros(1);
        match (read.time, limits.time) {
            (None, None) => {}
            (Some(TimeLeft::Move(a)), Some(TimeLeft::Move(b))) => prop_assert!(about(a, b)),
            (
                Some(TimeLeft::Game { time: a, increment: i, moves: m }),
                Some(TimeLeft::Game { time: b, increment: j, moves: n }),
            ) => prop_assert!(about(a, b) && about(i, j) && m == n),
            other => prop_assert!(false, "{other:?}"),
        }
    }
}

#[test]
fn positions_and_moves_of_random_games() {
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
        for _ in 0..5 {
            let mut game = Game::new(Position::start(variant));
            while game.outcome().is_none() {
                let position = game.position();
                for frame in Frame::ALL {
                    let text = position_text(position, frame);
                    let read = read_position(variant, &text, frame).unwrap();
                    assert_eq!(position_text(&read, frame), text);
                    let same = |a: &Position, b: &Position| {
                        (a.turn(), a.occupied(), a.all_kings())
                            == (b.turn(), b.occupied(), b.all_kings())
                    };
                    assert!(same(&read, position), "{position:?} {text}");
                }
                let legal = game.legal_moves();
                for &mv in &legal {
                    for frame in Frame::ALL {
                        let text = write_move(position, mv, frame);
                        let read = read_move(position, &text, frame);
                        assert_eq!(read, Ok(mv), "{position:?} {text}");
                    }
                }
                game.play(legal[rng.random_range(0..legal.len())]);
            }
        }
    }
}
