//! Rating reports as text.

use std::fmt;

use types::tidy;

use super::{CrossTableEntry, RatingReport};
use crate::pool::{Component, DrawModel, PlayerRating};

/// The largest component whose matrices are printed.
const MAX_COLUMNS: usize = 16;

impl fmt::Display for RatingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_components = self.table.components.len();
        for (idx, (component, lines)) in self.with_lines().enumerate() {
            if n_components > 1 {
                writeln!(
                    f,
                    "Component {} of {n_components}: no games connect the components, so their ratings \
                     cannot be compared\n",
                    idx + 1
                )?;
            }
            write_table(f, lines)?;
            if !component.bounded {
                writeln!(f, "\n{}", unbounded(self.prior))?;
            }
            if (2..=MAX_COLUMNS).contains(&lines.len()) {
                self.write_matrices(f, idx, component)?;
            }
            writeln!(f)?;
        }
        self.write_parameters(f)
    }
}

impl RatingReport {
    fn write_matrices(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        component: &Component,
    ) -> fmt::Result {
        if let Some(encounters) = &self.cross_table {
            writeln!(f, "\nWon-drawn-lost against")?;
            write_matrix(f, component, |row, column| {
                let players = &component.players;
                result(encounters, &players[row], &players[column]).unwrap_or_default()
            })?;
        }
        if let Some(matrices) = &self.superiority {
            writeln!(f, "\nLikelihood of superiority in %, over")?;
            write_matrix(f, component, |row, column| {
                percent(matrices[number][row][column])
            })?;
        }
        Ok(())
    }

    fn write_parameters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = match self.table.draw_model {
            DrawModel::BayesElo => "BayesElo",
            DrawModel::Davidson => "Davidson",
        };
        writeln!(
            f,
            "0 is {}; relative Elo compares players of this table only, not with Elo above random\n\
             {} games; moving first is worth {:+.0} Elo, the draw Elo is {:.0}\n\
             draw model {model}, prior of {} virtual draws a player",
            shown(&self.zero),
            self.games,
            tidy(self.table.advantage, 0),
            tidy(self.table.draw_elo, 0),
            self.prior,
        )
    }
}

/// The reason why the ratings of a component are unreliable.
fn unbounded(prior: f64) -> String {
    let held_by = match prior > 0.0 {
        true => "the prior",
        false => "a guard of 10000 Elo",
    };
    format!(
        "These games do not bound the ratings: some players took no point from the others, directly \
         or indirectly. Only {held_by} keeps the numbers finite."
    )
}

fn write_table(f: &mut fmt::Formatter<'_>, lines: &[PlayerRating]) -> fmt::Result {
    let width = lines.iter().map(|line| shown(&line.name).chars().count());
    let width = width.max().unwrap_or_default().max("player".len());
    writeln!(
        f,
        "rank  {:<width$} relative Elo    ±95 %    games   score   drawn  above next",
        "player"
    )?;
    for (rank, line) in (1..).zip(lines) {
        let above = line.los_next.map_or_else(|| "-".to_owned(), percent);
        writeln!(
            f,
            "{rank:>4}  {:<width$} {:>12.0} {:>8.0} {:>8} {:>5.1} % {:>5.1} % {above:>11}",
            shown(&line.name),
            tidy(line.elo, 0),
            tidy(line.ci95, 0),
            line.games,
            tidy(100.0 * line.score, 1),
            tidy(100.0 * line.draws, 1),
        )?;
    }
    Ok(())
}

/// A square table whose columns are headed by the ranks of its rows; the diagonal is a dot.
fn write_matrix(
    f: &mut fmt::Formatter<'_>,
    component: &Component,
    cell: impl Fn(usize, usize) -> String,
) -> fmt::Result {
    let n = component.players.len();
    let names: Vec<String> = component.players.iter().map(|name| shown(name)).collect();
    let widest = |texts: &[String]| {
        let widths = texts.iter().map(|text| text.chars().count());
        widths.max().unwrap_or_default()
    };
    let name_width = widest(&names);
    let shown_cell = |row, column| match row == column {
        true => "·".to_owned(),
        false => cell(row, column),
    };
    let row = |row| (0..n).map(|column| shown_cell(row, column)).collect();
    let cells: Vec<Vec<String>> = (0..n).map(row).collect();
    let width = cells.iter().map(|row| widest(row)).fold(2, usize::max) + 2;
    write!(f, "      {:name_width$}", "")?;
    (1..=n).try_for_each(|rank| write!(f, "{rank:>width$}"))?;
    writeln!(f)?;
    for (row, name) in names.iter().enumerate() {
        write!(f, "{:>4}  {name:<name_width$}", row + 1)?;
        let mut cells = cells[row].iter();
        cells.try_for_each(|cell| write!(f, "{cell:>width$}"))?;
        writeln!(f)?;
    }
    Ok(())
}

/// Won-drawn-lost of one player against another.
fn result(encounters: &[CrossTableEntry], player: &str, opponent: &str) -> Option<String> {
    encounters.iter().find_map(|of| {
        let (wins, draws, losses) = (of.wins, of.draws, of.losses);
        match (of.player.as_str(), of.opponent.as_str()) {
            (a, b) if (a, b) == (player, opponent) => Some(format!("{wins}-{draws}-{losses}")),
            (a, b) if (b, a) == (player, opponent) => Some(format!("{losses}-{draws}-{wins}")),
            _ => None,
        }
    })
}

fn percent(probability: f64) -> String {
    format!("{:.1}", 100.0 * probability)
}

/// A name without characters that could move a terminal's cursor.
fn shown(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;

    #[test]
    fn a_small_pool_looks_like_this() {
        let text =
            report(&[("a", "long name", [6, 2, 2]), ("long name", "a", [3, 3, 4])]).to_string();
        let expected = "\
rank  player    relative Elo    ±95 %    games   score   drawn  above next
   1  a                   47       70       20  62.5 %  25.0 %        90.6
   2  long name          -47       70       20  37.5 %  25.0 %           -

Won-drawn-lost against
                      1       2
   1  a               ·  10-5-5
   2  long name  5-5-10       ·

Likelihood of superiority in %, over
                    1     2
   1  a             ·  90.6
   2  long name   9.4     ·

0 is the mean of the table; relative Elo compares players of this table only, not with Elo above random
20 games; moving first is worth +58 Elo, the draw Elo is 126
draw model BayesElo, prior of 2 virtual draws a player
";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn what_cannot_be_trusted_is_said() {
        let text = report(&[("a", "b", [4, 0, 0]), ("c", "d\u{1b}[2J", [1, 1, 1])]).to_string();
        assert!(
            text.contains("do not bound") && text.contains("Component 2 of 2"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
    }
}
