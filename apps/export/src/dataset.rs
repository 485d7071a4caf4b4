//! The dataset card of exported games.

use std::fs;
use std::path::Path;

use roster::RequestError;
use store::AtomicFile;

use crate::card::license;
use crate::{CARD, Result};

/// A line by which a card is known again, and may be replaced.
const MARK: &str = "<!-- Written by `crownhead data export --card`. -->";

/// Exported games of self-play, as a dataset card for the Hugging Face Hub describes them.
#[derive(Clone, Debug)]
pub struct Dataset<'a> {
    /// The variant that was played.
    pub variant: &'a str,
    /// The number of games.
    pub games: u64,
    /// The number of their positions.
    pub positions: u64,
    /// The columns of a table with their types; empty for other files.
    pub columns: &'a [(&'a str, &'static str)],
    /// The license, an SPDX expression.
    pub license: &'a str,
}

impl Dataset<'_> {
    /// Writes `README.md` next to the data. An earlier card is replaced.
    ///
    /// # Errors
    /// If there is another README, or the disk fails.
    pub fn write_card(&self, data: &Path) -> Result<()> {
        let path = data.with_file_name(CARD);
        if fs::read_to_string(&path).map_or(path.exists(), |text| !text.contains(MARK)) {
            let message = format!(
                "{} is no dataset card of crownhead: export to another folder, or without --card",
                path.display()
            );
            return Err(RequestError(message).into());
        }
        let file = data.file_name().unwrap_or_default().to_string_lossy();
        let card = self.card(&file);
        Ok(AtomicFile::write_whole(&path, card.as_bytes())?)
    }

    fn card(&self, file: &str) -> String {
        let (variant, games, positions) = (self.variant, self.games, self.positions);
        let is_table = !self.columns.is_empty();
        // JSON strings are YAML strings too.
        let quoted = serde_json::Value::from(file).to_string();
        let mut front = format!(
            "---\n{}pretty_name: Crownhead self-play games of {variant}\n\
             task_categories: [reinforcement-learning]\ntags: [checkers, draughts, {variant}]\n\
             size_categories: [{}]\n",
            license(self.license),
            size_category(if is_table { positions } else { games })
        );
        let (mut rows, mut unit) = (String::new(), "games in PDN");
        if is_table {
            unit = "positions with their searches, one a row";
            front += &format!(
                "configs:\n- config_name: default\n  data_files: {quoted}\ndataset_info:\n  features:\n"
            );
            rows += "\n| column | type |\n|---|---|\n";
            for (name, kind) in self.columns {
                front += &match kind.strip_prefix("list of ") {
                    Some(element) => format!("  - name: {name}\n    sequence: {element}\n"),
                    None => format!("  - name: {name}\n    dtype: {kind}\n"),
                };
                rows += &format!("| `{name}` | {kind} |\n");
            }
            rows += "\n`crownhead data export --help` describes the columns.\n";
        }
        format!(
            "{front}---\n{MARK}\n\n# Self-play games of {variant}\n\n`{file}` has the games that a \
             run of Crownhead has played against itself: {games} games, {positions} positions. It \
             holds {unit}.\n{rows}\nLicense: {}.\n",
            self.license
        )
    }
}

/// The Hub's name for a number of rows.
fn size_category(rows: u64) -> String {
    let bounds = ["1K", "10K", "100K", "1M", "10M", "100M", "1B"];
    match rows {
        0..1_000 => format!("n<{}", bounds[0]),
        _ => {
            let place = (rows.ilog10() as usize - 3).min(bounds.len() - 2);
            format!("{}<n<{}", bounds[place], bounds[place + 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_named_as_the_hub_names_them() {
        for (rows, name) in [
            (0, "n<1K"),
            (999, "n<1K"),
            (1_000, "1K<n<10K"),
            (999_999, "100K<n<1M"),
            (123_456_789, "100M<n<1B"),
        ] {
            assert_eq!(size_category(rows), name, "{rows}");
        }
    }

    #[test]
    fn a_card_replaces_only_a_card() {
        let dir = tempfile::tempdir().unwrap();
        let (data, card) = (dir.path().join("games.pdn"), dir.path().join(CARD));
        let dataset = Dataset {
            variant: "english",
            games: 2,
            positions: 90,
            columns: &[],
            license: "CC0-1.0",
        };
        dataset.write_card(&data).unwrap();
        dataset.write_card(&data).unwrap();
        let text = fs::read_to_string(&card).unwrap();
        assert!(
            text.contains("license: cc0-1.0\n") && text.contains("2 games, 90"),
            "{text}"
        );
        fs::write(&card, "mine").unwrap();
        let error = dataset.write_card(&data).unwrap_err().to_string();
        assert!(error.contains("is no dataset card"), "{error}");
        assert_eq!(fs::read_to_string(&card).unwrap(), "mine");
    }
}
