//! One thread of a match: advances several pairs of games together, one batch of requests to a side
//! at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use engine::{Choice, Fault, Player, PlayerError, Turn};
use rules::Game;

use super::arena::OpenPairs;
use super::clock::Meter;
use super::game::{LiveGame, MatchGame};
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
pub(super) fn work(shared: &MatchState<'_>, sender: &mpsc::Sender<PlayedPair>) {
    let run = || -> Result<(), EvalError> {
        let [first, second] = shared.open.sides;
        let mut worker = Worker {
            players: [first.create()?, second.create()?],
            shared,
            live: Vec::new(),
            choices: Vec::new(),
        };
        worker.run(sender)
    };
    if let Err(error) = run() {
        // The receiver is gone only if the match is over.
        let _ = sender.send(Err(error));
    }
}

/// The games of a pair, or the error that ended a thread.
type PlayedPair = Result<[MatchGame; 2], EvalError>;

struct Worker<'a> {
    players: [Box<dyn Player>; 2],
    shared: &'a MatchState<'a>,
    /// Pairs in progress.
    live: Vec<[LiveGame<'a>; 2]>,
    choices: Vec<Choice>,
}

impl Worker<'_> {
    /// Plays pairs until none is left, the match is over, or the receiver is gone.
    fn run(&mut self, sender: &mpsc::Sender<PlayedPair>) -> Result<(), EvalError> {
        while !self.shared.is_over() {
            self.refill();
            if self.live.is_empty() {
                break;
            }
            for side in 0..2 {
                self.ask(side)?;
            }
            for pair in self.take_finished() {
                if sender.send(Ok(pair)).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn refill(&mut self) {
        let OpenPairs {
            sides,
            openings,
            arena,
            ..
        } = self.shared.open;
        let at_once = match self.plays_one_game() {
            true => 1,
            false => arena.pairs_at_once.max(1),
        };
        while self.live.len() < at_once {
            let Some(index) = self.shared.take_pair() else {
                return;
            };
            let pair = arena.first_pair + index;
            let clocks = sides.map(PlayerFactory::clock_of_game);
            let game = |swapped| LiveGame::new(arena, &openings[index], pair, swapped, clocks);
            self.live.push([false, true].map(game));
        }
    }

    /// True if a side has a clock, or can play only one game at a time.
    fn plays_one_game(&self) -> bool {
        let mut sides = self.shared.open.sides.iter();
        sides.any(|side| side.time.is_some() || side.is_single)
    }

    /// Requests choices from a side for the games where it is to move, and plays them: all games,
    /// or the first unfinished one if a side plays one at a time.
    fn ask(&mut self, side: usize) -> Result<(), EvalError> {
        let n_games = if self.plays_one_game() { 1 } else { usize::MAX };
        let games = self.live.iter_mut().flatten();
        let mut asked: Vec<_> = games
            .filter(|game| game.outcome.is_none())
            .take(n_games)
            .filter(|game| game.side_to_move() == Some(side))
            .collect();
        let OpenPairs { sides, arena, .. } = self.shared.open;
        let (factory, player) = (sides[side], &mut self.players[side]);
        while !asked.is_empty() {
            let turns: Vec<_> = asked.iter().map(|game| game.turn(side)).collect();
            let meter = Meter::start(factory.clock.kind, factory.computes, &**player);
            let chosen = choose(player, &turns, &mut self.choices, arena.stop);
            let fault = match chosen {
                // The games that are not over are left out.
                Err(EvalError::Player(PlayerError::Stopped)) => return Ok(()),
                chosen => chosen?,
            };
            let used = meter.elapsed(&**player);
            let n_decided = self.choices.len() + usize::from(fault.is_some());
            let mut decided = asked.drain(..n_decided);
            // The choices belong to the games before the forfeited one.
            for (choice, game) in self.choices.iter().zip(decided.by_ref()) {
                check_legal(&factory.name, &game.game, choice)?;
                game.play(side, choice, used);
            }
            for (game, fault) in decided.zip(fault) {
                game.forfeit(fault);
            }
        }
        Ok(())
    }

    /// Removes the pairs whose games are both over.
    fn take_finished(&mut self) -> Vec<[MatchGame; 2]> {
        let is_over = |pair: &mut [LiveGame<'_>; 2]| pair.iter().all(|game| game.outcome.is_some());
        let finished = self.live.extract_if(.., is_over);
        let records = finished.filter_map(|pair| {
            let [first, second] = pair.map(LiveGame::into_record);
            Some([first?, second?])
        });
        records.collect()
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
