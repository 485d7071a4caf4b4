//! What a training of so many hours is expected to come to: games by this machine's pace, the rating by recorded
//! runs.

mod choices;
mod evidence;
mod words;

use model::Inputs;
use ratings::Expected;
use rules::Variant;
use serde::Serialize;
use share::games_of_a_part;

use crate::bench::Pace;

pub use choices::Choices;
pub use evidence::{Contest, ContestArm, Evidence, RecordedPoint, RecordedRun};

/// Time of gates and ratings as a share of that of self-play with 1,000 games a generation and 32 simulations, as in
/// the hour of english with lessons in RESULTS.md.
const MATCHES: f64 = 0.12;
/// Machines that the parts of a gate suffice for.
const MATCH_MACHINES: f64 = 10.0;
/// Games of a generation and simulations that this share is of.
const MATCHES_OF: (f64, f64) = (1000.0, 32.0);
/// Shares of the time after which a rating is expected.
const LOOKS: [f64; 3] = [1.0 / 16.0, 0.25, 1.0];

/// What is to be trained, and with how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wish {
    /// The game.
    pub variant: Variant,
    /// Hours.
    pub hours: f64,
    /// Machines like the one that was measured, the trainer among them.
    pub machines: u32,
    /// Positions of a game where no recorded run tells.
    pub positions_per_game: f64,
}

/// Settings that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The network's preset.
    pub preset: String,
    /// What it sees.
    pub inputs: Inputs,
    /// `search.simulations`.
    pub simulations: u32,
    /// `selfplay.fast_simulations`.
    pub fast_simulations: u32,
    /// `selfplay.games_per_generation`.
    pub games_per_generation: u32,
    /// `train.samples_per_position`.
    pub samples_per_position: f64,
    /// Options that ask for these settings.
    pub options: String,
    /// What was measured with them.
    pub pace: Pace,
}

/// What a choice comes to.
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
    /// Share of the time in which the trainer learns and all others wait.
    pub learning_share: f64,
    /// What the champion is expected to be worth, at three moments; empty where no run tells.
    pub course: Vec<Moment>,
    /// Why there is no rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What it is worth more than the first choice in the same time, in Elo; nothing for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Interval>,
}

/// A rating that is expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// After so many hours.
    pub hours: f64,
    /// Games of self-play by then.
    pub games: u64,
    /// Elo above `random`, at 64 simulations.
    #[serde(flatten)]
    pub rating: Interval,
}

/// A number that is not known for certain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The best guess.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub ci95: f64,
}

impl From<Expected> for Interval {
    fn from(Expected { elo, ci95 }: Expected) -> Interval {
        Interval { elo, ci95 }
    }
}

/// A proposal and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The game.
    pub variant: String,
    /// Hours.
    pub hours: f64,
    /// Machines.
    pub machines: u32,
    /// What was looked at, the usual settings first.
    pub outlooks: Vec<Outlook>,
    /// The number of the one that is proposed.
    pub proposed: usize,
    /// The commands to give.
    pub commands: Vec<String>,
    /// What there is to know, in words.
    pub notes: Vec<String>,
}

/// Proposes one of several choices, the first of which is left only for one that is better beyond doubt.
pub fn plan(evidence: &Evidence, wish: &Wish, choices: &[Choice]) -> Plan {
    let name = wish.variant.name();
    let growth = evidence.growth();
    let mut outlooks: Vec<Outlook> = Vec::new();
    for choice in choices {
        let mut outlook = outlook(evidence, wish, choice);
        if let (None, Some(growth)) = (&outlook.unknown, &growth) {
            let at = |choice: &Choice, games: f64| growth.standing(name, choice, games);
            let look = |share: f64| {
                let games = share * outlook.games as f64;
                Moment {
                    hours: share * wish.hours,
                    games: games as u64,
                    rating: growth.expect(&[(1.0, at(choice, games))]).into(),
                }
            };
            outlook.course = LOOKS.map(look).to_vec();
            let first = outlooks.first().filter(|first| first.unknown.is_none());
            outlook.gain = first.map(|first| {
                let own = at(choice, outlook.games as f64);
                let usual = at(&first.choice, first.games as f64);
                growth.expect(&[(1.0, own), (-1.0, usual)]).into()
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
        hours: wish.hours,
        machines: wish.machines,
        outlooks,
        proposed,
        commands: Vec::new(),
        notes: Vec::new(),
    };
    plan.commands = words::commands(&plan);
    plan.notes = words::notes(&plan, evidence);
    plan
}

/// How far a choice comes in the time.
fn outlook(evidence: &Evidence, wish: &Wish, choice: &Choice) -> Outlook {
    let variant = wish.variant.name();
    let figures = evidence.figures(variant, choice.inputs, wish.positions_per_game);
    let games = f64::from(choice.games_per_generation);
    let machines = f64::from(wish.machines.max(1));
    let position = 1.0 / choice.pace.positions_per_s;
    let alone = games * figures.positions_per_game * position;
    // Whoever has the last part of a generation is waited for.
    let total = choice.games_per_generation;
    let parts = f64::from(total.div_ceil(games_of_a_part(total)));
    let play = alone * (parts / machines).ceil() / parts;
    let usual = MATCHES_OF.0 * figures.positions_per_game * position * MATCHES_OF.1
        / f64::from(choice.simulations);
    let matches = MATCHES * usual / machines.min(MATCH_MACHINES);
    let samples = games * figures.samples_per_game;
    let learn = samples * choice.samples_per_position / choice.pace.samples_per_s;
    let generation = play + learn + matches;
    let generations = (3600.0 * wish.hours / generation).floor().max(1.0);
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
