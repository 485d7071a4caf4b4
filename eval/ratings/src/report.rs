//! Rating reports: table, cross table, likelihood of superiority.

mod csv;
mod text;

use std::collections::HashMap;

use serde::Serialize;

use crate::error::RatingError;
use crate::pool::{Component, PlayerRating, RatingFit, RatingOptions, RatingTable};
use crate::tally::Tallies;

/// The largest pool whose report has a cross table and a matrix of superiority, which grow with the
/// square of the number of players.
const MAX_MATRIX: usize = 200;

/// The ratings of a pool with everything to show. `Display` is for people, `serde` and
/// [`RatingReport::to_csv`] are for programs. All numbers are finite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingReport {
    /// The ratings.
    #[serde(flatten)]
    pub table: RatingTable,
    /// Virtual draws per player.
    pub prior: f64,
    /// The meaning of 0 relative Elo: a player's name, or the mean of the table.
    pub zero: String,
    /// The player whose rating is 0; in components without it the mean is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Games that were rated.
    pub games: u64,
    /// Results by pairing; absent for more than 200 players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_table: Option<Vec<CrossTableEntry>>,
    /// [component, row, column] the probability that the row's player is stronger than the
    /// column's, in the order of the component's players; absent for more than 200 players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superiority: Option<Vec<Vec<Vec<f64>>>>,
}

/// All games between two players, from the point of view of the higher-ranked one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrossTableEntry {
    /// The higher-ranked player.
    pub player: String,
    /// The other one.
    pub opponent: String,
    /// Games that `player` won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that `player` lost.
    pub losses: u64,
}

impl RatingReport {
    /// Rates a pool.
    ///
    /// # Errors
    /// As [`RatingFit::new`].
    pub fn new(tallies: &Tallies, options: &RatingOptions) -> Result<Self, RatingError> {
        let fit = RatingFit::new(tallies, options)?;
        let is_rated = |name: &String| fit.table.player(name).is_some();
        let anchor = options.anchor.clone().filter(is_rated);
        let zero = match (&anchor, fit.table.components.len()) {
            (None, ..=1) => "the mean of the table".to_owned(),
            (None, _) => "the mean of each component".to_owned(),
            (Some(anchor), ..=1) => anchor.clone(),
            (Some(anchor), _) => format!("{anchor}, and the mean of components without it"),
        };
        let has_matrices = fit.table.players.len() <= MAX_MATRIX;
        Ok(Self {
            cross_table: has_matrices.then(|| cross_table(tallies, &fit.table.players)),
            superiority: has_matrices.then(|| superiority(&fit)),
            table: fit.table,
            prior: options.prior,
            zero,
            anchor,
            games: tallies.games(),
        })
    }

    /// Each component with its players' lines.
    fn with_lines(&self) -> impl Iterator<Item = (&Component, &[PlayerRating])> {
        let mut rest = self.table.players.as_slice();
        self.table.components.iter().map(move |component| {
            let (lines, others) = rest.split_at(component.players.len());
            rest = others;
            (component, lines)
        })
    }
}

/// All pairs of players that met, in the order of the table.
fn cross_table(tallies: &Tallies, players: &[PlayerRating]) -> Vec<CrossTableEntry> {
    let names = players.iter().map(|player| player.name.as_str());
    let line: HashMap<&str, usize> = names.zip(0..).collect();
    let counts = tallies.by_pair(|name| line[name]);
    let encounter = |((a, b), [wins, draws, losses]): ((usize, usize), [u64; 3])| CrossTableEntry {
        player: players[a].name.clone(),
        opponent: players[b].name.clone(),
        wins,
        draws,
        losses,
    };
    counts.into_iter().map(encounter).collect()
}

fn superiority(fit: &RatingFit) -> Vec<Vec<Vec<f64>>> {
    let mut first = 0;
    let matrix = |component: &Component| {
        let lines = first..first + component.players.len();
        first = lines.end;
        let row = |a| lines.clone().map(|b| fit.superiority(a, b)).collect();
        lines.clone().map(row).collect()
    };
    fit.table.components.iter().map(matrix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DrawModel;

    pub(super) fn report(games: &[(&str, &str, [u64; 3])]) -> RatingReport {
        let mut tallies = Tallies::default();
        for &(first, second, counts) in games {
            tallies.add_counts(first, second, counts);
        }
        let options = RatingOptions {
            prior: 2.0,
            anchor: None,
            draw_model: DrawModel::BayesElo,
        };
        RatingReport::new(&tallies, &options).unwrap()
    }

    #[test]
    fn both_colors_of_an_encounter_are_added() {
        let report = report(&[("b", "a", [1, 2, 3]), ("a", "b", [10, 20, 0])]);
        let encounter = CrossTableEntry {
            player: "a".to_owned(),
            opponent: "b".to_owned(),
            wins: 13,
            draws: 22,
            losses: 1,
        };
        assert_eq!(report.cross_table, Some(vec![encounter]));
        let matrix = &report.superiority.unwrap()[0];
        assert_eq!(
            (matrix[0][0], report.table.players[0].los_next),
            (0.5, Some(matrix[0][1]))
        );
        assert!((matrix[0][1] + matrix[1][0] - 1.0).abs() < 1e-6 && matrix[0][1] > 0.9);
    }

    #[test]
    fn every_component_has_its_matrix() {
        let report = report(&[
            ("a", "b", [3, 0, 1]),
            ("c", "d", [1, 1, 1]),
            ("d", "e", [1, 1, 1]),
        ]);
        let sizes: Vec<usize> = report
            .superiority
            .as_ref()
            .unwrap()
            .iter()
            .map(Vec::len)
            .collect();
        assert_eq!(sizes, [2, 3]);
        let lines: Vec<_> = report.with_lines().map(|(_, lines)| lines.len()).collect();
        assert_eq!(lines, sizes);
    }

    #[test]
    fn zero_is_the_anchor_or_the_mean() {
        let zero = |games: &[(&str, &str, [u64; 3])], anchor| {
            let mut tallies = Tallies::default();
            for &(first, second, counts) in games {
                tallies.add_counts(first, second, counts);
            }
            let report = RatingReport::new(&tallies, &RatingOptions::usual(anchor)).unwrap();
            let csv = report.to_csv();
            let last = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
            let zeros: Vec<String> = csv.lines().skip(1).map(last).collect();
            (report.zero, zeros.join(" "))
        };
        let of = |words: &str, column: &str| (words.to_owned(), column.to_owned());
        let one = [("a", "b", [1, 1, 1])];
        let two = [one[0], ("c", "d", [1, 1, 1])];
        assert_eq!(zero(&one, None), of("the mean of the table", "mean mean"));
        assert_eq!(zero(&one, Some("b")), of("b", "b b"));
        assert_eq!(
            zero(&one, Some("c")),
            of("the mean of the table", "mean mean")
        );
        let mean = of("the mean of each component", "mean mean mean mean");
        assert_eq!(zero(&two, None), mean);
        let words = "b, and the mean of components without it";
        assert_eq!(zero(&two, Some("b")), of(words, "b b mean mean"));
    }

    #[test]
    fn json_has_the_promised_keys_and_no_null_but_the_last_of_a_component() {
        let json = serde_json::to_value(report(&[("a", "b", [3, 1, 0])])).unwrap();
        for key in ["players", "advantage", "draw_elo", "components", "zero"] {
            assert!(!json[key].is_null(), "{key}");
        }
        for key in ["name", "elo", "ci95", "games", "score", "draws", "los_next"] {
            assert!(!json["players"][0][key].is_null(), "{key}");
        }
        assert!(json["players"][1]["los_next"].is_null());
    }
}
