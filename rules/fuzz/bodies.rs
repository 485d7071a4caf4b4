//! The bodies of the fuzz targets. The test suite runs the same on seeded inputs.

use rules::pdn::{PdnEnd, PdnPly, PdnReader, PdnRecord};
use rules::{Position, Variant};

/// The variant selected by the first byte, and the rest as text.
fn variant_and_text(data: &[u8]) -> Option<(Variant, String)> {
    let (first, rest) = data.split_first()?;
    let variant = Variant::ALL[usize::from(*first) % Variant::ALL.len()];
    Some((variant, String::from_utf8_lossy(rest).into_owned()))
}

/// A FEN is rejected, or gives a position in which all operations work.
pub fn fen(data: &[u8]) {
    let Some((variant, text)) = variant_and_text(data) else {
        return;
    };
    let Ok(position) = Position::from_fen(variant, &text) else {
        return;
    };
    assert_eq!(
        Position::from_fen(variant, &position.to_fen()),
        Ok(position)
    );
    assert_eq!(position.turned().turned(), position);
    let moves = position.legal_moves();
    let _ = position.outcome_with(!moves.is_empty(), 0);
    for &mv in &moves {
        let next = position.play(mv);
        assert_ne!(next.hash(), position.hash());
        assert_eq!(Position::from_fen(variant, &next.to_fen()), Ok(next));
        assert_eq!(
            position.parse_move(&position.move_text_among(mv, &moves)),
            Ok(mv)
        );
    }
}

/// The text of a move, after a line with a FEN, is rejected or names a legal move.
pub fn move_text(data: &[u8]) {
    let Some((variant, text)) = variant_and_text(data) else {
        return;
    };
    let (fen, text) = text.split_once('\n').unwrap_or(("", &text));
    let position = Position::from_fen(variant, fen).unwrap_or(Position::start(variant));
    if let Ok(mv) = position.parse_move(text) {
        assert!(position.legal_moves().contains(&mv));
    }
}

/// PDN is read to its end, and valid games survive writing and reading again.
pub fn pdn(data: &[u8]) {
    let mut n_games = 0;
    for game in PdnReader::new(data) {
        n_games += 1;
        assert!(n_games <= data.len(), "a game takes at least a byte");
        let Ok(game) = game else { continue };
        let _ = game.result();
        let variant = game.variant().unwrap_or(Variant::English);
        let Ok((start, moves)) = game.replay(variant) else {
            continue;
        };
        let line: Vec<PdnPly> = moves.iter().map(|mv| (*mv).into()).collect();
        let record = PdnRecord {
            tags: &[],
            start: &start,
            comment: "",
            line: &line,
            end: PdnEnd::OPEN,
        };
        let text = record.to_string();
        let read = PdnReader::new(text.as_bytes())
            .next()
            .expect("a game")
            .expect("good PDN");
        assert_eq!(read.replay(variant).expect("legal moves"), (start, moves));
    }
}
