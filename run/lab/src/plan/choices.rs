//! The choices for a plan, and the speed of this machine with each.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rules::Variant;

use super::{Choice, Evidence};
use crate::Result;
use crate::bench::{Bench, Pace, Pacer};
use run::config::{ConfigSources, RunConfig};

/// Networks for which a processor can train a generation in minutes; the default first.
pub(super) const PRESETS: [&str; 3] = ["nano", "small", "medium"];
/// Duration of each measurement.
const TIME: Duration = Duration::from_millis(700);
/// Time after which no further network is measured.
const ENOUGH: Duration = Duration::from_secs(15);

/// Choices with measured speeds, and the positions per game of untrained networks.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The default settings first.
    pub all: Vec<Choice>,
    /// Positions per game.
    pub positions_per_game: f64,
}

impl Choices {
    /// Measures on `threads` threads; `on_progress` receives the name of the next preset.
    ///
    /// # Errors
    /// If a network cannot be computed.
    pub fn measured(
        variant: Variant,
        threads: Option<u64>,
        evidence: &Evidence,
        on_progress: &mut dyn FnMut(&str),
    ) -> Result<Choices> {
        let started = Instant::now();
        on_progress(PRESETS[0]);
        let bench = |preset| Bench::new(variant, config_of(variant, preset, threads)?, TIME);
        let usual = bench(PRESETS[0])?;
        let pacer = Pacer::new(&usual)?;
        let mut all = with_simulations(PRESETS[0], &usual.config, pacer.first, evidence);
        for preset in &PRESETS[1..] {
            if started.elapsed() > ENOUGH {
                break;
            }
            on_progress(preset);
            let bench = bench(preset)?;
            let pace = pacer.pace(&bench)?;
            all.extend(with_simulations(preset, &bench.config, pace, evidence));
        }
        Ok(Choices {
            all,
            positions_per_game: pacer.positions_per_game,
        })
    }

    /// The default network on a machine with this measured pace.
    ///
    /// # Errors
    /// None is expected.
    pub fn given(variant: Variant, pace: Pace, evidence: &Evidence) -> Result<Choices> {
        let config = config_of(variant, PRESETS[0], None)?;
        Ok(Choices {
            all: with_simulations(PRESETS[0], &config, pace, evidence),
            positions_per_game: f64::from(config.selfplay.max_plies) / 4.0,
        })
    }
}

pub(super) fn config_of(variant: Variant, preset: &str, threads: Option<u64>) -> Result<RunConfig> {
    let sources = ConfigSources {
        preset: Some(preset.to_owned()),
        threads,
        ..ConfigSources::default()
    };
    Ok(sources.resolve(variant)?.config)
}

/// A preset as it is, and with the simulations of the recorded runs, if there are runs with the
/// preset.
fn with_simulations(
    preset: &str,
    config: &RunConfig,
    pace: Pace,
    evidence: &Evidence,
) -> Vec<Choice> {
    let own = config.search.simulations;
    let preset_option = match preset == PRESETS[0] {
        true => String::new(),
        false => format!(" --preset {preset}"),
    };
    let usual = Choice {
        preset: preset.to_owned(),
        inputs: config.model.inputs,
        simulations: own,
        fast_simulations: config.selfplay.fast_simulations,
        games_per_generation: config.selfplay.games_per_generation,
        samples_per_position: config.train.samples_per_position,
        options: preset_option,
        pace,
    };
    let is_recorded = evidence.runs.iter().any(|run| run.preset == preset);
    let others = evidence.simulations().filter(|&n| is_recorded && n > own);
    let others: BTreeSet<u32> = others.collect();
    let with = |simulations: u32| {
        // Scales both kinds of searches by the same factor.
        let fast = (usual.fast_simulations * simulations / own).max(1);
        let options = &usual.options;
        Choice {
            simulations,
            fast_simulations: fast,
            options: format!(
                "{options} --set search.simulations={simulations} --set selfplay.fast_simulations={fast}"
            ),
            pace: Pace {
                positions_per_s: pace.positions_per_s * f64::from(own) / f64::from(simulations),
                ..pace
            },
            ..usual.clone()
        }
    };
    let mut all = vec![usual.clone()];
    all.extend(others.into_iter().map(with));
    all
}
