//! Meetings where they shrink the rating intervals the most.
//!
//! With Σ the joint covariance of all ratings, a game between a and b brings Fisher information i
//! about their difference, and turns Σ into Σ - i·w·wᵀ / (1 + i·(w_a - w_b)), where w is column a
//! less column b of Σ (the Sherman-Morrison formula). Ratings count relative to their mean, so that
//! the variances summed over all players fall by i·|w - mean(w)|² / (1 + i·(w_a - w_b)). The advantage
//! of the first move and the draw Elo are taken as known.

use std::collections::HashMap;

use ndarray::{Array1, Array2};

use super::record::Tournament;
use super::schedule::pairings;
use crate::error::EvalError;
use crate::ratings::{Cholesky, RatingOptions, rate};

/// Pairs of games per choice: few, so that early results soon influence the choices.
const PAIRS_PER_CHOICE: usize = 4;
/// Standard deviation in Elo of a rating before any game. It makes players without games worth
/// measuring, and connects groups that never met.
const PRIOR_DEVIATION: f64 = 500.0;

/// The meetings of the next round, as many choices as there are players; none when the pairings have
/// played `pairs` pairs on average.
pub(super) fn round(
    tournament: &Tournament,
    active: &[usize],
    pairs: usize,
) -> Result<Vec<([usize; 2], usize)>, EvalError> {
    let possible = pairings(active);
    let played = tournament.pairs_by_pairing();
    let so_far: usize = possible
        .iter()
        .filter_map(|&[a, b]| played.get(&[a.min(b), a.max(b)]))
        .sum();
    let mut left = (pairs * possible.len()).saturating_sub(so_far);
    let mut beliefs = Beliefs::new(tournament, active)?;
    let mut round: Vec<([usize; 2], usize)> = Vec::new();
    for _ in active {
        let n_pairs = left.min(PAIRS_PER_CHOICE);
        let gains = possible
            .iter()
            .map(|&pairing| (beliefs.gain(pairing, n_pairs), pairing));
        let best = gains.max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, pairing)) = best.filter(|_| n_pairs > 0) else {
            break;
        };
        beliefs.play(pairing, n_pairs);
        left -= n_pairs;
        match round.iter_mut().find(|(known, _)| *known == pairing) {
            Some((_, n)) => *n += n_pairs,
            None => round.push((pairing, n_pairs)),
        }
    }
    Ok(round)
}

/// The joint distribution of all ratings, in Elo.
struct Beliefs<'a> {
    active: &'a [usize],
    /// [player, player]
    covariance: Array2<f64>,
    /// {pairing, smaller number first: Fisher information of one pair of games}
    information: HashMap<[usize; 2], f64>,
}

impl<'a> Beliefs<'a> {
    /// After the games of a tournament.
    fn new(tournament: &Tournament, active: &'a [usize]) -> Result<Self, EvalError> {
        let table = rate(&tournament.results().0, &RatingOptions::usual(None))?;
        let known: HashMap<&str, f64> = table
            .players
            .iter()
            .map(|line| (line.name.as_str(), line.elo))
            .collect();
        let names = tournament.players.iter();
        let elo: Vec<f64> = names
            .map(|name| known.get(name.as_str()).copied().unwrap_or_default())
            .collect();
        let everybody: Vec<usize> = (0..elo.len()).collect();
        let information: HashMap<[usize; 2], f64> = pairings(&everybody)
            .into_iter()
            .map(|[a, b]| ([a, b], 2.0 * table.information(elo[a] - elo[b])))
            .collect();
        let mut precision = Array2::eye(elo.len()) * PRIOR_DEVIATION.powi(-2);
        for ([a, b], n_pairs) in tournament.pairs_by_pairing() {
            let weight = n_pairs as f64 * information[&[a, b]];
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                precision[[row, column]] += sign * weight;
            }
        }
        let players = elo.len();
        let factor = Cholesky::new(&precision).ok_or(EvalError::NoFit { players })?;
        Ok(Self {
            active,
            covariance: factor.inverse(),
            information,
        })
    }

    fn information(&self, [a, b]: [usize; 2], n_pairs: usize) -> f64 {
        let pair = [a.min(b), a.max(b)];
        n_pairs as f64 * self.information.get(&pair).copied().unwrap_or_default()
    }

    /// [player] covariance with the difference of the two: column a less column b.
    fn with_difference(&self, [a, b]: [usize; 2]) -> impl Fn(usize) -> f64 {
        move |player| self.covariance[[player, a]] - self.covariance[[player, b]]
    }

    /// By how much the summed variances of the active players would fall.
    fn gain(&self, pairing: [usize; 2], n_pairs: usize) -> f64 {
        let information = self.information(pairing, n_pairs);
        let w = self.with_difference(pairing);
        let (mut sum, mut squares) = (0.0, 0.0);
        for &player in self.active {
            let covariance = w(player);
            sum += covariance;
            squares += covariance * covariance;
        }
        let spread = squares - sum * sum / self.active.len() as f64;
        let variance = w(pairing[0]) - w(pairing[1]);
        information * spread / (1.0 + information * variance)
    }

    /// Updates the covariance as if these games had been played.
    fn play(&mut self, pairing: [usize; 2], n_pairs: usize) {
        let information = self.information(pairing, n_pairs);
        let [a, b] = pairing;
        let w: Array1<f64> = &self.covariance.column(a) - &self.covariance.column(b);
        let scale = information / (1.0 + information * (w[a] - w[b]));
        for (mut row, &left) in self.covariance.rows_mut().into_iter().zip(&w) {
            row.scaled_add(-scale * left, &w);
        }
    }
}
