//! The checks of `doctor`. Limits without a source are far from the values of the runs in
//! RESULTS.md.

use eval::Verdict;
use store::Phase;
use types::{mean, tidy};

use super::values::Estimate;
use super::{History, Trend, ValueScores};
use run::{EndgameMetrics, SelfplayMetrics, StageCost, TrainMetrics, Validation, show_seconds};

/// The observation and the advice; `None` if all is well or there is too little data.
type Found = Option<(String, &'static str)>;

pub(super) type Check = fn(&History) -> Found;

/// All checks by name, most serious first, each with the trend that it indicates.
pub(super) const ALL: &[(&str, Check, Option<Trend>)] = &[
    ("skipped steps", skipped_steps, Some(Trend::Collapsed)),
    ("slow generations", slow_generations, None),
    ("no champion", no_champion, Some(Trend::Flat)),
    ("draws", draws, Some(Trend::Collapsed)),
    ("one-sided games", one_sided_games, Some(Trend::Collapsed)),
    ("entropy", entropy, Some(Trend::Collapsed)),
    ("search", search, Some(Trend::Collapsed)),
    ("searched values", searched_values, None),
    ("biased values", biased_values, None),
    ("overfitting", overfitting, Some(Trend::Starved)),
    ("duplicates", duplicates, Some(Trend::Starved)),
    ("truncated games", truncated_games, None),
    ("steps", steps, Some(Trend::Starved)),
    ("stale samples", stale_samples, Some(Trend::Starved)),
    ("clipped steps", clipped_steps, None),
    ("gates", gates, Some(Trend::Flat)),
    ("overhead", overhead, None),
    ("endings", endings, None),
    ("standstill", standstill, Some(Trend::Flat)),
];

/// Seconds without a finished generation, and mean seconds of a generation, that suggest a network
/// too large for the machine. Usual: 10 to 120.
const SLOW: (f64, f64) = (30.0, 1800.0);
/// Generations after which an untrained champion is a bad sign.
const FIRST_GENERATIONS: u32 = 5;
/// Share of drawn games above which there is little to learn from. Usual: 0.1 to 0.5.
const DRAWS: f64 = 0.9;
/// Score of one side. Usual: 0.4 to 0.6.
const ONE_SIDED: f64 = 0.85;
/// Policy entropy in nats below which search looks at one move only. Usual: 1.0 to 1.5.
const ENTROPY: f64 = 0.15;
/// Divergence of targets from the network's policy in nats. Usual: 0.3 to 0.4.
const SEARCH_GAIN: f64 = 0.02;
/// Bias of searched values in points from -1 to 1; the mean over all simulations, which is known to
/// be biased, has 0.08.
const BIAS: f64 = 0.02;
/// Minimum number of games to judge values.
const GAMES: usize = 200;
/// Number of standard errors that make a mean significant.
const SIGNIFICANT: f64 = 2.0;
/// Maximum excess loss on held-out games over learned ones, in nats, certain by [`SIGNIFICANT`]:
/// a measurement has some 150 games of each kind. In the same generation of two runs it was +0.06
/// and -0.05.
const OVER_FIT_VALUE: f64 = 0.05;
/// See [`OVER_FIT_VALUE`].
const OVER_FIT_POLICY: f64 = 0.15;
/// Share of repeated games. Usual: 0.
const DUPLICATES: f64 = 0.1;
/// Share of truncated games. Usual: 0.
const TRUNCATED: f64 = 0.02;
/// Steps per generation below which consecutive models are too similar. Usual: 200 to 1000.
const STEPS: f64 = 30.0;
/// Mean age of the window's samples in generations. Usual: 2 to 10.
const AGE: f64 = 25.0;
/// Gradient norm divided by the clipping limit: above this, the limit alone decides the step size.
const CLIPPED: f64 = 8.0;
/// Minimum number of gates to judge together, and the maximum share of undecided ones.
const GATES: (usize, f64) = (10, 0.8);
/// Share of a run's time in gates and ratings. Usual: 0.1 to 0.15.
const OVERHEAD: f64 = 0.35;
/// Minimum number of endgame measurements, the acceptable blunder rate, and the factor by which a
/// higher rate has to fall.
const ENDINGS: (usize, f64, f64) = (20, 0.03, 0.8);
/// Number of ratings before a standstill is reported, and the gain of the last third, in Elo, that
/// counts as progress.
pub(super) const STANDSTILL: (usize, f64) = (9, 10.0);

fn percent(share: f64) -> String {
    format!("{:.0} %", tidy(100.0 * share, 0))
}

fn skipped_steps(run: &History) -> Found {
    let skipped = run.last(TrainMetrics::SKIPPED)?;
    let steps = run.last(TrainMetrics::STEPS)?;
    let seen = format!(
        "{skipped} of the last {steps} optimizer steps were skipped because a number was not finite"
    );
    let advice = "lower train.learning_rate, and start a new run if it continues";
    (skipped > 0.0).then_some((seen, advice))
}

fn slow_generations(run: &History) -> Found {
    let (without, with) = SLOW;
    let time = show_seconds(run.seconds / f64::from(run.generations.max(1)));
    let seen = match run.generations {
        0 if run.seconds >= without => format!("no generation was finished in {time}"),
        1.. if run.seconds >= with * f64::from(run.generations) => {
            format!("a generation takes {time}")
        }
        _ => return None,
    };
    let advice = "the network may be too large for this machine: crownhead plan measures which one \
                  is not, and --preset nano in a new run is the smallest";
    Some((seen, advice))
}

fn no_champion(run: &History) -> Found {
    let generations = run.generations;
    let seen =
        format!("no candidate has beaten the untrained network in {generations} generations");
    let advice = "training does not work: check the losses, raise selfplay.games_per_generation, \
                  or try the defaults";
    (run.champion == 0 && generations > FIRST_GENERATIONS).then_some((seen, advice))
}

fn draws(run: &History) -> Found {
    let share = run.recent(SelfplayMetrics::DRAW_RATE)?;
    let seen = format!(
        "{} of the games are drawn: the network may be learning that everything is a draw",
        percent(share)
    );
    let advice = "raise selfplay.opening_plies for less balanced openings, or set \
                  search.draw_score below 0";
    (share > DRAWS).then_some((seen, advice))
}

fn one_sided_games(run: &History) -> Found {
    let share = run.recent(SelfplayMetrics::FIRST_PLAYER_SCORE)?;
    let seen = format!(
        "the side that moves first scores {} in self-play",
        percent(share)
    );
    let advice = "raise selfplay.opening_plies, so that both sides have something to learn";
    (share.max(1.0 - share) > ONE_SIDED).then_some((seen, advice))
}

fn entropy(run: &History) -> Found {
    let nats = run.recent(Validation::POLICY_ENTROPY)?;
    let seen = format!(
        "the policy's entropy has fallen to {:.2} nats: search looks at one move only",
        tidy(nats, 2)
    );
    let advice = "lower search.c_scale or raise search.gumbel_scale, so that other moves are tried";
    (nats < ENTROPY).then_some((seen, advice))
}

fn search(run: &History) -> Found {
    let nats = run.recent(SelfplayMetrics::SEARCH_GAIN)?;
    let seen = format!(
        "search changes the network's policy by only {nats:.3} nats, so there is little to learn \
         from it"
    );
    (nats < SEARCH_GAIN).then_some((seen, "raise search.simulations"))
}

fn values(run: &History) -> Option<&ValueScores> {
    run.values.as_ref().filter(|values| values.games >= GAMES)
}

fn searched_values(run: &History) -> Found {
    let gain = values(run)?.gain;
    let (less, error) = (-gain.mean, SIGNIFICANT * gain.error);
    let seen = format!(
        "the network's own values predict the results better than the searched ones: their squared \
         error is {less:.4} ±{error:.4} smaller"
    );
    let advice = "raise search.simulations, or set train.value_root_fraction to 0";
    (less > error).then_some((seen, advice))
}

fn biased_values(run: &History) -> Found {
    let bias = values(run)?.bias;
    let (off, error) = (bias.mean.abs(), SIGNIFICANT * bias.error);
    let direction = if bias.mean < 0.0 { "low" } else { "high" };
    let seen = format!(
        "searched values are {off:.3} ±{error:.3} points too {direction} for the side to move"
    );
    let advice = "lower train.value_root_fraction, so that results correct them";
    (off > BIAS + error).then_some((seen, advice))
}

fn overfitting(run: &History) -> Found {
    let value = run.gap(Validation::HELD_OUT_VALUE, Validation::LEARNED_VALUE)?;
    let policy = run.gap(Validation::HELD_OUT_POLICY, Validation::LEARNED_POLICY)?;
    let exceeds = |gap: Estimate, limit| gap.mean - SIGNIFICANT * gap.error > limit;
    let shown = |gap: Estimate| format!("{:.3} ±{:.3}", gap.mean, SIGNIFICANT * gap.error);
    let seen = format!(
        "the network's loss on games held out of training is {} nats higher in values and {} in \
         policies than on games it has learned from",
        shown(value),
        shown(policy)
    );
    let advice = "lower train.samples_per_position, or raise window.min_samples";
    (exceeds(value, OVER_FIT_VALUE) || exceeds(policy, OVER_FIT_POLICY)).then_some((seen, advice))
}

fn duplicates(run: &History) -> Found {
    let share = run.recent(SelfplayMetrics::DUPLICATE_RATE)?;
    let seen = format!("{} of the games repeat another one", percent(share));
    let advice = "raise selfplay.opening_plies or search.gumbel_scale";
    (share > DUPLICATES).then_some((seen, advice))
}

fn truncated_games(run: &History) -> Found {
    let (truncated, games) = (
        run.last(SelfplayMetrics::TRUNCATED)?,
        run.games_per_generation,
    );
    let seen = format!("{truncated} of the last {games} games were cut off without a result");
    (truncated > TRUNCATED * f64::from(games)).then_some((seen, "raise selfplay.max_plies"))
}

fn steps(run: &History) -> Found {
    let steps = run.recent(TrainMetrics::STEPS)?;
    let seen = format!(
        "a generation has only {steps:.0} training steps: consecutive models are too similar"
    );
    let advice = "raise selfplay.games_per_generation or train.samples_per_position";
    (steps < STEPS).then_some((seen, advice))
}

fn stale_samples(run: &History) -> Found {
    let age = run.recent(TrainMetrics::WINDOW_AGE)?;
    let seen = format!(
        "the samples are {age:.0} generations old on average: the players were much weaker"
    );
    let advice = "lower window.max_samples, or raise selfplay.games_per_generation";
    (age > AGE).then_some((seen, advice))
}

fn clipped_steps(run: &History) -> Found {
    let norm = run.recent(TrainMetrics::GRADIENT_NORM)?;
    let limit = run.gradient_clip?;
    let seen = format!("the gradient norm is {norm:.1}, and all gradients are clipped to {limit}");
    let advice = "raise train.gradient_clip, or lower train.learning_rate";
    (norm > CLIPPED * limit).then_some((seen, advice))
}

fn gates(run: &History) -> Found {
    let (least, most) = GATES;
    let inconclusive = run.gates.iter().filter(|&&v| v == Verdict::Inconclusive);
    let (n, total) = (inconclusive.count(), run.gates.len());
    let seen = format!("{n} of the last {total} gates were undecided");
    let advice = "raise gate.max_pairs, or raise gate.every_generations, so that candidates differ \
                  more";
    (total >= least && n as f64 > most * total as f64).then_some((seen, advice))
}

fn overhead(run: &History) -> Found {
    let [play, train, gate, rate] = Phase::ALL.map(|stage| {
        let seconds = run.points(StageCost::seconds_of(stage));
        seconds.iter().sum::<f64>()
    });
    let total = play + train + gate + rate;
    let share = (gate + rate) / total.max(1e-9);
    let seen = format!("gates and ratings take {} of the time", percent(share));
    let advice = "raise gate.every_generations and rating.every_generations";
    (share > OVERHEAD && run.generations > FIRST_GENERATIONS).then_some((seen, advice))
}

fn endings(run: &History) -> Found {
    let (least, fine, fall) = ENDINGS;
    let points = run.points(EndgameMetrics::SEARCH_BLUNDERS);
    let now = run.recent(EndgameMetrics::SEARCH_BLUNDERS)?;
    let before = mean(&points[points.len() / 4..points.len() / 2])?;
    let seen = format!(
        "with search, the blunder rate in endings is {}, and it was {} earlier in the run",
        percent(now),
        percent(before)
    );
    let advice = "to learn endings earlier, raise endgame.lessons, or give players a database, \
                  such as run:DIR,endgames=FOLDER (crownhead endgame build)";
    let is_stuck = now > fine && now > fall * before;
    (points.len() >= least && is_stuck).then_some((seen, advice))
}

fn standstill(run: &History) -> Found {
    let (least, usual) = STANDSTILL;
    let gain = run.gain()?.mean;
    let advice = "start a new run with a larger network (model.preset) or more search.simulations";
    (gain < usual && run.ratings.len() >= least).then(|| (rise(gain), advice))
}

/// Description of the gain in ratings.
pub(super) fn rise(gain: f64) -> String {
    let gain = tidy(gain, 0);
    format!("the last third of the ratings is {gain:+.0} Elo above the third before")
}

#[cfg(test)]
mod tests;
