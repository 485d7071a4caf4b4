//! The checks of `doctor`. Limits without a source are far from the values of the runs in
//! RESULTS.md.

use eval::Verdict;
use store::Phase;
use types::{mean, tidy};

use super::values::Estimate;
use super::{History, Trend, ValueScores};
use run::{EndgameMetrics, SelfplayMetrics, StageCost, TrainMetrics, Validation, show_seconds};

/// The observation and the advice; `None` if all is well or there is too little data.
pub(super) type Check = fn(&History) -> Option<(String, &'static str)>;

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

fn skipped_steps(run: &History) -> Option<(String, &'static str)> {
    let skipped = run.last(TrainMetrics::SKIPPED).filter(|&n| n > 0.0)?;
    let steps = run.last(TrainMetrics::STEPS)?;
    Some((
        format!(
            "{skipped} of the last {steps} optimizer steps were skipped because a number was not \
                finite"
        ),
        "lower train.learning_rate, and start a new run if it continues",
    ))
}

fn slow_generations(run: &History) -> Option<(String, &'static str)> {
    let (without, with) = SLOW;
    let time = show_seconds(run.seconds / f64::from(run.generations.max(1)));
    let seen = match run.generations {
        0 if run.seconds >= without => format!("no generation was finished in {time}"),
        1.. if run.seconds >= with * f64::from(run.generations) => {
            format!("a generation takes {time}")
        }
        _ => return None,
    };
    Some((
        seen,
        "the network may be too large for this machine: crownhead plan measures which one is not, \
         and --preset nano in a new run is the smallest",
    ))
}

fn no_champion(run: &History) -> Option<(String, &'static str)> {
    let is_untrained = run.champion == 0 && run.generations > FIRST_GENERATIONS;
    is_untrained.then(|| {
        (
            format!(
                "no candidate has beaten the untrained network in {} generations",
                run.generations
            ),
            "training does not work: check the losses, raise selfplay.games_per_generation, or try \
             the defaults",
        )
    })
}

fn draws(run: &History) -> Option<(String, &'static str)> {
    let share = run
        .recent(SelfplayMetrics::DRAW_RATE)
        .filter(|&s| s > DRAWS)?;
    Some((
        format!(
            "{} of the games are drawn: the network may be learning that everything is a draw",
            percent(share)
        ),
        "raise selfplay.opening_plies for less balanced openings, or set search.draw_score below 0",
    ))
}

fn one_sided_games(run: &History) -> Option<(String, &'static str)> {
    let share = run.recent(SelfplayMetrics::FIRST_PLAYER_SCORE)?;
    (share.max(1.0 - share) > ONE_SIDED).then(|| {
        (
            format!(
                "the side that moves first scores {} in self-play",
                percent(share)
            ),
            "raise selfplay.opening_plies, so that both sides have something to learn",
        )
    })
}

fn entropy(run: &History) -> Option<(String, &'static str)> {
    let nats = run
        .recent(Validation::POLICY_ENTROPY)
        .filter(|&nats| nats < ENTROPY)?;
    Some((
        format!(
            "the policy's entropy has fallen to {:.2} nats: search looks at one move only",
            tidy(nats, 2)
        ),
        "lower search.c_scale or raise search.gumbel_scale, so that other moves are tried",
    ))
}

fn search(run: &History) -> Option<(String, &'static str)> {
    let nats = run
        .recent(SelfplayMetrics::SEARCH_GAIN)
        .filter(|&nats| nats < SEARCH_GAIN)?;
    Some((
        format!(
            "search changes the network's policy by only {nats:.3} nats, so there is little to \
            learn from it"
        ),
        "raise search.simulations",
    ))
}

fn values(run: &History) -> Option<&ValueScores> {
    run.values.as_ref().filter(|values| values.games >= GAMES)
}

fn searched_values(run: &History) -> Option<(String, &'static str)> {
    let gain = values(run)?.gain;
    (gain.mean < -SIGNIFICANT * gain.error).then(|| {
        (
            format!(
                "the network's own values predict the results better than the searched ones: their \
                 squared error is {:.4} ±{:.4} smaller",
                -gain.mean,
                SIGNIFICANT * gain.error
            ),
            "raise search.simulations, or set train.value_root_fraction to 0",
        )
    })
}

fn biased_values(run: &History) -> Option<(String, &'static str)> {
    let bias = values(run)?.bias;
    (bias.mean.abs() > BIAS + SIGNIFICANT * bias.error).then(|| {
        (
            format!(
                "searched values are {:.3} ±{:.3} points too {} for the side to move",
                bias.mean.abs(),
                SIGNIFICANT * bias.error,
                if bias.mean < 0.0 { "low" } else { "high" }
            ),
            "lower train.value_root_fraction, so that results correct them",
        )
    })
}

fn overfitting(run: &History) -> Option<(String, &'static str)> {
    let value = run.gap(Validation::HELD_OUT_VALUE, Validation::LEARNED_VALUE)?;
    let policy = run.gap(Validation::HELD_OUT_POLICY, Validation::LEARNED_POLICY)?;
    let exceeds = |gap: Estimate, limit| gap.mean - SIGNIFICANT * gap.error > limit;
    (exceeds(value, OVER_FIT_VALUE) || exceeds(policy, OVER_FIT_POLICY)).then(|| {
        let shown = |gap: Estimate| format!("{:.3} ±{:.3}", gap.mean, SIGNIFICANT * gap.error);
        (
            format!(
                "the network's loss on games held out of training is {} nats higher in values and \
                 {} in policies than on games it has learned from",
                shown(value),
                shown(policy)
            ),
            "lower train.samples_per_position, or raise window.min_samples",
        )
    })
}

fn duplicates(run: &History) -> Option<(String, &'static str)> {
    let share = run
        .recent(SelfplayMetrics::DUPLICATE_RATE)
        .filter(|&share| share > DUPLICATES)?;
    Some((
        format!("{} of the games repeat another one", percent(share)),
        "raise selfplay.opening_plies or search.gumbel_scale",
    ))
}

fn truncated_games(run: &History) -> Option<(String, &'static str)> {
    let (truncated, games) = (
        run.last(SelfplayMetrics::TRUNCATED)?,
        run.games_per_generation,
    );
    (truncated > TRUNCATED * f64::from(games)).then(|| {
        (
            format!("{truncated} of the last {games} games were cut off without a result"),
            "raise selfplay.max_plies",
        )
    })
}

fn steps(run: &History) -> Option<(String, &'static str)> {
    let steps = run
        .recent(TrainMetrics::STEPS)
        .filter(|&steps| steps < STEPS)?;
    Some((
        format!(
            "a generation has only {steps:.0} training steps: consecutive models are too similar"
        ),
        "raise selfplay.games_per_generation or train.samples_per_position",
    ))
}

fn stale_samples(run: &History) -> Option<(String, &'static str)> {
    let age = run
        .recent(TrainMetrics::WINDOW_AGE)
        .filter(|&age| age > AGE)?;
    Some((
        format!(
            "the samples are {age:.0} generations old on average: the players were much weaker"
        ),
        "lower window.max_samples, or raise selfplay.games_per_generation",
    ))
}

fn clipped_steps(run: &History) -> Option<(String, &'static str)> {
    let norm = run.recent(TrainMetrics::GRADIENT_NORM)?;
    let limit = run.gradient_clip?;
    (norm > CLIPPED * limit).then(|| {
        (
            format!("the gradient norm is {norm:.1}, and all gradients are clipped to {limit}"),
            "raise train.gradient_clip, or lower train.learning_rate",
        )
    })
}

fn gates(run: &History) -> Option<(String, &'static str)> {
    let (least, most) = GATES;
    let inconclusive = run.gates.iter().filter(|&&v| v == Verdict::Inconclusive);
    let (n, total) = (inconclusive.count(), run.gates.len());
    (total >= least && n as f64 > most * total as f64).then(|| {
        (
            format!("{n} of the last {total} gates were undecided"),
            "raise gate.max_pairs, or raise gate.every_generations, so that candidates differ more",
        )
    })
}

fn overhead(run: &History) -> Option<(String, &'static str)> {
    let [play, train, gate, rate] = Phase::ALL.map(|stage| {
        let seconds = run.points(StageCost::seconds_of(stage));
        seconds.iter().sum::<f64>()
    });
    let total = play + train + gate + rate;
    let share = (gate + rate) / total.max(1e-9);
    (share > OVERHEAD && run.generations > FIRST_GENERATIONS).then(|| {
        (
            format!("gates and ratings take {} of the time", percent(share)),
            "raise gate.every_generations and rating.every_generations",
        )
    })
}

fn endings(run: &History) -> Option<(String, &'static str)> {
    let (least, fine, fall) = ENDINGS;
    let points = run.points(EndgameMetrics::SEARCH_BLUNDERS);
    let now = run
        .recent(EndgameMetrics::SEARCH_BLUNDERS)
        .filter(|&now| points.len() >= least && now > fine)?;
    let before = mean(&points[points.len() / 4..points.len() / 2])?;
    (now > fall * before).then(|| {
        (
            format!(
                "with search, the blunder rate in endings is {}, and it was {} earlier in the run",
                percent(now),
                percent(before)
            ),
            "to learn endings earlier, raise endgame.lessons, or give players a database, such as \
                run:DIR,endgames=FOLDER (crownhead endgame build)",
        )
    })
}

fn standstill(run: &History) -> Option<(String, &'static str)> {
    let (least, usual) = STANDSTILL;
    let gain = run.gain().filter(|_| run.ratings.len() >= least)?;
    (gain.mean < usual).then(|| {
        (
            rise(gain.mean),
            "start a new run with a larger network (model.preset) or more search.simulations",
        )
    })
}

/// Description of the gain in ratings.
pub(super) fn rise(gain: f64) -> String {
    let gain = tidy(gain, 0);
    format!("the last third of the ratings is {gain:+.0} Elo above the third before")
}

#[cfg(test)]
mod tests;
