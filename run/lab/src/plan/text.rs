//! Text output of a plan.

use std::fmt;

use ratings::Expected;
use types::{thousands, tidy};

use super::{Evidence, Outlook, Plan, RecordedRun};

/// Games per generation that keep one machine busy.
const GAMES_A_MACHINE: u32 = 24;
/// Factor by which a plan may exceed the games of all recorded runs before a remark.
const FAR: f64 = 1.5;

/// The commands to run.
pub(super) fn commands(plan: &Plan) -> Vec<String> {
    let time = format!("{}h", plan.hours);
    let (variant, options) = (&plan.variant, &plan.outlooks[plan.proposed].choice.options);
    let train = format!("crownhead train {variant}{options}");
    match plan.machines {
        0 | 1 => vec![format!("{train} --for {time}")],
        _ => vec![
            format!("{train} --fleet /shared/{variant} --for {time}"),
            format!("crownhead worker --join /shared/{variant}"),
        ],
    }
}

/// Remarks for the user.
pub(super) fn notes(plan: &Plan, evidence: &Evidence) -> Vec<String> {
    let proposed = &plan.outlooks[plan.proposed];
    let mut notes = match &proposed.unknown {
        Some(unknown) => vec![format!(
            "No rating can be predicted: {unknown}. Games and generations follow from this \
             machine's speed."
        )],
        None => notes_on_ratings(plan, proposed, evidence),
    };
    if plan.machines > 1 {
        let share = proposed.learning_share;
        notes.push(format!(
            "The trainer trains for {:.0} % of the time, while the other {} wait: twice the \
             machines would save at most {:.0} % of it. All machines are assumed to be as fast \
             as this one.",
            tidy(100.0 * share, 0),
            plan.machines - 1,
            50.0 * (1.0 - share)
        ));
        let (games, wanted) = (
            proposed.choice.games_per_generation,
            GAMES_A_MACHINE * plan.machines,
        );
        if games < wanted {
            notes.push(format!(
                "{games} games per generation are few for {} machines; \
                 selfplay.games_per_generation={wanted} gives each {GAMES_A_MACHINE}, but no \
                 run with that many has been recorded.",
                plan.machines
            ));
        }
    }
    notes
}

/// Remarks about predicted ratings.
fn notes_on_ratings(plan: &Plan, proposed: &Outlook, evidence: &Evidence) -> Vec<String> {
    let own: Vec<u64> = evidence.of(&plan.variant).map(RecordedRun::games).collect();
    let longest = own.iter().copied().max().unwrap_or_default().max(1);
    let mut notes = vec![format!(
        "The ratings are based on {} recorded runs, {} of them of {}, with at most {} games.",
        evidence.runs.len(),
        own.len(),
        plan.variant,
        thousands(longest)
    )];
    let times = proposed.games as f64 / longest as f64;
    if times > FAR && !proposed.course.is_empty() {
        notes.push(format!(
            "{} games are {times:.0} times as many: no recorded run is that long, so the interval \
             is wide.",
            thousands(proposed.games)
        ));
    }
    if plan.outlooks.iter().any(|outlook| outlook.gain.is_some()) {
        let note = match plan.proposed {
            0 => {
                "No other settings are known to be better in the same time, so the defaults are \
                 recommended."
            }
            _ => "The recommended settings are better than the defaults beyond doubt.",
        };
        notes.push(note.to_owned());
    }
    let without = plan.outlooks.iter().filter(|other| other.unknown.is_some());
    let without: Vec<&str> = without.map(|other| other.choice.preset.as_str()).collect();
    if !without.is_empty() {
        notes.push(format!(
            "It is not known whether {} would be stronger in the same time; a run of it, given \
             with --run, would tell.",
            without.join(" or ")
        ));
    }
    notes
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machines = match self.machines {
            1 => "one machine like this one".to_owned(),
            n => format!("{n} machines like this one"),
        };
        writeln!(f, "{}, {} h, {machines}", self.variant, self.hours)?;
        writeln!(
            f,
            "\n  {:8} {:>11} {:>11} {:>12} {:>11}  {:16} against the first",
            "network", "simulations", "generations", "games", "positions/s", "Elo above random"
        )?;
        for (place, outlook) in self.outlooks.iter().enumerate() {
            let Outlook { choice, .. } = outlook;
            let mark = if place == self.proposed { '>' } else { ' ' };
            let rating = outlook.course.last().map(|last| last.rating.to_string());
            let gain = outlook
                .gain
                .map(|Expected { elo, ci95 }| format!("{:+.0} ±{ci95:.0}", tidy(elo, 0)));
            let line = format!(
                "{mark} {:8} {:>11} {:>11} {:>12} {:>11.0}  {:16} {}",
                choice.preset,
                choice.simulations,
                outlook.generations,
                thousands(outlook.games),
                choice.pace.positions_per_s,
                rating.unwrap_or_else(|| "not known".to_owned()),
                gain.unwrap_or_default()
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        let course = &self.outlooks[self.proposed].course;
        if !course.is_empty() {
            writeln!(f, "\nExpected, in Elo above random, with 95 % intervals:")?;
        }
        for moment in course {
            writeln!(
                f,
                "  after {:>6.1} h, {:>11} games: {}",
                moment.hours,
                thousands(moment.games),
                moment.rating
            )?;
        }
        writeln!(f)?;
        for command in &self.commands {
            writeln!(f, "  {command}")?;
        }
        writeln!(f)?;
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
