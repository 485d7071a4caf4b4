//! Reads and writes games and positions as text.

use rules::pdn::{PdnError, PdnRecord, PdnResult, ReadGame};
use rules::{Game, Move, Outcome, Position, Square, Variant, WinReason};
use serde::Serialize;

use crate::Error;

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
    texts(game.start(), game.moves())
}

/// A sequence of moves from a position in notation.
pub fn texts(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = *position;
    let write = |mv: &Move| {
        let text = position.move_text(*mv);
        position = position.play(*mv);
        text
    };
    moves.iter().map(write).collect()
}

/// A game of a text, with all that the text says about it.
pub struct GameInText {
    /// The game, if its start position is known: of one with a fault, the moves before it.
    pub game: Option<Game>,
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// `white`, `black` or `draw`, or `ongoing` if the text does not say who won.
    pub result: &'static str,
    /// [move of `game`] the comments after it.
    pub comments: Vec<String>,
    /// [move of `game`] the commands in its comments, such as `clk` with a time.
    pub data: Vec<Vec<(String, String)>>,
    /// Its first line, from 1.
    pub line: usize,
    /// The fault in it.
    pub fault: Option<Error>,
}

/// The games of a PDN text, good and bad. Those without a tag that names one are games of `usual`;
/// without it their moves must tell.
pub fn read_pdn_games(text: &str, usual: Option<Variant>) -> Vec<GameInText> {
    let games = rules::pdn::read_games(text, usual).into_iter();
    games.map(GameInText::new).collect()
}

impl GameInText {
    fn new(read: ReadGame) -> GameInText {
        let result = match read.game.result() {
            PdnResult::Won(color) => status(Some(Outcome::Win(color, WinReason::Forfeit))),
            PdnResult::Drawn => "draw",
            PdnResult::Open => "ongoing",
        };
        let ReadGame {
            game: words,
            played,
            fault,
            ..
        } = read;
        let n_moves = played.as_ref().map_or(0, |played| played.moves.len());
        let first = played.as_ref().map_or(0, |played| played.first);
        let moves = words.moves.into_iter().skip(first).take(n_moves);
        let (comments, data) = moves.map(|mv| (mv.comment, mv.data)).unzip();
        GameInText {
            game: played.map(|played| {
                let mut game = Game::new(played.start);
                played.moves.into_iter().for_each(|mv| game.play(mv));
                game
            }),
            tags: words.tags,
            result,
            comments,
            data,
            line: words.line,
            fault: fault.map(Error::from),
        }
    }

    /// The whole game.
    ///
    /// # Errors
    /// The fault in it.
    pub fn whole(self) -> Result<Game, Error> {
        match (self.fault, self.game) {
            (None, Some(game)) => Ok(game),
            (Some(fault), _) => Err(fault),
            (None, None) => Err(Error::Pdn(PdnError::NoVariant {
                line: self.line,
                fits: Vec::new(),
            })),
        }
    }
}

/// [`read_pdn_games`] for texts without faults.
///
/// # Errors
/// The first error, with its line.
pub fn read_pdn(text: &str, usual: Option<Variant>) -> Result<Vec<Game>, Error> {
    let games = read_pdn_games(text, usual).into_iter();
    games.map(GameInText::whole).collect()
}

/// A game as PDN, with these tags and the derived ones.
pub fn write_pdn(game: &Game, tags: &[(&str, &str)]) -> String {
    let record = PdnRecord {
        tags,
        start: game.start(),
        moves: game.moves(),
        comments: &[],
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
