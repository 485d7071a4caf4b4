//! Advice for a training whose network is too large for the machine.

use std::path::Path;
use std::time::Duration;

use rules::Variant;
use run::config::RunConfig;
use run::mean_simulations;
use types::show_duration;

use super::choices::{PRESETS, config_of};
use super::{Choices, Evidence, PlanRequest, plan};
use crate::Result;
use crate::bench;

/// The time that is planned for a training without a time limit. A generation that takes longer is
/// reported as slow.
pub const LONG: Duration = Duration::from_secs(3600);
/// Time of an optimizer step per sample, as a multiple of an evaluation.
const STEP: f64 = 3.0;

/// The proposal of a plan for this time on a machine with this pace. The pace of the default
/// network is estimated by the operations of both networks.
///
/// # Errors
/// When the recorded runs cannot be read.
pub fn advice(
    variant: Variant,
    config: &RunConfig,
    pace: &run::Pace,
    time: Duration,
) -> Result<String> {
    let usual = config_of(variant, PRESETS[0], None)?;
    let operations =
        |config: &RunConfig| Ok::<_, crate::RunError>(config.model.shape(variant)?.flops() as f64);
    let evaluations_per_s = pace.evaluations_per_s * operations(config)? / operations(&usual)?;
    let pace = bench::Pace {
        positions_per_s: evaluations_per_s / mean_simulations(&usual),
        samples_per_s: evaluations_per_s / STEP,
    };
    let evidence = Evidence::recorded()?;
    let choices = Choices::given(variant, pace, &evidence)?;
    let request = PlanRequest {
        variant,
        hours: time.as_secs_f64() / 3600.0,
        machines: 1,
        positions_per_game: choices.positions_per_game,
    };
    let plan = plan(&evidence, &request, &choices.all);
    let outlook = &plan.outlooks[plan.proposed];
    let (preset, options) = (&outlook.choice.preset, &outlook.choice.options);
    let (time, generations) = (show_duration(time), outlook.generations);
    let s = if generations == 1 { "" } else { "s" };
    Ok(format!(
        "crownhead plan proposes for this machine (about {generations} generation{s}):\n  \
         crownhead train {variant}{options} --for {time} --run runs/{variant}-{preset}"
    ))
}

/// A warning that a training in `run` will not finish a generation in the time that is left, or
/// takes long for one, with the advice of a plan.
#[must_use]
pub fn slowness(
    run: &Path,
    pace: &run::Pace,
    left: Option<Duration>,
    advice: Option<String>,
) -> String {
    let takes = show_duration(pace.self_play);
    let consequence = match left.map(show_duration) {
        Some(left) => format!(": none will be\nfinished in the {left} that are left."),
        None => ".".to_owned(),
    };
    let advice = advice.map_or_else(String::new, |advice| format!("\n{advice}"));
    format!(
        "warning: at this pace self-play of a generation takes {takes}{consequence}\n\
         {} keeps the games so far, and the same command resumes.{advice}",
        run.display()
    )
}

#[cfg(test)]
mod tests {
    use run::config::ConfigSources;

    use super::*;

    #[test]
    fn a_smaller_network_is_advised() {
        let variant = Variant::ALL[0];
        let sources = ConfigSources {
            preset: Some("large".to_owned()),
            ..ConfigSources::default()
        };
        let config = sources.resolve(variant).unwrap().config;
        let pace = run::Pace::new(&config, 3_000, run::Pace::KNOWN_AFTER).unwrap();
        let minute = Duration::from_secs(60);
        let command = advice(variant, &config, &pace, minute).unwrap();
        assert!(
            command.ends_with("\n  crownhead train english --for 1m00s --run runs/english-nano"),
            "{command}"
        );
        let text = slowness(Path::new("runs/a"), &pace, Some(minute), Some(command));
        assert!(
            text.contains("none will be\nfinished in the 1m00s that are left."),
            "{text}"
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(text.contains("runs/a keeps the games"), "{text}");
    }
}
