//! Properties of the readers, on texts and positions that proptest makes up.

use proptest::prelude::*;
use rules::pdn::PdnReader;
use rules::{Game, Position, Variant};

fn variants() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::ALL.as_slice())
}

/// A position that play can reach: each number chooses one of the legal moves.
fn reachable() -> impl Strategy<Value = Position> {
    (
        variants(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..150),
    )
        .prop_map(|(variant, choices)| {
            let mut game = Game::new(Position::start(variant));
            for choice in choices {
                let moves = game.legal_moves();
                if game.outcome().is_some() {
                    break;
                }
                game.play(moves[choice.index(moves.len())]);
            }
            *game.position()
        })
}

/// Text that looks like a FEN more often than not.
fn fen_like() -> impl Strategy<Value = String> {
    "[WBwb]?:?[WB]K?[0-9]{0,3}([,-]K?[0-9]{1,2}){0,6}:[WB]([0-9]{1,2},?){0,5}(:[HF+][0-9+]{0,7}){0,3}\\.?"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fen_of_reachable_positions_reads_back(position in reachable()) {
        let fen = position.to_fen();
        prop_assert_eq!(Position::from_fen(position.variant(), &fen), Ok(position));
    }

    #[test]
    fn moves_of_reachable_positions_read_back(position in reachable()) {
        for &mv in &position.legal_moves() {
            prop_assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
            let path: Vec<String> = position
                .path(mv)
                .into_iter()
                .map(|square| position.board().number(square).to_string())
                .collect();
            prop_assert_eq!(position.parse_move(&path.join(":")), Ok(mv));
        }
    }

    #[test]
    fn any_text_is_read_without_panic(variant in variants(), text in any::<String>()) {
        let _ = Position::from_fen(variant, &text);
        let _ = Position::start(variant).parse_move(&text);
        let _ = PdnReader::new(text.as_bytes()).map(|game| game?.replay(variant)).count();
    }

    #[test]
    fn fen_like_text_is_refused_or_makes_sense(variant in variants(), text in fen_like()) {
        if let Ok(position) = Position::from_fen(variant, &text) {
            prop_assert_eq!(Position::from_fen(variant, &position.to_fen()), Ok(position));
            for &mv in &position.legal_moves() {
                let _ = position.play(mv).outcome();
            }
        }
    }

    #[test]
    fn move_like_text_names_a_legal_move_or_none(
        position in reachable(),
        text in "[0-9]{1,2}([-x:][0-9]{1,2}){1,4}",
    ) {
        if let Ok(mv) = position.parse_move(&text) {
            prop_assert!(position.legal_moves().contains(&mv));
        }
    }
}
