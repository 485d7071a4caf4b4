//! From game counts to a rating table: priors, gauge, intervals, order.

use serde::{Deserialize, Serialize};

use super::NATURAL_PER_ELO;
use super::components::{connected, everybody_scored};
use super::fit::{Fit, Problem};
use super::likelihood::{Games, log_likelihood, outcome_probabilities};
use super::tally::Tallies;
use crate::elo::{Z_95, normal_cdf};
use crate::error::EvalError;

/// How to rate.
#[derive(Clone, Debug)]
pub struct RatingOptions {
    /// Virtual draws per player, spread over the opponents in proportion to games, half with each
    /// colour (BayesElo's prior; its default is 2). 0 is plain maximum likelihood.
    pub prior: f64,
    /// The player whose rating is 0 by definition. Without one (or in a component without that
    /// player) the mean rating is 0.
    pub anchor: Option<String>,
}

/// One player's line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRating {
    /// The player's name.
    pub name: String,
    /// The rating.
    pub elo: f64,
    /// Half the width of the 95 % interval, relative to the anchor or the component's mean.
    pub ci95: f64,
    /// Games played.
    pub games: u64,
    /// Share of the points taken, 0 to 1.
    pub score: f64,
    /// Share of the games drawn, 0 to 1.
    pub draws: f64,
    /// Probability of being stronger than the next player of the component; none for its last.
    pub los_next: Option<f64>,
}

/// Players who can be compared with each other, strongest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Names, strongest first.
    pub players: Vec<String>,
    /// False when some players took no point from the others, directly or through third ones:
    /// then the games alone bound no distance, and only the prior keeps the numbers finite.
    pub bounded: bool,
}

/// Ratings of a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// By component, strongest first in each.
    pub players: Vec<PlayerRating>,
    /// Elo that moving first is worth.
    pub advantage: f64,
    /// The model's draw Elo: 0 means no draws.
    pub draw_elo: f64,
    /// Groups of players connected by games; ratings of different groups cannot be compared.
    pub components: Vec<Component>,
}

impl RatingTable {
    /// Fisher information per game about a rating difference near `difference` (in Elo): the
    /// greater, the more a game between two such players tells.
    pub fn information(&self, difference: f64) -> f64 {
        let draw = self.draw_elo * NATURAL_PER_ELO;
        let with_first_move = [self.advantage, -self.advantage].map(|advantage| {
            let x = (difference + advantage) * NATURAL_PER_ELO;
            log_likelihood(outcome_probabilities(x, draw), x, draw).curve_xx
        });
        with_first_move.iter().sum::<f64>() / 2.0 * NATURAL_PER_ELO.powi(2)
    }

    /// The line of a player.
    pub fn player(&self, name: &str) -> Option<&PlayerRating> {
        self.players.iter().find(|player| player.name == name)
    }
}

/// Rates all players of a pool.
pub fn rate(tallies: &Tallies, options: &RatingOptions) -> Result<RatingTable, EvalError> {
    let n = tallies.names().len();
    let played: Vec<_> = tallies.counts().map(|(pair, _)| pair).collect();
    let component = connected(n, &played);
    let games = with_virtual_draws(tallies, options.prior);
    let problem = Problem {
        games: &games,
        component: &component,
        with_prior: options.prior > 0.0,
    };
    let fit = problem.fit().ok_or(EvalError::NoFit { players: n })?;
    let n_components = component.iter().max().map_or(0, |max| max + 1);
    let mut table = RatingTable {
        players: Vec::with_capacity(n),
        advantage: fit.advantage / NATURAL_PER_ELO,
        draw_elo: fit.draw / NATURAL_PER_ELO,
        components: Vec::with_capacity(n_components),
    };
    let scored = scored_against(tallies);
    for number in 0..n_components {
        let mut members: Vec<usize> = (0..n).filter(|&p| component[p] == number).collect();
        members.sort_by(|&a, &b| fit.ratings[b].total_cmp(&fit.ratings[a]));
        let bounded = everybody_scored(&members, &scored);
        table
            .players
            .extend(lines(tallies, &fit, &members, options.anchor.as_deref()));
        let players = members
            .iter()
            .map(|&p| tallies.names()[p].clone())
            .collect();
        table.components.push(Component { players, bounded });
    }
    Ok(table)
}

/// The lines of one component's members, which are sorted by rating.
fn lines(
    tallies: &Tallies,
    fit: &Fit,
    members: &[usize],
    anchor: Option<&str>,
) -> Vec<PlayerRating> {
    let anchor = members
        .iter()
        .copied()
        .find(|&p| Some(tallies.names()[p].as_str()) == anchor);
    let gauge = Gauge::new(fit, members, anchor);
    let totals = totals(tallies);
    members
        .iter()
        .enumerate()
        .map(|(rank, &player)| {
            let [wins, draws, losses] = totals[player];
            let games = wins + draws + losses;
            let share = |points: f64| points / games.max(1) as f64;
            let los_next = members.get(rank + 1).map(|&next| {
                let gap = fit.ratings[player] - fit.ratings[next];
                normal_cdf(gap / difference_variance(fit, player, next).sqrt().max(1e-12))
            });
            PlayerRating {
                name: tallies.names()[player].clone(),
                elo: (fit.ratings[player] - gauge.zero) / NATURAL_PER_ELO,
                ci95: Z_95 * gauge.variance(fit, player).max(0.0).sqrt() / NATURAL_PER_ELO,
                games,
                score: share(wins as f64 + 0.5 * draws as f64),
                draws: share(draws as f64),
                los_next,
            }
        })
        .collect()
}

/// What ratings of a component are measured from: the anchor, or the mean of its members.
struct Gauge<'a> {
    anchor: Option<usize>,
    members: &'a [usize],
    zero: f64,
    /// Variance of the mean of all members.
    mean_variance: f64,
}

impl<'a> Gauge<'a> {
    fn new(fit: &Fit, members: &'a [usize], anchor: Option<usize>) -> Self {
        let mean = |values: &dyn Fn(usize) -> f64| {
            members.iter().map(|&p| values(p)).sum::<f64>() / members.len() as f64
        };
        let zero = anchor.map_or_else(|| mean(&|p| fit.ratings[p]), |p| fit.ratings[p]);
        let mean_variance = mean(&|p| mean(&|q| fit.covariance.get(p, q)));
        Self {
            anchor,
            members,
            zero,
            mean_variance,
        }
    }

    /// Variance of the player's distance from the gauge's zero.
    fn variance(&self, fit: &Fit, player: usize) -> f64 {
        if let Some(anchor) = self.anchor {
            return difference_variance(fit, player, anchor);
        }
        let with_mean = self
            .members
            .iter()
            .map(|&p| fit.covariance.get(player, p))
            .sum::<f64>()
            / self.members.len() as f64;
        fit.covariance.get(player, player) - 2.0 * with_mean + self.mean_variance
    }
}

/// Variance of the difference of two ratings.
fn difference_variance(fit: &Fit, a: usize, b: usize) -> f64 {
    let covariance = &fit.covariance;
    covariance.get(a, a) + covariance.get(b, b) - 2.0 * covariance.get(a, b)
}

/// [player] wins, draws, losses over all games.
fn totals(tallies: &Tallies) -> Vec<[u64; 3]> {
    let mut totals = vec![[0; 3]; tallies.names().len()];
    for ((first, second), [wins, draws, losses]) in tallies.counts() {
        for (player, counts) in [
            (first, [wins, draws, losses]),
            (second, [losses, draws, wins]),
        ] {
            totals[player]
                .iter_mut()
                .zip(counts)
                .for_each(|(total, count)| *total += count);
        }
    }
    totals
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

/// The games, and the prior's virtual draws beside them.
fn with_virtual_draws(tallies: &Tallies, prior: f64) -> Vec<Games> {
    let totals: Vec<f64> = totals(tallies)
        .iter()
        .map(|t| t.iter().sum::<u64>() as f64)
        .collect();
    let mut games = Vec::new();
    for ((first, second), counts) in tallies.counts() {
        games.push(Games {
            first,
            second,
            counts: counts.map(|n| n as f64),
        });
        let n_games: f64 = counts.iter().sum::<u64>() as f64;
        // Each player brings prior/2 draws, a quarter of the prior with each colour.
        let draws = prior / 4.0 * (n_games / totals[first] + n_games / totals[second]);
        if draws > 0.0 {
            games.push(Games {
                first,
                second,
                counts: [0.0, draws, 0.0],
            });
            games.push(Games {
                first: second,
                second: first,
                counts: [0.0, draws, 0.0],
            });
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_between_equals_tell_the_most() {
        let table = RatingTable {
            players: vec![],
            advantage: 30.0,
            draw_elo: 0.0,
            components: vec![],
        };
        let at = |difference| table.information(difference);
        assert!((at(100.0) - at(-100.0)).abs() < 1e-12);
        assert!(at(0.0) > at(100.0) && at(100.0) > at(800.0));
        let equal = RatingTable {
            advantage: 0.0,
            ..table
        };
        // Without draws and advantage: p·(1-p) per squared natural unit.
        assert!((equal.information(0.0) - 0.25 * NATURAL_PER_ELO.powi(2)).abs() < 1e-12);
    }
}
