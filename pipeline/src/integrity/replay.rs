//! Playing recorded games again.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use model::Model;
use rules::Position;
use selfplay::{Job, play_games};
use store::{Endgames, Header, ModelId, Record, RunDir};
use trainer::Compute;

use super::RunFault;
use crate::config::RunFile;
use crate::evaluators::{Evaluators, InferenceNetwork};
use crate::{Result, endgames, opening, settings};

/// Plays `n` games again, spread over the run, by the networks and with the settings of their generations.
/// A game that comes out different, in any bit, is a fault. Games whose network the run does not have are
/// passed over.
pub(super) fn replay(run: &RunDir, file: &RunFile, n: usize) -> Result<Vec<RunFault>> {
    let games = run.games(file.variant);
    let mut all: Vec<Record> = Vec::new();
    for generation in games.generations()? {
        all.extend(games.read(generation)?.records);
    }
    let networks = networks(run, file)?;
    all.retain(|record| networks.contains_key(&record.header.network));
    let n = n.min(all.len());
    let mut faults = Vec::new();
    for k in 0..n {
        let record = &all[k * all.len() / n];
        let again = again(run, file, record, networks[&record.header.network])?;
        if again.as_ref() == Some(record) {
            continue;
        }
        let describe =
            |record: &Record| format!("{} plies, {:?}", record.plies.len(), record.result);
        faults.push(RunFault {
            file: run.games_path().display().to_string(),
            what: format!("game {} comes out different when it is played again", record.header.id),
            found: describe(record),
            expected: again.as_ref().map_or_else(|| "a game".to_owned(), describe),
            mend: "another build, machine or device plays other games; otherwise it is not what was played"
                .to_owned(),
            path: run.games_path(),
        });
    }
    Ok(faults)
}

fn networks(run: &RunDir, file: &RunFile) -> Result<BTreeMap<String, ModelId>> {
    let ids = run.models()?.into_iter();
    ids.map(|id| Ok((opening::info(run, file, id)?.net_id, id)))
        .collect()
}

/// The game with this number, played again.
fn again(run: &RunDir, file: &RunFile, record: &Record, id: ModelId) -> Result<Option<Record>> {
    let config = file.settings_of(record.header.id.generation)?.config;
    let selfplay = settings::selfplay(&config);
    let model = Model::load(&run.model(id)?)?;
    let network = InferenceNetwork::new(&model, config.model.precision);
    let compute = Compute::named(&config.device)?;
    let evaluators = Evaluators::new(network, &compute, 1, selfplay.concurrent_games)?;
    let wants = config.endgame.prove || config.endgame.adjudicate;
    let database = match wants {
        true => Endgames::new(&run.endgames_path()).read(file.variant)?,
        false => None,
    };
    let prover = database.map(|database| endgames::prover(database.into()));
    let mut header: Header = record.header.clone();
    let number = std::mem::take(&mut header.id.number);
    let is_usual = record.start == Position::start(file.variant);
    let mut starts = vec![None; number as usize + 1];
    starts[number as usize] = (!is_usual).then_some(record.start);
    let job = Job {
        config: &selfplay,
        header: &header,
        numbers: &[number],
        starts: &starts,
        prover: prover.as_ref().filter(|_| config.endgame.prove),
        adjudicator: prover.as_deref().filter(|_| config.endgame.adjudicate),
    };
    let mut played = None;
    play_games(
        &job,
        &mut evaluators.all(1),
        &AtomicBool::new(false),
        |record, _| {
            played = Some(record);
            Ok(())
        },
    )?;
    Ok(played)
}
