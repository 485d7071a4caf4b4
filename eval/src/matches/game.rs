//! One game of a match, in progress and as a record.

use std::time::Duration;

use engine::{Choice, Clock, Fault, Turn};
use rules::{Color, DrawReason, Game, Move, Outcome, WinReason};
use types::Wdl;

use super::arena::Arena;
use crate::adjudication::{Expectations, Resign, Resignation, Ruling};
use crate::openings::Opening;

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchGame {
    /// Number of the pair in the match.
    pub pair: usize,
    /// False if side 0 made the first move, true if side 1 did.
    pub swapped: bool,
    /// Start position and first moves.
    pub opening: Opening,
    /// The players' moves after the opening.
    pub moves: Vec<Move>,
    /// [move of `moves`] the evaluation of its player, for that player.
    pub values: Vec<Option<Wdl>>,
    /// The result.
    pub outcome: Outcome,
    /// The reason why the loser forfeited the game, if it was not lost on the board.
    pub fault: Option<Fault>,
    /// The first resignation, carried out or only recorded.
    pub resignation: Option<Resignation>,
    /// True if the same game occurred earlier in the match, with the same side moving first.
    pub duplicate: bool,
}

impl MatchGame {
    /// The opening's moves, followed by the players'.
    pub fn all_moves(&self) -> impl Iterator<Item = Move> {
        self.opening.moves.iter().chain(&self.moves).copied()
    }

    /// The color of side 0 or 1.
    pub fn color(&self, side: usize) -> Color {
        let first = self.opening.start.turn();
        if (side == 1) == self.swapped {
            first
        } else {
            !first
        }
    }

    /// Half points of side 0.
    pub fn half_points(&self) -> u32 {
        self.outcome.half_points(self.color(0))
    }
}

/// A game in progress.
pub(super) struct LiveGame<'a> {
    pub(super) game: Game,
    pub(super) outcome: Option<Outcome>,
    arena: &'a Arena<'a>,
    opening: &'a Opening,
    pair: usize,
    swapped: bool,
    /// [side] its clock, if it has one.
    clocks: [Option<Clock>; 2],
    moves: Vec<Move>,
    values: Vec<Option<Wdl>>,
    fault: Option<Fault>,
    expectations: Expectations,
    resignation: Option<Resignation>,
}

impl<'a> LiveGame<'a> {
    /// A game of pair number `pair`, from its opening.
    pub(super) fn new(
        arena: &'a Arena<'a>,
        opening: &'a Opening,
        pair: usize,
        swapped: bool,
        clocks: [Option<Clock>; 2],
    ) -> Self {
        let game = opening.game();
        Self {
            outcome: game.outcome(),
            game,
            arena,
            opening,
            pair,
            swapped,
            clocks,
            moves: Vec::new(),
            values: Vec::new(),
            fault: None,
            expectations: Expectations::default(),
            resignation: None,
        }
    }

    /// The request to the side to move.
    pub(super) fn turn(&self, side: usize) -> Turn<'_> {
        let (pair, plies) = (self.pair as u64, self.game.plies().into());
        let path = [pair, self.swapped.into(), plies];
        Turn {
            game: &self.game,
            seed: self.arena.seed.derive("turn", &path),
            time: self.clocks[side].map(|clock| clock.time_left(&self.game)),
        }
    }

    /// The side to move, 0 or 1; `None` when the game is over.
    pub(super) fn side_to_move(&self) -> Option<usize> {
        let first_moves = self.game.position().turn() == self.opening.start.turn();
        self.outcome
            .is_none()
            .then_some(usize::from(first_moves == self.swapped))
    }

    /// Plays a legal move for which `side` used this much time, unless its time is up.
    pub(super) fn play(&mut self, side: usize, choice: &Choice, used: Duration) {
        if let Some(clock) = &mut self.clocks[side] {
            let limit = clock.time_left(&self.game).limit();
            if !clock.spend(&self.game, used) {
                return self.forfeit(Fault::OutOfTime { used, limit });
            }
        }
        let mover = self.game.position().turn();
        self.game.play(choice.mv);
        self.moves.push(choice.mv);
        self.values.push(choice.value);
        let value = choice.value.map(Wdl::value);
        let (terms, plies) = (&self.arena.adjudication, self.game.plies());
        let ruling = self.expectations.update(terms, side, value, plies);
        self.outcome = self
            .game
            .outcome()
            .or_else(|| self.adjudicate(mover, ruling));
    }

    /// The outcome if the side that moved resigns, or both sides agree.
    fn adjudicate(&mut self, mover: Color, ruling: Ruling) -> Option<Outcome> {
        match ruling {
            Ruling::PlayOn => None,
            Ruling::Draw => Some(Outcome::Draw(DrawReason::Agreed)),
            Ruling::Resign => {
                let Arena {
                    seed, adjudication, ..
                } = self.arena;
                let audits = |resign: Resign| resign.audits(*seed, self.pair, self.swapped);
                let audited = adjudication.resign.is_some_and(audits);
                self.resignation.get_or_insert(Resignation {
                    color: mover,
                    ply: self.game.plies(),
                    audited,
                });
                (!audited).then_some(Outcome::Win(!mover, WinReason::Resigned))
            }
        }
    }

    /// Records that the side to move has lost by forfeit.
    pub(super) fn forfeit(&mut self, fault: Fault) {
        let winner = !self.game.position().turn();
        self.outcome = Some(Outcome::Win(winner, WinReason::Forfeit));
        self.fault = Some(fault);
    }

    /// The record, once there is an outcome.
    pub(super) fn into_record(self) -> Option<MatchGame> {
        Some(MatchGame {
            pair: self.pair,
            swapped: self.swapped,
            opening: self.opening.clone(),
            moves: self.moves,
            values: self.values,
            outcome: self.outcome?,
            fault: self.fault,
            resignation: self.resignation,
            duplicate: false,
        })
    }
}
