//! Conversion of the words of a game to positions and legal moves.

use super::game::{PdnGame, PdnSetup};
use super::{PdnError, kind};
use crate::fen::undressed;
use crate::{Color, FenError, Goal, Move, MoveTextError, Notation, Position, Variant};

/// A game as far as its moves could be played.
#[derive(Debug)]
pub struct PlayedGame {
    /// The position before the first move, or the last one set up between moves.
    pub start: Position,
    /// The moves from there.
    pub moves: Vec<Move>,
    /// The index of the first of them in [`PdnGame::moves`]: above 0 if a position was set up.
    pub first: usize,
    /// The fault of the next move, if any.
    pub fault: Option<PdnError>,
}

/// The maximum number of readings kept for ambiguous captures.
const MAX_READINGS: usize = 64;

impl PdnGame {
    /// The variant of the game, `usual` if no tag names one. Without either it is determined from
    /// the moves.
    ///
    /// # Errors
    /// When the tags name an unsupported game, or the moves fit none or several.
    pub fn variant_or(&self, usual: Option<Variant>) -> Result<Variant, PdnError> {
        if let Some(variant) = self.stated_variant()?.or(usual) {
            return Ok(variant);
        }
        match self.fitting_variants().as_slice() {
            [only] => Ok(*only),
            fits => Err(PdnError::NoVariant {
                line: self.line,
                fits: fits.to_vec(),
            }),
        }
    }

    /// Like [`PdnGame::variant_or`], for games that name their variant.
    ///
    /// # Errors
    /// As for [`PdnGame::variant_or`].
    pub fn variant(&self) -> Result<Variant, PdnError> {
        self.variant_or(None)
    }

    /// The variants in which all moves are legal; none for a game without moves. Variants that
    /// differ from another one only in the way to win are never assumed: tags must name them.
    pub fn fitting_variants(&self) -> Vec<Variant> {
        let fits = |variant: &Variant| {
            let played = self.play(*variant);
            played.is_ok_and(|played| played.fault.is_none() && !played.moves.is_empty())
        };
        let usual = Variant::GAMES
            .into_iter()
            .filter(|variant| variant.rules().goal == Goal::Win);
        usual.filter(fits).collect()
    }

    /// The position before the first move: from the `FEN` tag, else the start position.
    ///
    /// # Errors
    /// When the FEN is invalid.
    pub fn start(&self, variant: Variant) -> Result<Position, PdnError> {
        if let Some(fen) = self.fen() {
            return self
                .position(variant, fen, 0)
                .map_err(|source| PdnError::Fen {
                    line: self.line,
                    source,
                });
        }
        let start = Position::start(variant);
        let begins = |position: &Position| {
            let text = &self.moves.first()?.text;
            position.moves_meant(text, Color::White).ok()?;
            Some(position.turn())
        };
        let turned = start.turned();
        let first = match kind::either_begins(variant) {
            true => begins(&start)
                .or_else(|| begins(&turned))
                .or_else(|| self.stated_first_player()),
            false => self.stated_first_player(),
        };
        Ok(if first == Some(turned.turn()) {
            turned
        } else {
            start
        })
    }

    /// A position whose side to move may be `?`: the side that makes the move at `next`.
    fn position(&self, variant: Variant, fen: &str, next: usize) -> Result<Position, FenError> {
        let Some(rest) = undressed(fen).strip_prefix('?') else {
            return Position::from_problem(variant, fen);
        };
        let white = Position::from_problem(variant, &format!("W{rest}"))?;
        let black = Position::from_problem(variant, &format!("B{rest}"))?;
        let moves = |position: &Position| {
            let text = &self.moves.get(next)?.text;
            Some(position.moves_meant(text, Color::White).is_ok())
        };
        match (moves(&white), moves(&black)) {
            (Some(true), Some(false)) => Ok(white),
            (Some(false), Some(true)) => Ok(black),
            _ => Err(FenError::Turn {
                found: "?".to_owned(),
            }),
        }
    }

    /// Plays the moves, up to the first invalid one.
    ///
    /// An ambiguous capture is resolved by the legality of the later moves.
    ///
    /// # Errors
    /// When the start position is invalid.
    pub fn play(&self, variant: Variant) -> Result<PlayedGame, PdnError> {
        let played = self.play_in(variant, Color::White)?;
        // Where Black begins, some sources name squares from its side. The first move decides.
        let is_algebraic = variant.rules().notation == Notation::Numbers
            && played.start.turn() == Color::Black
            && self
                .moves
                .first()
                .is_some_and(|mv| mv.text.starts_with(char::is_alphabetic));
        if is_algebraic && played.fault.is_some() && played.moves.is_empty() {
            let other = self.play_in(variant, Color::Black)?;
            if other.fault.is_none() || !other.moves.is_empty() {
                return Ok(other);
            }
        }
        Ok(played)
    }

    fn play_in(&self, variant: Variant, side: Color) -> Result<PlayedGame, PdnError> {
        let mut readings = Readings::new(self.start(variant)?);
        let fault = self.play_all(&mut readings, side).err();
        Ok(readings.stopped(fault))
    }

    fn play_all(&self, readings: &mut Readings, side: Color) -> Result<(), PdnError> {
        let fault = |at: usize, source| PdnError::Move {
            line: self.moves[at].line,
            ply: at + 1,
            source,
        };
        for (at, mv) in self.moves.iter().enumerate() {
            if let Some(setup) = &mv.setup {
                self.set_up(readings, setup, at)?;
            }
            let played = readings.play(&mv.text, side);
            played.map_err(|source| fault(at, source))?;
        }
        if let Some(setup) = &self.setup {
            self.set_up(readings, setup, self.moves.len())?;
        }
        let Some(open) = readings.open_at() else {
            return Ok(());
        };
        let at = readings.first + open;
        Err(fault(at, readings.ambiguity(open, &self.moves[at].text)))
    }

    fn set_up(
        &self,
        readings: &mut Readings,
        setup: &PdnSetup,
        next: usize,
    ) -> Result<(), PdnError> {
        let current = readings.open[0].position;
        let error = |source| PdnError::Setup {
            line: setup.line,
            text: setup.text.clone(),
            source,
        };
        let text = undressed(&setup.text);
        // `B::` is a null move: the side to move changes, the pieces stay.
        let position = match text.split_once(':') {
            Some((turn, rest)) if rest.chars().all(|c| matches!(c, ':' | '.')) => {
                let fen = current.to_fen();
                let pieces = fen.split_once(':').map_or("", |(_, pieces)| pieces);
                Position::from_fen(current.variant(), &format!("{turn}:{pieces}"))
            }
            _ => self.position(current.variant(), text, next),
        };
        let position = position.map_err(error)?;
        let is_there = |reading: &Reading| {
            let there = reading.position;
            there.turn() == position.turn()
                && there.all_kings() == position.all_kings()
                && Color::ALL
                    .iter()
                    .all(|side| there.pieces(*side) == position.pieces(*side))
        };
        if readings.open.iter().any(is_there) {
            readings.open.retain(is_there);
        } else {
            *readings = Readings::new(position);
            readings.first = next;
        }
        Ok(())
    }

    /// The start position and the moves, all checked for legality.
    ///
    /// # Errors
    /// The first fault.
    pub fn replay(&self, variant: Variant) -> Result<(Position, Vec<Move>), PdnError> {
        let played = self.play(variant)?;
        match played.fault {
            Some(fault) => Err(fault),
            None => Ok((played.start, played.moves)),
        }
    }
}

/// The possible readings of the moves so far: one, unless a capture was ambiguous.
struct Readings {
    start: Position,
    first: usize,
    open: Vec<Reading>,
}

#[derive(Clone)]
struct Reading {
    position: Position,
    moves: Vec<Move>,
}

impl Readings {
    fn new(start: Position) -> Readings {
        let moves = Vec::new();
        Readings {
            start,
            first: 0,
            open: vec![Reading {
                position: start,
                moves,
            }],
        }
    }

    /// Plays a move in every reading in which it is legal. If there is none, nothing changes.
    fn play(&mut self, text: &str, side: Color) -> Result<(), MoveTextError> {
        if let [reading] = &mut self.open[..]
            && let [mv] = reading.position.moves_meant(text, side)?[..]
        {
            reading.add(mv);
            return Ok(());
        }
        let mut next = Vec::new();
        let mut error = None;
        for reading in &self.open {
            match reading.position.moves_meant(text, side) {
                Err(wrong) => error = error.or(Some(wrong)),
                Ok(moves) => next.extend(moves.into_iter().map(|mv| {
                    let mut reading = reading.clone();
                    reading.add(mv);
                    reading
                })),
            }
        }
        match error {
            Some(error) if next.is_empty() => return Err(error),
            _ if next.len() > MAX_READINGS => return Err(self.open[0].ambiguity(text, side)),
            _ => self.open = next,
        }
        Ok(())
    }

    /// The first move in which the readings differ.
    fn open_at(&self) -> Option<usize> {
        let [first, others @ ..] = &self.open[..] else {
            return None;
        };
        let at = |other: &Reading| {
            let pairs = first.moves.iter().zip(&other.moves);
            pairs.take_while(|(a, b)| a == b).count()
        };
        others.iter().map(at).min()
    }

    fn ambiguity(&self, at: usize, text: &str) -> MoveTextError {
        let mut position = self.start;
        for mv in &self.open[0].moves[..at] {
            position = position.play(*mv);
        }
        let mut moves: Vec<Move> = self.open.iter().map(|reading| reading.moves[at]).collect();
        moves.sort_unstable_by_key(|mv| (mv.from.index(), mv.to.index(), mv.captured.0));
        moves.dedup();
        position.ambiguity(text, &moves)
    }

    /// The moves common to all readings.
    fn stopped(mut self, fault: Option<PdnError>) -> PlayedGame {
        let shared = self.open_at();
        let mut moves = self.open.swap_remove(0).moves;
        if let Some(shared) = shared {
            moves.truncate(shared);
        }
        PlayedGame {
            start: self.start,
            moves,
            first: self.first,
            fault,
        }
    }
}

impl Reading {
    fn add(&mut self, mv: Move) {
        self.position = self.position.play(mv);
        self.moves.push(mv);
    }

    fn ambiguity(&self, text: &str, side: Color) -> MoveTextError {
        match self.position.moves_meant(text, side) {
            Ok(moves) => self.position.ambiguity(text, &moves),
            Err(error) => error,
        }
    }
}
