//! Plays the planned meetings: batches of pairs on all threads, recorded in the order of the plan.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use rules::Variant;
use types::Seed;

use super::record::{PairRecord, Tournament};
use super::schedule::Schedule;
use crate::error::EvalError;
use crate::matches::{Arena, LocalRunner, MatchGame, PlayerFactory, play_match};
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
    /// Fewer if `take` breaks, or the arena's `stop` is set.
    ///
    /// # Errors
    /// If a player or the runner fails.
    fn play(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), EvalError>;
}

/// The receiver of the games of a batch, with its number.
pub type TakeBatch<'a> = dyn FnMut(usize, Vec<MatchGame>) -> ControlFlow<()> + 'a;

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
    let book = match field.openings {
        Some(openings) => Cow::Borrowed(openings),
        None => {
            let planned = tournament.by_pairing(|meeting| meeting.planned);
            let most = planned.into_values().fold(field.pairs, usize::max);
            let seed = Seed::new(tournament.terms.seed);
            openings::sample(field.variant, most.min(MAX_OPENINGS), seed).into()
        }
    };
    let runner = field.runner.unwrap_or(&LocalRunner);
    loop {
        if tournament.pairs_open() == 0 && !field.schedule.plan(tournament, &active, field.pairs) {
            return Ok(true);
        }
        let (meetings, batches) = planned(tournament, &active, arena, &book);
        let mut recorder = Recorder {
            meetings: &meetings,
            batches: &batches,
            tournament,
            after_batch,
            waiting: BTreeMap::new(),
            next: 0,
        };
        let mut flow = ControlFlow::Continue(());
        let played = runner.play(field.players, &batches, arena, &mut |number, games| {
            flow = recorder.take(number, games);
            flow
        });
        if flow.is_continue() {
            flow = recorder.record_rest();
        }
        played?;
        if flow.is_break() || tournament.pairs_open() > 0 {
            return Ok(false);
        }
    }
}

/// All open pairs, divided so that every thread has work: the meetings of the batches, and these.
/// The division does not change the games.
fn planned(
    tournament: &Tournament,
    active: &[usize],
    arena: &Arena<'_>,
    book: &[Opening],
) -> (Vec<usize>, Vec<PairBatch>) {
    let share = tournament.pairs_open().div_ceil(arena.threads.max(1));
    let size = share.clamp(1, arena.pairs_at_once.max(1));
    let tournament_seed = Seed::new(tournament.terms.seed);
    let mut played = tournament.by_pairing(|meeting| meeting.pairs.len());
    let (mut meetings, mut batches) = (Vec::new(), Vec::new());
    for (number, meeting) in tournament.meetings.iter().enumerate() {
        let place = |player| active.iter().position(|&other| other == player);
        let (Some(a), Some(b)) = (place(meeting.players[0]), place(meeting.players[1])) else {
            continue;
        };
        let [first, second] = meeting.players.map(|player| &tournament.players[player]);
        let seed = tournament_seed.derive(first, &[]).derive(second, &[]);
        let next_pair = played.entry(meeting.players).or_default();
        let n_open = meeting.planned.saturating_sub(meeting.pairs.len());
        let pairs: Vec<usize> = (*next_pair..*next_pair + n_open).collect();
        *next_pair += n_open;
        for pairs in pairs.chunks(size) {
            let openings = pairs
                .iter()
                .filter_map(|pair| book.get(pair % book.len().max(1)));
            meetings.push(number);
            batches.push(PairBatch {
                sides: [a, b],
                seed,
                first_pair: pairs[0],
                openings: openings.cloned().collect(),
            });
        }
    }
    (meetings, batches)
}

/// Plays each batch on one of the threads.
impl TournamentRunner for LocalRunner {
    fn play(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), EvalError> {
        let (next, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let work = |sender: mpsc::Sender<_>| {
            while !done.load(Ordering::Relaxed) && !arena.stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(number) else {
                    return;
                };
                if sender.send((number, batch.play(players, arena))).is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..arena.threads.clamp(1, batches.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(|| work(sender));
            }
            drop(sender);
            let mut failure = None;
            for (number, games) in receiver {
                let is_over = match games {
                    Ok(games) => take(number, games).is_break(),
                    Err(error) => {
                        // The other threads finish their batches.
                        done.store(true, Ordering::Relaxed);
                        failure.get_or_insert(error);
                        false
                    }
                };
                if is_over {
                    break;
                }
            }
            done.store(true, Ordering::Relaxed);
            failure.map_or(Ok(()), Err)
        })
    }
}

/// Records batches in the order of the plan, in whatever order they arrive.
struct Recorder<'a> {
    /// \[batch\] its meeting.
    meetings: &'a [usize],
    batches: &'a [PairBatch],
    tournament: &'a mut Tournament,
    after_batch: &'a mut dyn FnMut(&Tournament, &PlayedBatch) -> ControlFlow<()>,
    /// {number of the batch: games} that cannot be recorded yet.
    waiting: BTreeMap<usize, Vec<MatchGame>>,
    next: usize,
}

impl Recorder<'_> {
    fn take(&mut self, number: usize, games: Vec<MatchGame>) -> ControlFlow<()> {
        self.waiting.insert(number, games);
        while let Some(games) = self.waiting.remove(&self.next) {
            self.record(self.next, games)?;
            self.next += 1;
        }
        ControlFlow::Continue(())
    }

    /// Records complete batches that follow an interrupted one.
    fn record_rest(&mut self) -> ControlFlow<()> {
        let mut rest = std::mem::take(&mut self.waiting).into_iter();
        rest.try_for_each(|(number, games)| self.record(number, games))
    }

    /// Records a batch's games, unless earlier games of the pairing are missing.
    fn record(&mut self, number: usize, games: Vec<MatchGame>) -> ControlFlow<()> {
        let (meeting, all) = (self.meetings[number], &mut self.tournament.meetings);
        let players = all[meeting].players;
        let earlier = all[..=meeting].iter();
        let recorded: usize = earlier
            .filter(|meeting| meeting.players == players)
            .map(|meeting| meeting.pairs.len())
            .sum();
        if recorded != self.batches[number].first_pair || games.is_empty() {
            return ControlFlow::Continue(());
        }
        let (pairs, _) = games.as_chunks::<2>();
        all[meeting].pairs.extend(pairs.iter().map(PairRecord::new));
        let names = players.map(|player| self.tournament.players[player].clone());
        (self.after_batch)(self.tournament, &PlayedBatch { names, games })
    }
}
