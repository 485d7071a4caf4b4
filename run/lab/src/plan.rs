//! Estimates a training run of a given length: the games from this machine's speed, the rating from
//! recorded runs.

mod advice;
mod choices;
mod evidence;
mod text;

use model::Inputs;
use ratings::Expected;
use rules::Variant;
use serde::Serialize;
use share::games_of_a_part;

use crate::bench::Pace;

pub use advice::{LONG, advice, slowness};
pub use choices::Choices;
pub use evidence::{Contest, ContestArm, Evidence, RecordedPoint, RecordedRun};

/// Time of gates and ratings as a fraction of self-play time with 1,000 games per generation and 32
/// simulations, as in the hour of english with endgame samples in RESULTS.md.
const MATCHES: f64 = 0.12;
/// Maximum number of machines that the parts of a gate can keep busy.
const MATCH_MACHINES: f64 = 10.0;
/// Games per generation and simulations for which [`MATCHES`] holds.
const MATCHES_OF: (f64, f64) = (1000.0, 32.0);
/// Fractions of the time at which a rating is estimated.
const LOOKS: [f64; 3] = [1.0 / 16.0, 0.25, 1.0];

/// The requested training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanRequest {
    /// The game.
    pub variant: Variant,
    /// Hours.
    pub hours: f64,
    /// Machines as fast as the measured one, including the trainer.
    pub machines: u32,
    /// Positions per game if no recorded run tells.
    pub positions_per_game: f64,
}

/// A candidate for the settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Preset of the network.
    pub preset: String,
    /// Input of the network.
    pub inputs: Inputs,
    /// `search.simulations`.
    pub simulations: u32,
    /// `selfplay.fast_simulations`.
    pub fast_simulations: u32,
    /// `selfplay.games_per_generation`.
    pub games_per_generation: u32,
    /// `train.samples_per_position`.
    pub samples_per_position: f64,
    /// Command line options for these settings.
    pub options: String,
    /// Training speed measured with them.
    pub pace: Pace,
}

/// Expected result of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// The settings.
    #[serde(flatten)]
    pub choice: Choice,
    /// Generations.
    pub generations: u32,
    /// Games of self-play.
    pub games: u64,
    /// Samples.
    pub samples: u64,
    /// Fraction of the time in which the trainer trains and all other machines wait.
    pub learning_share: f64,
    /// Expected ratings of the champion at three times; empty if no run tells.
    pub course: Vec<Moment>,
    /// The reason why there is no rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Expected advantage over the first choice in the same time, in Elo; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Expected>,
}

/// An expected rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// Training time in hours.
    pub hours: f64,
    /// Self-play games by then.
    pub games: u64,
    /// Elo above `random`, at 64 simulations.
    #[serde(flatten)]
    pub rating: Expected,
}

/// A recommendation and its basis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The game.
    pub variant: String,
    /// Hours.
    pub hours: f64,
    /// Machines.
    pub machines: u32,
    /// The evaluated choices, the default settings first.
    pub outlooks: Vec<Outlook>,
    /// Index of the recommended choice.
    pub proposed: usize,
    /// The commands to run.
    pub commands: Vec<String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Recommends one of several choices. Another one than the first is recommended only if it is
/// better beyond doubt.
pub fn plan(evidence: &Evidence, request: &PlanRequest, choices: &[Choice]) -> Plan {
    let name = request.variant.name();
    let growth = evidence.growth();
    let mut outlooks: Vec<Outlook> = Vec::new();
    for choice in choices {
        let mut outlook = outlook(evidence, request, choice);
        if let (None, Some(growth)) = (&outlook.unknown, &growth) {
            let at = |choice: &Choice, games: f64| growth.standing(name, choice, games);
            let look = |share: f64| {
                let games = share * outlook.games as f64;
                Moment {
                    hours: share * request.hours,
                    games: games as u64,
                    rating: growth.expect(&[(1.0, at(choice, games))]),
                }
            };
            outlook.course = LOOKS.map(look).to_vec();
            let first = outlooks.first().filter(|first| first.unknown.is_none());
            outlook.gain = first.map(|first| {
                let own = at(choice, outlook.games as f64);
                let usual = at(&first.choice, first.games as f64);
                growth.expect(&[(1.0, own), (-1.0, usual)])
            });
        }
        outlooks.push(outlook);
    }
    let gain = |place: &usize| {
        outlooks[*place]
            .gain
            .map_or(0.0, |gain| gain.elo - gain.ci95)
    };
    let best = (0..outlooks.len()).max_by(|a, b| gain(a).total_cmp(&gain(b)));
    let proposed = best.filter(|place| gain(place) > 0.0).unwrap_or_default();
    let mut plan = Plan {
        variant: name.to_owned(),
        hours: request.hours,
        machines: request.machines,
        outlooks,
        proposed,
        commands: Vec::new(),
        notes: Vec::new(),
    };
    plan.commands = text::commands(&plan);
    plan.notes = text::notes(&plan, evidence);
    plan
}

/// Expected result of a choice within the given time.
fn outlook(evidence: &Evidence, request: &PlanRequest, choice: &Choice) -> Outlook {
    let variant = request.variant.name();
    let figures = evidence.figures(variant, choice.inputs, request.positions_per_game);
    let games = f64::from(choice.games_per_generation);
    let machines = f64::from(request.machines.max(1));
    let position = 1.0 / choice.pace.positions_per_s;
    let alone = games * figures.positions_per_game * position;
    // All machines wait for the last part of a generation.
    let total = choice.games_per_generation;
    let parts = f64::from(total.div_ceil(games_of_a_part(total)));
    let play = alone * (parts / machines).ceil() / parts;
    let usual = MATCHES_OF.0 * figures.positions_per_game * position * MATCHES_OF.1
        / f64::from(choice.simulations);
    let matches = MATCHES * usual / machines.min(MATCH_MACHINES);
    let samples = games * figures.samples_per_game;
    let learn = samples * choice.samples_per_position / choice.pace.samples_per_s;
    let generation = play + learn + matches;
    let generations = (3600.0 * request.hours / generation).floor().max(1.0);
    Outlook {
        choice: choice.clone(),
        generations: generations as u32,
        games: (generations * games) as u64,
        samples: (generations * samples) as u64,
        learning_share: learn / generation,
        course: Vec::new(),
        unknown: evidence.missing(variant, &choice.preset, choice.simulations),
        gain: None,
    }
}

#[cfg(test)]
mod tests;
