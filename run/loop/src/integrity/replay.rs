//! Replays recorded games.

use std::collections::BTreeMap;
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicBool;

use model::Model;
use rules::Position;
use selfplay::{Agreement, play_games, retrace};
use store::{Header, ModelId, Record, RunDir};
use trainer::Compute;

use super::RunFault;
use crate::config::{FleetMode, RunFile};
use crate::evaluators::Evaluators;
use crate::{GameTerms, Result, consistency};

/// The outcome of replaying games of a run.
#[derive(Debug, Default)]
pub struct Replay {
    /// The games that differ.
    pub faults: Vec<RunFault>,
    /// The number of games replayed.
    pub n_replayed: usize,
    /// The number of games that cannot be replayed: their network is missing, or they are games of
    /// earlier versions that did not start at the initial position or used an endgame database.
    pub n_unrepeatable: usize,
}

/// Replays `n` games of the run in `path`, spread over those that can be replayed, with the
/// networks and settings of their generations. A game that differs in any bit is a fault. Where
/// machines may differ in the last bits, a game is a fault if its positions do not agree with their
/// searches.
///
/// # Errors
/// If a file of the run is faulty, or games cannot be played.
pub fn replay(path: &Path, n: usize) -> Result<Replay> {
    let run = &RunDir::open(path)?;
    let file = &RunFile::read(run)?;
    let games = run.games(file.variant);
    let mut all: Vec<Record> = Vec::new();
    for generation in games.generations()? {
        all.extend(games.read(generation)?.records);
    }
    let networks = networks(run, file)?;
    let start = Position::start(file.variant);
    let used_database = ["endgame.prove", "endgame.adjudicate"]
        .iter()
        .any(|key| file.asks_for(key));
    let is_repeatable = |record: &Record| record.start == start && !used_database;
    let n_games = all.len();
    all.retain(|record| networks.contains_key(&record.header.network) && is_repeatable(record));
    let n = n.min(all.len());
    let mut faults = Vec::new();
    for k in 0..n {
        let record = &all[k * all.len() / n];
        let network = networks[&record.header.network];
        let Some(expected) = expected_instead(run, file, record, network)? else {
            continue;
        };
        faults.push(RunFault {
            path: run.games_path(),
            what: format!("game {} differs when it is replayed", record.header.id),
            found: describe(record),
            expected,
            mend: "replay it with the build, machine and device that played it; if it still \
                differs, the record is wrong"
                .to_owned(),
        });
    }
    Ok(Replay {
        faults,
        n_replayed: n,
        n_unrepeatable: n_games - all.len(),
    })
}

fn networks(run: &RunDir, file: &RunFile) -> Result<BTreeMap<String, ModelId>> {
    let ids = run.models()?.into_iter();
    ids.map(|id| Ok((consistency::info(run, file, id)?.net_id, id)))
        .collect()
}

fn describe(record: &Record) -> String {
    format!("{} plies, {:?}", record.plies.len(), record.result)
}

/// The expected game with this number; `None` if the record matches.
fn expected_instead(
    run: &RunDir,
    file: &RunFile,
    record: &Record,
    id: ModelId,
) -> Result<Option<String>> {
    let config = file.settings_of(record.header.id.generation)?.config;
    let model = Model::load(&run.model(id)?)?;
    let compute = Compute::named(&config.device)?;
    let mut header: Header = record.header.clone();
    let number = std::mem::take(&mut header.id.number);
    if number >= config.selfplay.games_per_generation {
        return Ok(Some("no game: the generation has fewer".to_owned()));
    }
    let numbers = [number];
    let terms = GameTerms::new(&config, header);
    let (precision, batch_size) = (config.model.precision, terms.selfplay.concurrent_games);
    let evaluators = Evaluators::new(&model, precision, &compute, 1, batch_size)?;
    let job = terms.job(&numbers);
    let (mut evaluators, never) = (evaluators.all(1), AtomicBool::new(false));
    if config.fleet.mode == FleetMode::Free {
        let recorded = slice::from_ref(record);
        let agreement = Agreement::of(recorded, &retrace(&job, recorded, &mut evaluators)?);
        return Ok((!agreement.is_close()).then(|| agreement.to_string()));
    }
    let mut played = None;
    play_games(&job, &mut evaluators, &never, |record, _| {
        played = Some(record);
        Ok(())
    })?;
    if played.as_ref() == Some(record) {
        return Ok(None);
    }
    Ok(Some(
        played
            .as_ref()
            .map_or_else(|| "a game".to_owned(), describe),
    ))
}
