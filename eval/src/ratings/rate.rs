//! From game counts to ratings: components, the fit, the gauge, the order.

use super::NATURAL_PER_ELO;
use super::components::{connected, everybody_scored};
use super::fit::{Fit, Problem};
use super::prior::with_virtual_draws;
use super::table::{Component, PlayerRating, RatingOptions, RatingTable};
use super::tally::Tallies;
use crate::elo::{Z_95, normal_cdf};
use crate::error::EvalError;

/// The most players that one fit takes: its memory grows with the square of their number, to about
/// a gigabyte here. It does not grow with the number of games.
const MAX_PLAYERS: usize = 4096;

/// A rating table and the joint uncertainty behind it.
pub struct RatingFit {
    /// The table.
    pub table: RatingTable,
    fit: Fit,
    /// [line of the table] player number in the fit
    player: Vec<usize>,
}

impl RatingFit {
    /// Rates all players of a pool.
    ///
    /// # Errors
    /// When there are too many players, or counts so absurd that arithmetic breaks down.
    pub fn new(tallies: &Tallies, options: &RatingOptions) -> Result<Self, EvalError> {
        let n = tallies.names().len();
        if n > MAX_PLAYERS {
            return Err(EvalError::TooManyPlayers {
                players: n,
                limit: MAX_PLAYERS,
            });
        }
        let played: Vec<_> = tallies.counts().map(|(pair, _)| pair).collect();
        let component = connected(n, &played);
        let problem = Problem {
            games: &with_virtual_draws(tallies, options.prior),
            component: &component,
            draw_model: options.draw_model,
            with_prior: options.prior > 0.0,
        };
        let fit = problem.fit().ok_or(EvalError::NoFit { players: n })?;
        let mut result = Self {
            table: RatingTable {
                players: Vec::with_capacity(n),
                advantage: fit.advantage / NATURAL_PER_ELO,
                draw_elo: options.draw_model.draw_elo(fit.draw),
                draw_model: options.draw_model,
                components: Vec::new(),
            },
            player: Vec::with_capacity(n),
            fit,
        };
        let (totals, scored) = (tallies.totals(), scored_against(tallies));
        for number in 0..component.iter().max().map_or(0, |max| max + 1) {
            let mut members: Vec<usize> = (0..n).filter(|&p| component[p] == number).collect();
            let rating = |player: usize| result.fit.ratings[player];
            members.sort_by(|&a, &b| rating(b).total_cmp(&rating(a)));
            let bounded = everybody_scored(&members, &scored);
            let names = tallies.names();
            let anchor = members
                .iter()
                .copied()
                .find(|&p| Some(&names[p]) == options.anchor.as_ref());
            let lines = lines(&result.fit, &members, anchor);
            for (mut line, &player) in lines.into_iter().zip(&members) {
                line.set_results(&names[player], totals[player]);
                result.table.players.push(line);
            }
            let players = members.iter().map(|&p| names[p].clone()).collect();
            result.table.components.push(Component { players, bounded });
            result.player.extend(members);
        }
        Ok(result)
    }

    /// Probability that the player in line `a` of the table is stronger than the one in line `b`,
    /// both of one component; one half where `a` is `b` or there is no such line.
    pub fn superiority(&self, a: usize, b: usize) -> f64 {
        match (self.player.get(a), self.player.get(b)) {
            (Some(&a), Some(&b)) if a != b => superiority(&self.fit, a, b),
            _ => 0.5,
        }
    }
}

/// Rates all players of a pool: [`RatingFit`] without the uncertainty of differences.
///
/// # Errors
/// As [`RatingFit::new`].
pub fn rate(tallies: &Tallies, options: &RatingOptions) -> Result<RatingTable, EvalError> {
    Ok(RatingFit::new(tallies, options)?.table)
}

impl PlayerRating {
    fn set_results(&mut self, name: &str, [wins, draws, losses]: [u64; 3]) {
        name.clone_into(&mut self.name);
        self.games = wins + draws + losses;
        let share = |points: f64| points / self.games.max(1) as f64;
        (self.score, self.draws) = (share(wins as f64 + 0.5 * draws as f64), share(draws as f64));
    }
}

/// The lines of one component's members, which are sorted by rating; names and results are missing.
fn lines(fit: &Fit, members: &[usize], anchor: Option<usize>) -> Vec<PlayerRating> {
    let gauge = Gauge::new(fit, members, anchor);
    let line = |(rank, &player): (usize, &usize)| PlayerRating {
        name: String::new(),
        elo: (fit.ratings[player] - gauge.zero) / NATURAL_PER_ELO,
        ci95: Z_95 * gauge.variance(player).max(0.0).sqrt() / NATURAL_PER_ELO,
        games: 0,
        score: 0.0,
        draws: 0.0,
        los_next: members
            .get(rank + 1)
            .map(|&next| superiority(fit, player, next)),
    };
    members.iter().enumerate().map(line).collect()
}

/// What ratings of a component are measured from: the anchor, or the mean of its members.
struct Gauge<'a> {
    fit: &'a Fit,
    members: &'a [usize],
    anchor: Option<usize>,
    zero: f64,
    /// Variance of the mean of all members.
    mean_variance: f64,
}

impl<'a> Gauge<'a> {
    fn new(fit: &'a Fit, members: &'a [usize], anchor: Option<usize>) -> Self {
        let mean = |values: &dyn Fn(usize) -> f64| {
            members.iter().map(|&p| values(p)).sum::<f64>() / members.len() as f64
        };
        let zero = anchor.map_or_else(|| mean(&|p| fit.ratings[p]), |p| fit.ratings[p]);
        let mean_variance = mean(&|p| mean(&|q| fit.covariance.get(p, q)));
        Self {
            fit,
            members,
            anchor,
            zero,
            mean_variance,
        }
    }

    /// Variance of the player's distance from the gauge's zero.
    fn variance(&self, player: usize) -> f64 {
        if let Some(anchor) = self.anchor {
            return difference_variance(self.fit, player, anchor);
        }
        let covariance = &self.fit.covariance;
        let with_all: f64 = self
            .members
            .iter()
            .map(|&p| covariance.get(player, p))
            .sum();
        let with_mean = with_all / self.members.len() as f64;
        covariance.get(player, player) - 2.0 * with_mean + self.mean_variance
    }
}

/// Probability that one rating is above another.
fn superiority(fit: &Fit, a: usize, b: usize) -> f64 {
    let deviation = difference_variance(fit, a, b).max(0.0).sqrt();
    normal_cdf((fit.ratings[a] - fit.ratings[b]) / deviation.max(1e-12))
}

/// Variance of the difference of two ratings.
fn difference_variance(fit: &Fit, a: usize, b: usize) -> f64 {
    let covariance = &fit.covariance;
    covariance.get(a, a) + covariance.get(b, b) - 2.0 * covariance.get(a, b)
}

/// Pairs (a, b) where a took at least half a point from b.
fn scored_against(tallies: &Tallies) -> Vec<(usize, usize)> {
    let edges = tallies
        .counts()
        .flat_map(|((first, second), [wins, draws, losses])| {
            [
                (wins + draws > 0, (first, second)),
                (losses + draws > 0, (second, first)),
            ]
        });
    edges
        .filter_map(|(scored, pair)| scored.then_some(pair))
        .collect()
}
