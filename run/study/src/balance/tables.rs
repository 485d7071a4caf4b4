//! The findings of a study as tables.

use std::fmt;

use ratings::Estimate;
use types::{thousands, tidy};

use super::kings::PHASE_NAMES;
use super::play::{DRAWN_PLIES, MAX_PLIES, TEMPERATURE};
use super::table::{Table, WIDTH, wrapped};
use super::{Column, Difference, Level, Measures, Study, VALUE_NODES, counts_material};

/// Characters of a name in a table.
const NAME: usize = 18;
/// Plies whose legal moves are in a table.
const PLIES: [usize; 7] = [1, 11, 21, 31, 41, 61, 81];

/// The name of a row and its cells.
type Row<'a> = (&'a str, fn(&Measures) -> String);

/// A share as a percentage.
pub(super) fn percent(estimate: Estimate) -> Estimate {
    Estimate {
        value: 100.0 * estimate.value,
        ci95: estimate.ci95.map(|end| 100.0 * end),
    }
}

/// A value and its interval.
fn shown(estimate: Option<Estimate>, digits: usize) -> String {
    let Some(Estimate { value, ci95 }) = estimate else {
        return none();
    };
    let [value, low, high] = [value, ci95[0], ci95[1]].map(|one| tidy(one, digits));
    format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]")
}

/// A share and its interval as percentages.
fn share(estimate: Option<Estimate>) -> String {
    shown(estimate.map(percent), 1)
}

fn none() -> String {
    "–".to_owned()
}

impl Study {
    /// The players, and how the games came about.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self.columns.iter().map(Column::remark).collect();
        let players = self.columns.iter();
        let n_material = players.filter(|one| counts_material(&one.player)).count();
        if n_material > 0 && n_material < self.columns.len() {
            remarks.push(
                "Some games have no learned evaluation, so that players differ in strength: \
                 --material compares the rules alone."
                    .to_owned(),
            );
        }
        if self.columns.iter().any(|column| !column.is_run()) {
            remarks.push(format!(
                "A level of strength is a number of nodes, which both sides search for every move. \
                 The first {DRAWN_PLIES} plies of a game are drawn from the 10 best moves with \
                 weights exp(score / {TEMPERATURE}), where the score is from 0 to 1; then the best \
                 move is played. A game of {MAX_PLIES} plies is broken off."
            ));
        }
        remarks.push("Intervals, in brackets, are 95 %.".to_owned());
        remarks
    }

    /// All tables.
    pub(super) fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            self.by_level(
                "Games",
                "Games, different ones among them, and games without a result.",
                |level| {
                    let of = &level.measures;
                    format!("{}, {}, {}", of.games, of.distinct, of.unfinished)
                },
            ),
            self.by_level(
                "Score of the side that moves first, %",
                "Its points in finished games; a draw is half a point.",
                |level| share(level.measures.score),
            ),
            self.by_level("Draws, %", "Share of finished games.", |level| {
                share(level.measures.draws)
            }),
            self.by_level("Length, plies", "Mean of finished games.", |level| {
                shown(level.measures.plies, 1)
            }),
        ];
        if self.columns.iter().any(Column::is_run) {
            tables.push(self.by_level(
                "Parts of runs",
                "Generations, and Elo above random of the rated generation nearest to the middle.",
                |level| {
                    let of = level
                        .generations
                        .map(|[first, last]| format!("{first} to {last}: {}", shown(level.elo, 0)));
                    of.unwrap_or_else(none)
                },
            ));
        }
        tables.extend(self.differences());
        tables.push(self.at_last(
            "Choice and captures",
            "At the last level, means over games: legal moves of a position, positions with a \
             single legal move, moves that capture.",
            &[
                ("legal moves", |of| shown(of.moves, 1)),
                ("forced moves, %", |of| share(of.forced)),
                ("captures, %", |of| share(of.captures)),
            ],
        ));
        tables.push(self.moves_by_ply());
        tables.push(self.at_last(
            "Material decides",
            "At the last level. A side leads first if it has more pieces in the first position \
             with unequal numbers where the side to move cannot capture. A result is predicted if \
             this side won.",
            &[
                ("games with a lead, %", |of| share(of.lead.games)),
                ("score of leader, %", |of| share(of.lead.score)),
                ("predicted results, %", |of| share(of.lead.predicted)),
            ],
        ));
        tables.push(self.kings());
        tables.extend(self.columns.iter().filter_map(Column::openings));
        tables
    }

    fn head(&self) -> Vec<String> {
        let shortened = |column: &Column| match column.name.chars().count() {
            n if n > NAME => {
                let end: String = column.name.chars().skip(n - NAME + 1).collect();
                format!("…{end}")
            }
            _ => column.name.clone(),
        };
        self.columns.iter().map(shortened).collect()
    }

    /// The names of all levels, in the order of their first appearance.
    pub(super) fn level_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for level in self.columns.iter().flat_map(|column| &column.levels) {
            if !names.contains(&&*level.name) {
                names.push(&level.name);
            }
        }
        names
    }

    /// A table with a column for each game or run: the names of its rows, and what they are about.
    fn table<T>(
        &self,
        title: &str,
        note: &str,
        rows: impl IntoIterator<Item = (String, T)>,
        cell: impl Fn(&Column, &T) -> String,
    ) -> Table {
        let row = |(name, of): (String, T)| {
            let cells = self.columns.iter().map(|column| cell(column, &of));
            (name, cells.collect())
        };
        Table {
            title: title.to_owned(),
            note: note.to_owned(),
            head: self.head(),
            rows: rows.into_iter().map(row).collect(),
        }
    }

    /// A row for each level.
    fn by_level(&self, title: &str, note: &str, cell: impl Fn(&Level) -> String) -> Table {
        let names = self.level_names().into_iter();
        let rows = names.map(|name| (name.to_owned(), name));
        self.table(title, note, rows, |column, name| {
            column.level(name).map_or_else(none, &cell)
        })
    }

    /// Rows about the last level.
    fn at_last(&self, title: &str, note: &str, rows: &[Row<'_>]) -> Table {
        let rows = rows.iter().map(|(name, cell)| ((*name).to_owned(), cell));
        self.table(title, note, rows, |column, cell| {
            column.last().map_or_else(none, cell)
        })
    }

    fn differences(&self) -> Option<Table> {
        let [first, second] = &self.columns[..] else {
            return None;
        };
        let row = |of: &Difference| {
            let same = of.same as f64 / of.pairs.max(1) as f64;
            let cells = vec![
                share(of.score),
                share(of.draws),
                shown(of.plies, 1),
                format!("{:.1}", 100.0 * same),
            ];
            (of.level.clone(), cells)
        };
        (!self.differences.is_empty()).then(|| Table {
            title: format!("{} minus {}", second.name, first.name),
            note: "Mean difference of pairs of games that draw their first moves with the same \
                   random numbers, and the share of pairs with the same moves."
                .to_owned(),
            head: ["score, %", "draws, %", "length, plies", "same, %"]
                .map(str::to_owned)
                .to_vec(),
            rows: self.differences.iter().map(row).collect(),
        })
    }

    fn moves_by_ply(&self) -> Table {
        self.table(
            "Legal moves by ply",
            "At the last level, mean of the games that reach the ply, if one in ten does.",
            PLIES.map(|ply| (format!("ply {ply}"), ply)),
            |column, ply| {
                let moves = column.last().and_then(|of| of.moves_by_ply.get(ply - 1));
                moves.map_or_else(none, |moves| format!("{moves:.1}"))
            },
        )
    }

    fn kings(&self) -> Table {
        let phases = PHASE_NAMES.iter().enumerate();
        self.table(
            "Value of a king, in men",
            "At the last level: k / m of the fit E(score) = 1 / (1 + exp(-(t + mM + kK))) for the \
             side to move, with M men and K kings more than the other side. The cases are the \
             first position of each material of a game where no capture is possible; a draw is \
             half a point. No value is shown where the games do not determine it.",
            phases.map(|(phase, name)| (format!("{name} of the pieces"), phase)),
            |column, phase| {
                let value = column.last().and_then(|of| of.kings.get(*phase));
                shown(value.and_then(|value| value.king), 1)
            },
        )
    }
}

impl Column {
    fn is_run(&self) -> bool {
        self.levels.iter().any(|level| level.generations.is_some())
    }

    fn remark(&self) -> String {
        let (name, variant, player) = (&self.name, &self.variant, &self.player);
        match self.is_run() {
            true => {
                format!("{name}: self-play of a run of {variant}, openings valued by {player}.")
            }
            false => format!("{name}: {player} plays itself."),
        }
    }

    /// The level of this name.
    pub(super) fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// The measures of the last level.
    pub(super) fn last(&self) -> Option<&Measures> {
        self.levels.last().map(|level| &level.measures)
    }

    fn openings(&self) -> Option<Table> {
        let rows = self.openings.iter().map(|line| {
            let value = line.value.map(|value| format!("{:.1}", 100.0 * value));
            let cells = vec![
                format!("{:.1}", 100.0 * line.share),
                line.games.to_string(),
                share(line.score),
                value.unwrap_or_else(none),
            ];
            (line.moves.join(" "), cells)
        });
        (!self.openings.is_empty()).then(|| Table {
            title: format!("Openings of {}", self.name),
            note: format!(
                "At the last level: all first moves, and longer lines of one game in twenty and at \
                 least five. Score and value are from the view of the side that moves first; value \
                 is the score that a search of {} nodes expects.",
                thousands(VALUE_NODES)
            ),
            head: ["share, %", "games", "score, %", "value, %"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.collect(),
        })
    }
}

impl fmt::Display for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in self.remarks() {
            f.write_str(&wrapped(&remark, WIDTH))?;
        }
        let mut tables = self.tables().into_iter();
        tables.try_for_each(|table| write!(f, "\n{table}"))
    }
}
