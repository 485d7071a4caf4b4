//! One thread of a match: steps several pairs of games together, a batch of questions to a side at
//! a time.

use engine::{Choice, Player, Turn};

use super::game::{LiveGame, MatchGame};
use super::{Entrant, Shared};
use crate::error::EvalError;
use crate::seed;

/// A finished pair.
pub(super) struct PairDone {
    pub(super) pair: usize,
    pub(super) games: [MatchGame; 2],
}

/// A pair in progress.
struct LivePair {
    pair: usize,
    games: [LiveGame; 2],
}

impl LivePair {
    fn is_over(&self) -> bool {
        self.games.iter().all(|game| game.outcome.is_some())
    }
}

pub(super) struct Worker<'a> {
    sides: [&'a Entrant<'a>; 2],
    players: [Box<dyn Player>; 2],
    shared: &'a Shared<'a>,
    live: Vec<LivePair>,
    choices: Vec<Choice>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        sides: [&'a Entrant<'a>; 2],
        players: [Box<dyn Player>; 2],
        shared: &'a Shared<'a>,
    ) -> Self {
        Self {
            sides,
            players,
            shared,
            live: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Plays pairs until none is left, the match is over, or `send` finds nobody who listens.
    pub(super) fn run(&mut self, send: &mut dyn FnMut(PairDone) -> bool) -> Result<(), EvalError> {
        while !self.shared.is_over() {
            self.refill();
            if self.live.is_empty() {
                break;
            }
            for side in 0..2 {
                self.ask(side)?;
            }
            for done in self.take_finished() {
                if !send(done) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn refill(&mut self) {
        while self.live.len() < self.shared.arena.pairs_at_once.max(1) {
            let Some(pair) = self.shared.take_pair() else {
                return;
            };
            let opening = &self.shared.openings[pair];
            let games = [false, true].map(|swapped| LiveGame::new(opening, swapped));
            self.live.push(LivePair { pair, games });
        }
    }

    /// Asks a side about all games where it is to move, and plays its answers.
    fn ask(&mut self, side: usize) -> Result<(), EvalError> {
        let to_move = |game: &LiveGame| game.side_to_move() == Some(side);
        let mut turns = Vec::new();
        for live in &self.live {
            for game in live.games.iter().filter(|game| to_move(game)) {
                let path = [
                    (self.shared.arena.first_pair + live.pair) as u64,
                    game.swapped.into(),
                    game.game.plies().into(),
                ];
                let seed = seed::derive(self.shared.arena.seed, &path);
                turns.push(Turn {
                    game: &game.game,
                    seed,
                });
            }
        }
        if turns.is_empty() {
            return Ok(());
        }
        self.players[side].choose(&turns, &mut self.choices)?;
        let name = &self.sides[side].name;
        if self.choices.len() != turns.len() {
            return Err(EvalError::WrongNumberOfChoices {
                player: name.clone(),
                turns: turns.len(),
                choices: self.choices.len(),
            });
        }
        let games = self.live.iter_mut().flat_map(|live| &mut live.games);
        for (game, choice) in games.filter(|game| to_move(game)).zip(&self.choices) {
            if !game.game.legal_moves().contains(&choice.mv) {
                return Err(EvalError::IllegalMove {
                    player: name.clone(),
                    mv: choice.mv,
                    fen: game.game.position().to_fen(),
                });
            }
            game.play(choice.mv, choice.value);
        }
        Ok(())
    }

    /// Takes out the pairs whose games are both over.
    fn take_finished(&mut self) -> Vec<PairDone> {
        let (openings, first_pair) = (self.shared.openings, self.shared.arena.first_pair);
        let finished = self.live.extract_if(.., |live| live.is_over());
        finished
            .filter_map(
                |LivePair {
                     pair,
                     games: [first, second],
                 }| {
                    let record =
                        |game: LiveGame| game.into_record(first_pair + pair, &openings[pair]);
                    Some(PairDone {
                        pair,
                        games: [record(first)?, record(second)?],
                    })
                },
            )
            .collect()
    }
}
