//! Ratings of the players in files of games.

use std::io::Read;
use std::path::Path;

use encoding::{TextEncoding, TextReader};
use eval::{ReadSummary, read_results};
use ratings::{RatingOptions, RatingReport, Tallies};
use rules::Variant;
use serde::Serialize;
use store::StoreError;
use store::disk::File;

use crate::RunError;
use run::{RequestError, Result, Within as _};

/// Results of games from any number of files.
#[derive(Clone, Debug, Default)]
pub struct Results {
    tallies: Tallies,
    left_out: LeftOut,
}

/// Games that do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Games without a result.
    pub unfinished: u64,
    /// Games in which a player has no name.
    pub unnamed: u64,
    /// Games of a player against itself.
    pub against_itself: u64,
    /// Games that cannot be read.
    pub unreadable: u64,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Its games.
    pub summary: ReadSummary,
    /// Its encoding, if it is not UTF-8, in words for the user.
    pub notice: Option<String>,
}

/// Ratings as JSON, with the games that do not count.
#[derive(Clone, Debug, Serialize)]
pub struct RatedResults {
    /// The ratings.
    #[serde(flatten)]
    pub ratings: RatingReport,
    /// Games that do not count.
    pub left_out: LeftOut,
}

impl Results {
    /// Adds the results of a file in PDN or PGN, as [`read_results`]: `variant` is the game of
    /// files that do not name it, `encoding` theirs if it is not found out.
    ///
    /// # Errors
    /// If it cannot be read, or split into games.
    pub fn read(
        &mut self,
        path: &Path,
        variant: Option<Variant>,
        encoding: Option<TextEncoding>,
    ) -> Result<ReadFile> {
        let file = File::open(path).map_err(StoreError::io("read", path))?;
        self.read_from(file, path, variant, encoding)
    }

    /// Adds the results of a stream, which errors call `name`.
    ///
    /// # Errors
    /// If it fails, or cannot be split into games.
    pub fn read_from(
        &mut self,
        input: impl Read,
        name: &Path,
        variant: Option<Variant>,
        encoding: Option<TextEncoding>,
    ) -> Result<ReadFile> {
        let mut input = TextReader::new(input, encoding);
        let read = read_results(&mut input, variant, &mut self.tallies);
        let read = read.within(|| format!("failed to read {}", name.display()))?;
        self.left_out.unfinished += read.unfinished.games;
        self.left_out.unnamed += read.unnamed.games;
        self.left_out.against_itself += read.against_itself.games;
        self.left_out.unreadable += read.unreadable.games;
        Ok(ReadFile {
            summary: read,
            notice: input.notice().map(str::to_owned),
        })
    }

    /// Rates the players.
    ///
    /// # Errors
    /// If there are no games, or the anchor has none.
    pub fn rate(&self, options: &RatingOptions) -> Result<RatedResults> {
        if self.tallies.games() == 0 {
            return Err(RunError::Missing(
                "there is nothing to rate: no game between two named players has a result"
                    .to_owned(),
            ));
        }
        let anchor = options.anchor.as_ref();
        if let Some(anchor) = anchor.filter(|anchor| !self.tallies.names().contains(anchor)) {
            let message = format!("the anchor {anchor:?} has no rated game");
            return Err(RequestError(message).into());
        }
        Ok(RatedResults {
            ratings: RatingReport::new(&self.tallies, options)?,
            left_out: self.left_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[White \"a\"]\n[Black \"b\"]\n1-0\n\n[White \"a\"]\n[Black \"a\"]\n1-0\n";

    fn add(results: &mut Results, text: &str) -> Result<ReadFile> {
        results.read_from(text.as_bytes(), Path::new("-"), None, None)
    }

    #[test]
    fn files_are_rated_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, GAMES).unwrap();
        let mut results = Results::default();
        let read = results.read(&path, None, None).unwrap();
        assert_eq!((read.summary.games, read.notice), (1, None));
        add(&mut results, "[White \"b\"]\n[Black \"?\"]\n0-1\n").unwrap();
        add(&mut results, "[White \"b\"]\n[Black \"c\"]\n*\n").unwrap();
        add(&mut results, GAMES).unwrap();
        let rated = results.rate(&RatingOptions::usual(Some("b"))).unwrap();
        assert_eq!(
            (rated.ratings.games, rated.ratings.table.players.len()),
            (2, 2)
        );
        let expected = LeftOut {
            unfinished: 1,
            unnamed: 1,
            against_itself: 2,
            unreadable: 0,
        };
        assert_eq!(rated.left_out, expected);
    }

    #[test]
    fn names_in_other_encodings_stay_apart() {
        // In windows-1251: Петров С. and Иванов А.; Петров С. and Котова М.
        let game = |black: &[u8]| {
            let white = b"[White \"\xcf\xe5\xf2\xf0\xee\xe2 \xd1.\"]\n[Black \"";
            [&white[..], black, b"\"]\n1-0\n\n"].concat()
        };
        let text = [
            game(b"\xc8\xe2\xe0\xed\xee\xe2 \xc0."),
            game(b"\xca\xee\xf2\xee\xe2\xe0 \xcc."),
        ]
        .concat();
        let mut results = Results::default();
        let read = results.read_from(&text[..], Path::new("-"), None, None);
        let notice = read.unwrap().notice.unwrap();
        assert!(notice.contains("windows-1251"), "{notice}");
        let rated = results.rate(&RatingOptions::usual(None)).unwrap();
        let mut names: Vec<_> = rated
            .ratings
            .table
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect();
        names.sort();
        assert_eq!(names, ["Иванов А.", "Котова М.", "Петров С."]);
    }

    #[test]
    fn what_cannot_be_rated_is_explained() {
        let mut results = Results::default();
        let usual = |anchor| RatingOptions::usual(anchor);
        let error = results.rate(&usual(None)).unwrap_err();
        assert!(error.to_string().contains("nothing to rate") && !error.is_request());
        add(&mut results, GAMES).unwrap();
        let error = results.rate(&usual(Some("c"))).unwrap_err();
        assert!(error.is_request());
        assert_eq!(error.to_string(), "the anchor \"c\" has no rated game");
        let nowhere = results.read(Path::new("/nowhere"), None, None);
        let error = nowhere.unwrap_err();
        assert!(
            error.to_string().starts_with("failed to read /nowhere: "),
            "{error}"
        );
    }
}
