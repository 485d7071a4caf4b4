//! Reads and writes games and positions as text.

use rules::pdn::{PdnPly, PdnRecord};
use rules::{Game, Move, Position, Square, Variant};
use serde::Serialize;

use crate::Error;

pub use crate::pdn::{GameInText, PdnSource, PdnStream, read_pdn, read_pdn_games};
pub use rules::status;

/// A legal move with everything needed to draw it on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LegalMove {
    /// The move.
    #[serde(skip)]
    pub mv: Move,
    /// Its notation: `11-15`, or the whole path if several captures share start and end.
    pub text: String,
    /// Number of its start square.
    pub from: usize,
    /// Number of its end square.
    pub to: usize,
    /// Numbers of the squares whose pieces it captures, ascending.
    pub captured: Vec<usize>,
    /// Numbers of the squares it visits, start and end included; the smallest path if there are
    /// several.
    pub path: Vec<usize>,
}

/// A position row by row from the top: `w`, `b`, `W` and `B` for men and kings, `.` for empty
/// squares and a space for squares that are never used.
pub fn diagram(position: &Position) -> Vec<String> {
    let board = position.board();
    let mut rows = vec![vec![' '; board.size()]; board.size()];
    for square in board.mask().iter() {
        if let Some((row, column)) = board.place(board.number(square)) {
            rows[row][column] = position.letter(square).unwrap_or('.');
        }
    }
    rows.into_iter().map(String::from_iter).collect()
}

/// A position as text: its [`diagram`] between the names of the first and last square of each row,
/// and the side to move.
pub fn board_text(position: &Position) -> String {
    let board = position.board();
    let name = |number: usize| {
        let square = board.square(number);
        square.map_or(String::new(), |square| {
            position.variant().square_name(square)
        })
    };
    let mut text = String::new();
    for (row, cells) in diagram(position).iter().enumerate() {
        let (first, last) = (row * board.width() + 1, (row + 1) * board.width());
        let cells: Vec<String> = cells.chars().map(String::from).collect();
        let cells = cells.join(" ");
        text += &format!("{:>3} | {cells} | {:<3}", name(first), name(last));
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text + &format!("{} to move", position.turn())
}

/// The legal moves of a position, sorted by start, end and captures, as `crownhead moves` lists
/// them.
pub fn legal_moves(position: &Position) -> Vec<LegalMove> {
    let number = |square: Square| position.board().number(square);
    let mut legal = position.legal_moves();
    legal.sort_canonical();
    let describe = |&mv: &Move| LegalMove {
        mv,
        text: position.move_text_among(mv, &legal),
        from: number(mv.from),
        to: number(mv.to),
        captured: mv.captured.iter().map(number).collect(),
        path: position.path(mv).into_iter().map(number).collect(),
    };
    legal.iter().map(describe).collect()
}

/// The start position of a variant, or the one in a FEN.
///
/// # Errors
/// If the FEN is invalid.
pub fn position(variant: Variant, fen: Option<&str>) -> Result<Position, Error> {
    let Some(fen) = fen else {
        return Ok(Position::start(variant));
    };
    Position::from_fen(variant, fen).map_err(|source| Error::Fen {
        fen: fen.to_owned(),
        source,
    })
}

/// Plays the move given as text, and returns it.
///
/// # Errors
/// If it is not legal, or ambiguous.
pub fn play(game: &mut Game, text: &str) -> Result<Move, Error> {
    let mv = game.position().parse_move(text)?;
    game.play(mv);
    Ok(mv)
}

/// Takes the last move back.
///
/// # Errors
/// If there is no move to take back.
pub fn take_back(game: &mut Game) -> Result<Move, Error> {
    let (last, moves) = game.moves().split_last().ok_or(Error::AtStart)?;
    let (last, mut before) = (*last, Game::new(*game.start()));
    moves.iter().for_each(|mv| before.play(*mv));
    *game = before;
    Ok(last)
}

/// The moves of a game in notation.
pub fn move_texts(game: &Game) -> Vec<String> {
    game.start().move_texts(game.moves())
}

/// A game as PDN, with these tags and the derived ones.
pub fn write_pdn(game: &Game, tags: &[(&str, &str)]) -> String {
    let line: Vec<PdnPly> = game.moves().iter().map(|mv| (*mv).into()).collect();
    let record = PdnRecord {
        tags,
        start: game.start(),
        comment: "",
        line: &line,
        end: game.outcome().into(),
    };
    record.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_go_to_text_and_back() {
        for variant in Variant::ALL {
            let mut game = Game::new(Position::start(variant));
            while game.outcome().is_none() && game.plies() < 40 {
                let legal = legal_moves(game.position());
                let chosen = &legal[game.plies() as usize * 7 % legal.len()];
                assert_eq!(
                    (chosen.path[0], chosen.path.last()),
                    (chosen.from, Some(&chosen.to))
                );
                assert_eq!(play(&mut game, &chosen.text).unwrap(), chosen.mv);
            }
            let text = write_pdn(&game, &[("White", "a"), ("Black", "b")]);
            let read = read_pdn(&text, None).unwrap();
            assert_eq!(move_texts(&read[0]), move_texts(&game));
            for _ in 0..game.plies() {
                let before = game.position().turn();
                take_back(&mut game).unwrap();
                assert_ne!(game.position().turn(), before);
            }
            assert!(*game.position() == Position::start(variant));
            assert!(matches!(take_back(&mut game), Err(Error::AtStart)));
        }
    }

    #[test]
    fn diagrams_have_the_pieces_at_their_places() {
        let position = position(Variant::ALL[0], Some("W:WK1,22:BK32,9")).unwrap();
        let rows = diagram(&position);
        assert_eq!(rows[0], " W . . .");
        assert_eq!(rows[2], " b . . .");
        assert_eq!(rows[5], ". w . . ");
        assert_eq!((rows.len(), rows[7].as_str()), (8, ". . . B "));
        let text = board_text(&position);
        assert!(
            text.starts_with("  1 |   W   .   .   . | 4\n  5 | .   .   .   .   | 8\n"),
            "{text}"
        );
        assert!(text.ends_with("\nwhite to move"), "{text}");
        let text = board_text(&Position::start(Variant::Russian));
        assert!(text.starts_with(" b8 |   b   b   b   b | h8\n"), "{text}");
    }

    #[test]
    fn mistakes_are_explained() {
        let variant = Variant::ALL[0];
        let error = position(variant, Some("W:W99:B1")).unwrap_err().to_string();
        assert!(
            error.contains("\"W:W99:B1\"") && error.contains("1 to 32"),
            "{error}"
        );
        let error = read_pdn("1. 11-15 *", None).err().unwrap().to_string();
        assert!(error.contains("GameType"), "{error}");
        assert_eq!(read_pdn("1. 11-15 *", Some(variant)).unwrap()[0].plies(), 1);
        let error = read_pdn("1. 11-15 11-15 *", Some(variant)).err().unwrap();
        assert!(error.to_string().contains("ply 2"), "{error}");
        let mut game = Game::new(Position::start(variant));
        assert!(
            play(&mut game, "1-5")
                .unwrap_err()
                .to_string()
                .contains("not a legal move")
        );
        assert_eq!((game.plies(), status(game.outcome())), (0, "ongoing"));
    }
}
