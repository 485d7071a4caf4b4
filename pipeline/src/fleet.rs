//! Self-play and matches of one run, and tournaments, on many machines: who leads, who plays, and what both do alike.
//!
//! [`crate::Run::lead_fleet`] makes a run share its games, [`FleetHall`] a tournament. Whoever wants to play calls
//! [`work`]. The run comes to the same games and weights, byte for byte, as on one machine.

mod audit;
mod batches;
mod guest;
mod hall;
mod judge;
mod lead;
mod pairs;
mod table;
mod terms;
mod work;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use endgame::Database;
use fleet::{Assignment, Handshake, Ready};
use model::Model;
use rules::Variant;
use search::{Evaluator, Prover};
use selfplay::{Job, SelfplayStats, play_stream};
use store::Record;
use trainer::Compute;

use self::judge::Retracer;
use crate::config::{RunConfig, RunFile};
use crate::evaluators::{Evaluators, InferenceNetwork};
use crate::stages::self_play::header;
use crate::{PipelineError, Result};

pub use audit::{Audit, audit};
pub use hall::FleetHall;
pub(crate) use lead::{Lead, is_disbelieved};
pub use work::{Machine, WorkEvent, work};

/// Games that a machine must reproduce before it plays for a fleet.
const HANDSHAKE_GAMES: u32 = 4;

/// The settings of the handshake are those that the run began with, which never change.
const HANDSHAKE_GENERATION: u32 = 0;

/// What gets a finished chunk: its number, and its games or pairs in order.
type Finished<'a, T> = dyn FnMut(u32, Vec<T>) + 'a;

/// The games of the handshake, as they come out on this machine's processor. They come with who judges those of its
/// other devices.
fn handshake(
    file: &RunFile,
    model: &Model,
    prover: Option<&Arc<dyn Prover>>,
    threads: usize,
) -> Result<(Handshake, Retracer)> {
    let config = file.settings_of(HANDSHAKE_GENERATION)?.config;
    let header = header(file, HANDSHAKE_GENERATION, model.net_id());
    let processor = evaluators(model, &config, &Compute::Cpu)?;
    let retracer = Retracer::new((config, header), prover, (processor, threads));
    let played = retracer.play(HANDSHAKE_GAMES, &retracer.evaluators)?;
    let of_none = |error: store::RecordError| PipelineError::Missing(error.to_string());
    let handshake = Handshake::of(&model.net_id(), &played).map_err(of_none)?;
    Ok((handshake, retracer))
}

/// The evaluators of a network for self-play.
fn evaluators(model: &Model, config: &RunConfig, compute: &Compute) -> Result<Evaluators> {
    let network = InferenceNetwork::new(model, config.model.precision);
    let games_at_once = config.self_play().concurrent_games;
    Evaluators::new(network, compute, 1, games_at_once)
}

/// What ends games of self-play with these settings; nothing where they are played to the end.
fn prover(variant: Variant, config: &RunConfig) -> Result<Option<Arc<dyn Prover>>> {
    let section = &config.endgame;
    if section.pieces == 0 || !section.adjudicate {
        return Ok(None);
    }
    let database = Database::build(variant, section.pieces, |_| ())?;
    Ok(Some(roster::endgames::prover(Arc::new(database))))
}

/// Plays chunks that `claim` gives until it gives none, and hands each to `finished` as soon as all of its games
/// are over. Threads go on to the next chunk while the last games of one are in progress; to what others have begun only
/// if there was nothing else from the beginning.
fn play_chunks<E: Evaluator + Send>(
    job: &Job<'_>,
    assignment: &Assignment,
    claim: &(dyn Fn(Ready) -> Option<u32> + Sync),
    evaluators: &mut [E],
    stop: &AtomicBool,
    finished: &mut Finished<'_, Record>,
) -> Result<SelfplayStats> {
    let began = [Ready::ForUnclaimed, Ready::ForAnything]
        .into_iter()
        .find_map(|ready| Some((ready, claim(ready)?)));
    let Some((ready, first)) = began else {
        return Ok(SelfplayStats::default());
    };
    // What is left of the chunk that was claimed last; nothing when there was none left to claim.
    let numbers: Mutex<Option<Range<u32>>> = Mutex::new(Some(assignment.numbers(first)));
    let next = || {
        let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if numbers.as_ref()?.is_empty() {
            *numbers = claim(ready).map(|chunk| assignment.numbers(chunk));
        }
        numbers.as_mut()?.next()
    };
    let mut open: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
    let stats = play_stream(job, &next, evaluators, stop, |record| {
        let chunk = assignment.chunk_of(record.header.id.number);
        let games = open.entry(chunk).or_default();
        games.push(record);
        if games.len() == assignment.numbers(chunk).len() {
            games.sort_by_key(|game| game.header.id);
            finished(chunk, std::mem::take(games));
        }
        Ok(())
    })?;
    Ok(stats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleet::Work;
    use search::{SearchConfig, Uniform};
    use selfplay::SelfplayConfig;
    use store::{GameId, Header, RunId};

    /// What a machine asks for, and which of four chunks it plays, when so many are unclaimed.
    fn asked_and_played(unclaimed: u32) -> (Vec<Ready>, Vec<u32>) {
        let variant = Variant::GAMES[0];
        let config = SelfplayConfig {
            fast_simulations: 2,
            full_fraction: 0.5,
            concurrent_games: 3,
            opening_plies: 4,
            max_plies: 12,
            games_per_generation: 8,
        };
        let header = Header {
            variant,
            rules_version: variant.rules_version(),
            seed: 7,
            id: GameId {
                generation: 1,
                number: 0,
            },
            network: "uniform".to_owned(),
            config_hash: 0,
        };
        let search = SearchConfig {
            simulations: 2,
            ..SearchConfig::PAPER
        };
        let job = Job {
            search: &search,
            config: &config,
            header: &header,
            numbers: &[],
            adjudicator: None,
        };
        let assignment = Assignment {
            run: RunId(1),
            generation: 1,
            work: Work::SelfPlay {
                network: String::new(),
                starts: [],
            },
            total: 8,
            chunk: 2,
            done: Vec::new(),
            settings: String::new(),
            is_over: false,
        };
        let asked = Mutex::new((Vec::new(), (0..assignment.n_chunks()).peekable()));
        let claim = |ready| {
            let (asked, chunks) = &mut *asked.lock().unwrap();
            asked.push(ready);
            match ready {
                Ready::ForUnclaimed => chunks.next_if(|chunk| *chunk < unclaimed),
                Ready::ForAnything => chunks.next(),
            }
        };
        let (mut played, never) = (Vec::new(), AtomicBool::new(false));
        let mut finished = |chunk, games: Vec<Record>| {
            assert_eq!(games.len(), 2);
            played.push(chunk);
        };
        let evaluators = &mut [Uniform];
        play_chunks(&job, &assignment, &claim, evaluators, &never, &mut finished).unwrap();
        played.sort_unstable();
        (asked.into_inner().unwrap().0, played)
    }

    #[test]
    fn who_still_plays_does_not_repeat_what_others_have_begun() {
        let (asked, played) = asked_and_played(2);
        assert_eq!((asked, played), (vec![Ready::ForUnclaimed; 3], vec![0, 1]));
        let (asked, played) = asked_and_played(0);
        assert_eq!(asked[..2], [Ready::ForUnclaimed, Ready::ForAnything]);
        assert!(asked[2..].iter().all(|ready| *ready == Ready::ForAnything));
        assert_eq!(played, [0, 1, 2, 3]);
    }
}
