//! Plays the planned meetings: batches of pairs on all threads, recorded in the order of the plan.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use rules::Variant;
use types::Seed;

use super::record::{PairRecord, Tournament};
use super::schedule::Schedule;
use crate::error::EvalError;
use crate::matches::{Arena, MatchGame, PlayerFactory, play_match};
use crate::openings::{self, Opening};

/// Openings of one pairing from the variant's book; longer series reuse them with other seeds.
const MAX_OPENINGS: usize = 1000;

/// Players, schedule and openings of a tournament.
#[derive(Clone, Copy)]
pub struct TournamentSetup<'a> {
    /// The game.
    pub variant: Variant,
    /// The players from now on. Games of earlier players stay in the tournament.
    pub players: &'a [PlayerFactory<'a>],
    /// The schedule.
    pub schedule: Schedule,
    /// Openings instead of the variant's opening book, in the order in which they are played.
    pub openings: Option<&'a [Opening]>,
    /// Pairs of games per pairing.
    pub pairs: usize,
    /// The runner of the pairs, if not the threads of this process.
    pub runner: Option<&'a dyn TournamentRunner>,
}

/// Pairs of two players of a tournament, to be played one after another.
#[derive(Clone, Debug)]
pub struct PairBatch {
    /// Indices of the two players.
    pub sides: [usize; 2],
    /// Seed of all games between the two.
    pub seed: Seed,
    /// Index of the first pair among all pairs of the two.
    pub first_pair: usize,
    /// \[pair of the batch\] the start of its games.
    pub openings: Vec<Opening>,
}

impl PairBatch {
    /// Plays the batch on this thread; returns fewer games if the arena's `stop` is set.
    ///
    /// # Errors
    /// If a player fails.
    pub fn play(
        &self,
        players: &[PlayerFactory<'_>],
        arena: &Arena<'_>,
    ) -> Result<Vec<MatchGame>, EvalError> {
        let arena = Arena {
            seed: self.seed,
            threads: 1,
            first_pair: self.first_pair,
            ..*arena
        };
        let sides = self.sides.map(|side| &players[side]);
        let to_the_end = &mut |_: &_| ControlFlow::Continue(());
        Ok(play_match(sides, &self.openings, &arena, to_the_end)?.games)
    }
}

/// Plays all batches of a round.
pub trait TournamentRunner: Sync {
    /// Plays the batches, and passes the games of each to `take` with its number, in any order.
    /// Fewer if the arena's `stop` is set.
    ///
    /// # Errors
    /// If a player or the runner fails.
    fn play(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut dyn FnMut(usize, Vec<MatchGame>),
    ) -> Result<(), EvalError>;
}

/// Newly recorded games between the same two players.
#[derive(Clone, Debug)]
pub struct PlayedBatch {
    /// The players' names, side 0 first.
    pub names: [String; 2],
    /// The games, pair after pair.
    pub games: Vec<MatchGame>,
}

impl PlayedBatch {
    /// The games in PDN.
    pub fn to_pdn(&self, event: &str) -> String {
        let games = self.games.iter();
        games.map(|game| game.to_pdn(&self.names, event)).collect()
    }
}

/// Plays until the schedule is complete, the arena's `stop` is set, or `after_batch` breaks;
/// returns whether the schedule is complete. Recorded games are kept, and the same call resumes
/// from there.
///
/// Seeds come from the tournament's terms, not from the arena. `after_batch` receives the
/// tournament each time games were recorded, to save it.
///
/// # Errors
/// If a player fails. Games recorded before are kept.
pub fn play_tournament(
    tournament: &mut Tournament,
    field: &TournamentSetup<'_>,
    arena: &Arena<'_>,
    after_batch: &mut dyn FnMut(&Tournament, &PlayedBatch) -> ControlFlow<()>,
) -> Result<bool, EvalError> {
    let players = field.players.iter();
    let active: Vec<usize> = players
        .map(|player| tournament.enter(&player.name))
        .collect();
    let named_twice = (1..active.len()).find(|&place| active[..place].contains(&active[place]));
    if let Some(place) = named_twice {
        let player = field.players[place].name.clone();
        return Err(EvalError::NamedTwice { player });
    }
    tournament.drop_absent(&active);
    let seed = Seed::new(tournament.terms.seed);
    let mut book = match field.openings {
        Some(openings) => openings.to_vec(),
        None => Vec::new(),
    };
    loop {
        if tournament.pairs_open() == 0 && !field.schedule.plan(tournament, &active, field.pairs) {
            return Ok(true);
        }
        let batches = planned(tournament, &active, arena);
        let needed = batches.iter().map(|batch| batch.first_pair + batch.pairs);
        let needed = needed.max().unwrap_or_default().min(MAX_OPENINGS);
        if book.len() < needed && field.openings.is_none() {
            book = openings::sample(field.variant, needed, seed);
        }
        let round = Round {
            field,
            arena,
            book: &book,
            batches: &batches,
            next: AtomicUsize::new(0),
            done: AtomicBool::new(false),
        };
        let flow = round.play(tournament, after_batch)?;
        if flow.is_break() || tournament.pairs_open() > 0 {
            return Ok(false);
        }
    }
}

/// Pairs of a meeting.
struct PlannedBatch {
    meeting: usize,
    sides: [usize; 2],
    seed: Seed,
    first_pair: usize,
    pairs: usize,
}

impl PlannedBatch {
    fn with_openings(&self, book: &[Opening]) -> PairBatch {
        let numbers = self.first_pair..self.first_pair + self.pairs;
        let openings = numbers.filter_map(|pair| book.get(pair % book.len().max(1)));
        PairBatch {
            sides: self.sides,
            seed: self.seed,
            first_pair: self.first_pair,
            openings: openings.cloned().collect(),
        }
    }
}

/// All open pairs, divided so that every thread has work. The division does not change the games.
fn planned(tournament: &Tournament, active: &[usize], arena: &Arena<'_>) -> Vec<PlannedBatch> {
    let share = tournament.pairs_open().div_ceil(arena.threads.max(1));
    let size = share.clamp(1, arena.pairs_at_once.max(1));
    let tournament_seed = Seed::new(tournament.terms.seed);
    let mut played = tournament.pairs_by_pairing();
    let mut batches = Vec::new();
    for (number, meeting) in tournament.meetings.iter().enumerate() {
        let place = |player| active.iter().position(|&other| other == player);
        let (Some(a), Some(b)) = (place(meeting.players[0]), place(meeting.players[1])) else {
            continue;
        };
        let [first, second] = meeting.players.map(|player| &tournament.players[player]);
        let seed = tournament_seed.derive(first, &[]).derive(second, &[]);
        let next_pair = played.entry(meeting.players).or_default();
        let mut left = meeting.planned.saturating_sub(meeting.pairs.len());
        while left > 0 {
            let pairs = left.min(size);
            batches.push(PlannedBatch {
                meeting: number,
                sides: [a, b],
                seed,
                first_pair: *next_pair,
                pairs,
            });
            *next_pair += pairs;
            left -= pairs;
        }
    }
    batches
}

/// The batches of one round, and the threads' shared state.
struct Round<'a> {
    field: &'a TournamentSetup<'a>,
    arena: &'a Arena<'a>,
    book: &'a [Opening],
    batches: &'a [PlannedBatch],
    next: AtomicUsize,
    /// Set when no further batch should be started.
    done: AtomicBool,
}

/// The number of a batch and its games.
type Played = (usize, Result<Vec<MatchGame>, EvalError>);

impl Round<'_> {
    /// Plays all batches and records them.
    fn play(
        &self,
        tournament: &mut Tournament,
        after_batch: &mut dyn FnMut(&Tournament, &PlayedBatch) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, EvalError> {
        let (sender, receiver) = mpsc::channel();
        if let Some(runner) = self.field.runner {
            let batches = self.batches.iter();
            let batches: Vec<PairBatch> = batches
                .map(|batch| batch.with_openings(self.book))
                .collect();
            let take = &mut |number, games| drop(sender.send((number, Ok(games))));
            let played = runner.play(self.field.players, &batches, self.arena, take);
            drop(sender);
            let flow = self.record(&receiver, tournament, after_batch)?;
            return played.map(|()| flow);
        }
        std::thread::scope(|scope| {
            for _ in 0..self.arena.threads.clamp(1, self.batches.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(move || self.work(&sender));
            }
            drop(sender);
            let recorded = self.record(&receiver, tournament, after_batch);
            self.done.store(true, Ordering::Relaxed);
            recorded
        })
    }

    /// One thread.
    fn work(&self, sender: &mpsc::Sender<Played>) {
        while !self.done.load(Ordering::Relaxed) && !self.arena.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.batches.get(number) else {
                return;
            };
            let games = batch
                .with_openings(self.book)
                .play(self.field.players, self.arena);
            if sender.send((number, games)).is_err() {
                return;
            }
        }
    }

    /// Records batches in the order of the plan, in whatever order they arrive; complete ones that
    /// follow an interrupted one are recorded at the end.
    fn record(
        &self,
        receiver: &mpsc::Receiver<Played>,
        tournament: &mut Tournament,
        after_batch: &mut dyn FnMut(&Tournament, &PlayedBatch) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, EvalError> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut failure = None;
        let mut enter = |number, games| match self.enter(number, games, tournament) {
            Some(batch) => after_batch(tournament, &batch),
            None => ControlFlow::Continue(()),
        };
        for (number, games) in receiver {
            match games {
                Ok(games) => drop(waiting.insert(number, games)),
                Err(error) => {
                    self.done.store(true, Ordering::Relaxed);
                    failure.get_or_insert(error);
                }
            }
            while let Some(games) = waiting.remove(&next) {
                if enter(next, games).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                next += 1;
            }
        }
        let mut waiting = waiting.into_iter();
        let flow = waiting.try_for_each(|(number, games)| enter(number, games));
        failure.map_or(Ok(flow), Err)
    }

    /// Records a batch's games, unless earlier games of the pairing are missing.
    fn enter(
        &self,
        number: usize,
        games: Vec<MatchGame>,
        tournament: &mut Tournament,
    ) -> Option<PlayedBatch> {
        let PlannedBatch {
            meeting,
            first_pair,
            ..
        } = self.batches[number];
        let players = tournament.meetings[meeting].players;
        let earlier = tournament.meetings[..=meeting].iter();
        let recorded: usize = earlier
            .filter(|meeting| meeting.players == players)
            .map(|meeting| meeting.pairs.len())
            .sum();
        if recorded != first_pair || games.is_empty() {
            return None;
        }
        let (pairs, _) = games.as_chunks::<2>();
        let records = pairs.iter().map(PairRecord::new);
        tournament.meetings[meeting].pairs.extend(records);
        let names = players.map(|player| tournament.players[player].clone());
        Some(PlayedBatch { names, games })
    }
}
