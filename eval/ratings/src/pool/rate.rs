//! From game counts to ratings: components, the fit, the gauge, the order.

use super::components::{connected, everybody_scored};
use super::fit::{Fit, FitProblem};
use super::prior::with_virtual_draws;
use super::table::{Component, PlayerRating, RatingOptions, RatingTable, USUAL_PRIOR};
use crate::elo::{NATURAL_PER_ELO, Z_95, normal_cdf};
use crate::error::RatingError;
use crate::tally::Tallies;

/// Maximum number of players in one fit, which holds up to five square matrices at a time, 0.7 GB
/// here.
const MAX_PLAYERS: usize = 4096;

/// A rating table and the joint uncertainty behind it.
pub struct RatingFit {
    /// The table.
    pub table: RatingTable,
    fit: Fit,
    /// A fit with the default prior for the likelihood of superiority, if the games alone do not
    /// bound the ratings: then the likelihood has no maximum that a normal distribution could
    /// approximate.
    with_prior: Option<Fit>,
    /// [line of the table] player number in the fit
    player: Vec<usize>,
}

impl RatingFit {
    /// Rates all players of a pool.
    ///
    /// # Errors
    /// If there are too many players, or the fit is numerically singular.
    pub fn new(tallies: &Tallies, options: &RatingOptions) -> Result<Self, RatingError> {
        let n = tallies.names().len();
        if n > MAX_PLAYERS {
            return Err(RatingError::TooManyPlayers {
                players: n,
                limit: MAX_PLAYERS,
            });
        }
        let played: Vec<_> = tallies.counts().map(|(pair, _)| pair).collect();
        let component = connected(n, &played);
        let members = members_by_component(tallies, &component);
        let fit_with = |prior: f64| {
            let problem = FitProblem {
                games: &with_virtual_draws(tallies, prior),
                component: &component,
                draw_model: options.draw_model,
                with_prior: prior > 0.0,
            };
            problem.fit().ok_or(RatingError::NoFit { players: n })
        };
        let fit = fit_with(options.prior)?;
        let is_shapeless = options.prior == 0.0 && members.iter().any(|members| !members.bounded);
        let with_prior = is_shapeless.then(|| fit_with(USUAL_PRIOR)).transpose()?;
        let mut result = Self {
            table: RatingTable {
                players: Vec::with_capacity(n),
                advantage: fit.advantage / NATURAL_PER_ELO,
                draw_elo: options.draw_model.draw_elo(fit.draw),
                draw_model: options.draw_model,
                components: Vec::with_capacity(members.len()),
            },
            player: Vec::with_capacity(n),
            fit,
            with_prior,
        };
        for members in members {
            result.add_component(tallies, members, options.anchor.as_deref());
        }
        Ok(result)
    }

    fn add_component(&mut self, tallies: &Tallies, members: Members, anchor: Option<&str>) {
        let bounded = members.bounded;
        let mut members = members.players;
        let (names, totals) = (tallies.names(), tallies.totals());
        let rating = |player: usize| self.fit.ratings[player];
        members.sort_by(|&a, &b| rating(b).total_cmp(&rating(a)));
        let is_anchor = |&player: &usize| Some(names[player].as_str()) == anchor;
        let anchor = members.iter().copied().find(is_anchor);
        let (zero, variances) = gauge(&self.fit, &members, anchor);
        for (rank, (&player, variance)) in members.iter().zip(variances).enumerate() {
            let [wins, draws, losses] = totals[player];
            let games = wins + draws + losses;
            let share = |points: f64| points / games.max(1) as f64;
            let next = members.get(rank + 1);
            self.table.players.push(PlayerRating {
                name: names[player].clone(),
                elo: (rating(player) - zero) / NATURAL_PER_ELO,
                ci95: Z_95 * variance.max(0.0).sqrt() / NATURAL_PER_ELO,
                games,
                score: share(wins as f64 + 0.5 * draws as f64),
                draws: share(draws as f64),
                los_next: next.map(|&next| self.superiority_of(player, next)),
            });
        }
        let players = members.iter().map(|&p| names[p].clone()).collect();
        self.table.components.push(Component { players, bounded });
        self.player.extend(members);
    }

    /// Probability that the player in line `a` of the table is stronger than the one in line `b`,
    /// both of one component; one half if there is no such line.
    pub fn superiority(&self, a: usize, b: usize) -> f64 {
        match (self.player.get(a), self.player.get(b)) {
            (Some(&a), Some(&b)) => self.superiority_of(a, b),
            _ => 0.5,
        }
    }

    /// The same for players by their number.
    fn superiority_of(&self, a: usize, b: usize) -> f64 {
        let fit = self.with_prior.as_ref().unwrap_or(&self.fit);
        let deviation = difference_variance(fit, a, b).max(0.0).sqrt();
        normal_cdf((fit.ratings[a] - fit.ratings[b]) / deviation.max(1e-12))
    }
}

/// Rates all players of a pool: [`RatingFit`] without the uncertainty of differences.
///
/// # Errors
/// As [`RatingFit::new`].
pub fn rate(tallies: &Tallies, options: &RatingOptions) -> Result<RatingTable, RatingError> {
    Ok(RatingFit::new(tallies, options)?.table)
}

/// Players connected by games, and whether the games bound their ratings.
struct Members {
    players: Vec<usize>,
    bounded: bool,
}

fn members_by_component(tallies: &Tallies, component: &[usize]) -> Vec<Members> {
    let scored = scored_against(tallies);
    let members = |number| {
        let players: Vec<usize> = (0..component.len())
            .filter(|&player| component[player] == number)
            .collect();
        let bounded = everybody_scored(component.len(), &players, &scored);
        Members { players, bounded }
    };
    (0..component.iter().max().map_or(0, |max| max + 1))
        .map(members)
        .collect()
}

/// The zero of a component's ratings, which is the anchor or the mean of its members, and the
/// variance of each member's distance from it.
fn gauge(fit: &Fit, members: &[usize], anchor: Option<usize>) -> (f64, Vec<f64>) {
    if let Some(anchor) = anchor {
        let variances = members.iter().map(|&p| difference_variance(fit, p, anchor));
        return (fit.ratings[anchor], variances.collect());
    }
    let mean = |values: &dyn Fn(usize) -> f64| {
        members.iter().map(|&p| values(p)).sum::<f64>() / members.len() as f64
    };
    let covariance = &fit.covariance;
    let of_mean = mean(&|p| mean(&|q| covariance[[p, q]]));
    let variance = |&p: &usize| covariance[[p, p]] - 2.0 * mean(&|q| covariance[[p, q]]) + of_mean;
    (
        mean(&|p| fit.ratings[p]),
        members.iter().map(variance).collect(),
    )
}

/// Variance of the difference of two ratings.
fn difference_variance(fit: &Fit, a: usize, b: usize) -> f64 {
    let covariance = &fit.covariance;
    covariance[[a, a]] + covariance[[b, b]] - 2.0 * covariance[[a, b]]
}

/// Pairs (a, b) where a took at least half a point from b.
fn scored_against(tallies: &Tallies) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for ((first, second), [wins, draws, losses]) in tallies.counts() {
        edges.extend((wins + draws > 0).then_some((first, second)));
        edges.extend((losses + draws > 0).then_some((second, first)));
    }
    edges
}
