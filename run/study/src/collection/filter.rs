//! Filters of collections.

use std::ops::RangeInclusive;

use analyst::SourceGame;
use rules::pdn::{PdnGame, PdnResult};
use rules::{Color, MoveTextError, Position, Variant};

use run::RequestError;

/// Conditions that all hold for a game.
#[derive(Clone, Debug)]
pub struct GameFilter {
    /// A part of the name of one of the players, in any case.
    pub player: Option<String>,
    /// The result.
    pub result: Option<PdnResult>,
    /// The game that is played.
    pub variant: Option<Variant>,
    /// Its first moves.
    pub opening: Vec<String>,
    /// A position that is reached, by FEN.
    pub fen: Option<String>,
    /// True if the position with colors swapped counts too.
    pub is_swapped: bool,
    /// Its plies.
    pub plies: RangeInclusive<usize>,
}

impl GameFilter {
    /// Refuses moves and a position of no game.
    pub(super) fn check(&self) -> Result<(), RequestError> {
        let only = self.variant.map(|game| vec![game]);
        let games = only.unwrap_or(Variant::ALL.to_vec());
        self.check_opening(&games)?;
        let Some(fen) = &self.fen else {
            return Ok(());
        };
        let mut games = games.into_iter();
        let first = games.next().map(|game| Position::from_fen(game, fen));
        match first {
            Some(Err(error)) if games.all(|game| Position::from_fen(game, fen).is_err()) => Err(
                RequestError(format!("cannot read the FEN {fen:?}: {error}")),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses text that is not a move of any game. Legality depends on the start of a game.
    fn check_opening(&self, games: &[Variant]) -> Result<(), RequestError> {
        for text in &self.opening {
            let is_move = |game: &Variant| {
                use MoveTextError::{OffBoard, Syntax};
                let read = Position::start(*game).parse_move(text);
                !matches!(read, Err(Syntax { .. } | OffBoard { .. }))
            };
            if let Some(first) = games.first()
                && let Err(error) = Position::start(*first).parse_move(text)
                && !games.iter().any(is_move)
            {
                return Err(RequestError(format!("cannot read the opening: {error}")));
            }
        }
        Ok(())
    }

    /// Returns `true` if the tags, the result and the length fit. Reads no move.
    pub(super) fn fits_text(&self, text: &PdnGame) -> bool {
        let is_named = |name: &String| {
            let name = name.to_lowercase();
            let mut players = ["White", "Black"]
                .into_iter()
                .filter_map(|tag| text.tag(tag));
            players.any(|player| player.to_lowercase().contains(&name))
        };
        self.player.as_ref().is_none_or(is_named)
            && self.result.is_none_or(|result| result == text.result())
            && self.plies.contains(&text.moves.len())
    }

    /// Returns `true` if the filter needs the moves.
    pub(super) fn needs_moves(&self) -> bool {
        self.variant.is_some() || self.fen.is_some() || !self.opening.is_empty()
    }

    /// Returns `true` if the moves fit.
    pub(super) fn fits_moves(&self, game: &SourceGame) -> bool {
        let variant = game.start.variant();
        self.variant.is_none_or(|asked| asked == variant)
            && self.has_opening(game)
            && self.fen.as_ref().is_none_or(|fen| self.reaches(game, fen))
    }

    fn has_opening(&self, game: &SourceGame) -> bool {
        let mut position = game.start;
        self.opening.len() <= game.moves.len()
            && self.opening.iter().zip(&game.moves).all(|(text, mv)| {
                let asked = position.parse_move(text);
                position = position.play(*mv);
                asked.is_ok_and(|asked| asked == *mv)
            })
    }

    fn reaches(&self, game: &SourceGame, fen: &str) -> bool {
        let Ok(asked) = Position::from_fen(game.start.variant(), fen) else {
            return false;
        };
        let turned = self.is_swapped.then(|| asked.turned());
        let is_meant = |position: &Position| {
            same(position, &asked) || turned.is_some_and(|turned| same(position, &turned))
        };
        let mut position = game.start;
        is_meant(&position)
            || game.moves.iter().any(|mv| {
                position = position.play(*mv);
                is_meant(&position)
            })
    }
}

/// Returns `true` if two positions have the same pieces and the same side to move.
fn same(one: &Position, other: &Position) -> bool {
    let has_same =
        |color| one.men(color) == other.men(color) && one.kings(color) == other.kings(color);
    one.turn() == other.turn() && has_same(Color::White) && has_same(Color::Black)
}
