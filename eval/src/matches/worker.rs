//! One thread of a match: advances several pairs of games together, one batch of requests to a side
//! at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use engine::{Choice, Fault, Player, PlayerError, Turn};
use rules::Game;

use super::arena::{Arena, OpenPairs};
use super::clock::Meter;
use super::game::{GameTerms, LiveGame, MatchGame};
use super::player_factory::PlayerFactory;
use crate::error::EvalError;

/// The state that the threads of a match share.
pub(super) struct MatchState<'a> {
    pub(super) open: OpenPairs<'a>,
    /// Set when no more pairs are needed.
    pub(super) done: AtomicBool,
    pub(super) next_pair: AtomicUsize,
}

impl MatchState<'_> {
    fn is_over(&self) -> bool {
        self.open.arena.stop.load(Ordering::Relaxed) || self.done.load(Ordering::Relaxed)
    }

    /// The number of the next pair to play.
    fn take_pair(&self) -> Option<usize> {
        loop {
            let pair = self.next_pair.fetch_add(1, Ordering::Relaxed);
            if !self.open.known.contains(&pair) {
                return (pair < self.open.openings.len()).then_some(pair);
            }
        }
    }
}

/// One thread: sends pairs until none is left, or the error that ended it.
pub(super) fn work(shared: &MatchState<'_>, sender: &mpsc::Sender<Result<PairDone, EvalError>>) {
    let run = || -> Result<(), EvalError> {
        let [first, second] = shared.open.sides;
        let mut worker = Worker {
            players: [first.create()?, second.create()?],
            shared,
            live: Vec::new(),
            choices: Vec::new(),
        };
        worker.run(&mut |pair| sender.send(Ok(pair)).is_ok())
    };
    if let Err(error) = run() {
        // The receiver is gone only if the match is over.
        let _ = sender.send(Err(error));
    }
}

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

struct Worker<'a> {
    players: [Box<dyn Player>; 2],
    shared: &'a MatchState<'a>,
    live: Vec<LivePair>,
    choices: Vec<Choice>,
}

impl Worker<'_> {
    /// Plays pairs until none is left, the match is over, or `send` returns false.
    fn run(&mut self, send: &mut dyn FnMut(PairDone) -> bool) -> Result<(), EvalError> {
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
        let at_once = if self.plays_one_game() {
            1
        } else {
            self.shared.open.arena.pairs_at_once.max(1)
        };
        while self.live.len() < at_once {
            let Some(pair) = self.shared.take_pair() else {
                return;
            };
            let opening = &self.shared.open.openings[pair];
            let games = [false, true].map(|swapped| {
                let terms = GameTerms {
                    clocks: self.shared.open.sides.map(PlayerFactory::clock_of_game),
                    adjudication: self.shared.open.arena.adjudication,
                    is_audited: self.is_audited(pair, swapped),
                };
                LiveGame::new(opening, swapped, terms)
            });
            self.live.push(LivePair { pair, games });
        }
    }

    fn is_audited(&self, pair: usize, swapped: bool) -> bool {
        let Arena {
            seed,
            first_pair,
            adjudication,
            ..
        } = *self.shared.open.arena;
        let resign = adjudication.resign;
        resign.is_some_and(|resign| resign.audits(seed, first_pair + pair, swapped))
    }

    /// True if a side has a clock, or can play only one game at a time.
    fn plays_one_game(&self) -> bool {
        let mut sides = self.shared.open.sides.iter();
        sides.any(|side| side.time.is_some() || side.is_single)
    }

    /// Requests choices from a side for the games where it is to move, and plays them: all games,
    /// or the first unfinished one if a side plays one at a time.
    fn ask(&mut self, side: usize) -> Result<(), EvalError> {
        let (seed, first_pair) = (
            self.shared.open.arena.seed,
            self.shared.open.arena.first_pair,
        );
        let n_games = if self.plays_one_game() { 1 } else { usize::MAX };
        let games = self.live.iter_mut().flat_map(|live| {
            let pair = live.pair;
            live.games.iter_mut().map(move |game| (pair, game))
        });
        let mut asked: Vec<_> = games
            .filter(|(_, game)| game.outcome.is_none())
            .take(n_games)
            .filter(|(_, game)| game.side_to_move() == Some(side))
            .collect();
        while !asked.is_empty() {
            let turns: Vec<_> = asked
                .iter()
                .map(|(pair, game)| game.turn(side, first_pair + *pair, seed))
                .collect();
            let PlayerFactory {
                clock, computes, ..
            } = self.shared.open.sides[side];
            let meter = Meter::start(clock.kind, *computes, &*self.players[side]);
            let chosen = choose(
                &mut self.players[side],
                &turns,
                &mut self.choices,
                self.shared.open.arena.stop,
            );
            let fault = match chosen {
                // The games that are not over are left out.
                Err(EvalError::Player(PlayerError::Stopped)) => return Ok(()),
                chosen => chosen?,
            };
            let used = meter.elapsed(&*self.players[side]);
            let n_decided = self.choices.len() + usize::from(fault.is_some());
            let mut decided = asked.drain(..n_decided);
            // The choices belong to the games before the forfeited one.
            for (choice, (_, game)) in self.choices.iter().zip(decided.by_ref()) {
                check_legal(&self.shared.open.sides[side].name, &game.game, choice)?;
                game.play(side, choice, used);
            }
            for ((_, game), fault) in decided.zip(fault) {
                game.forfeit(fault);
            }
        }
        Ok(())
    }

    /// Removes the pairs whose games are both over.
    fn take_finished(&mut self) -> Vec<PairDone> {
        let (openings, first_pair) = (self.shared.open.openings, self.shared.open.arena.first_pair);
        let finished = self.live.extract_if(.., |live| live.is_over());
        let done = |LivePair { pair, games }| {
            let record = |game: LiveGame| game.into_record(first_pair + pair, &openings[pair]);
            let [first, second] = games.map(record);
            let games = [first?, second?];
            Some(PairDone { pair, games })
        };
        finished.filter_map(done).collect()
    }
}

/// Requests choices from a player. Returns the fault if it forfeits the first game without a
/// choice.
fn choose(
    player: &mut Box<dyn Player>,
    turns: &[Turn<'_>],
    choices: &mut Vec<Choice>,
    stop: &AtomicBool,
) -> Result<Option<Fault>, EvalError> {
    let fault = match player.choose_until(turns, choices, stop) {
        Ok(()) => None,
        Err(PlayerError::Forfeit { fault, .. }) => Some(fault),
        Err(error) => return Err(error.into()),
    };
    let n_decided = choices.len() + usize::from(fault.is_some());
    if n_decided > turns.len() || fault.is_none() && n_decided < turns.len() {
        return Err(EvalError::WrongNumberOfChoices {
            player: player.name().to_owned(),
            turns: turns.len(),
            choices: choices.len(),
        });
    }
    Ok(fault)
}

/// An illegal move of a built-in player is a bug that makes all games worthless.
fn check_legal(player: &str, game: &Game, choice: &Choice) -> Result<(), EvalError> {
    if game.legal_moves().contains(&choice.mv) {
        return Ok(());
    }
    Err(EvalError::IllegalMove {
        player: player.to_owned(),
        mv: choice.mv,
        fen: game.position().to_fen(),
    })
}
