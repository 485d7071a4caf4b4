//! Results of games from PDN and PGN, for ratings.

use std::fmt;
use std::io::BufRead;

use ratings::Tallies;
use rules::pdn::{PdnError, PdnGame, PdnReader, PdnResult};
use rules::{Color, Variant};

use crate::error::EvalError;

/// Numbers of games read from a file and skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// Games counted.
    pub games: u64,
    /// Games without a result, or with one that is neither a win nor a draw.
    pub unfinished: Skipped,
    /// Games in which a player's name is missing or `?`.
    pub unnamed: Skipped,
    /// Games of a player against itself, which do not count.
    pub against_itself: Skipped,
    /// Games that cannot be read.
    pub unreadable: Skipped,
    /// The fault in the first of them.
    pub fault: String,
}

/// Games skipped for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Their number.
    pub games: u64,
    /// Line of the first one in its file; 0 if there is none.
    pub first_line: usize,
}

impl fmt::Display for ReadSummary {
    /// The games that do not count and the reasons, one per line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (skipped, why) in [
            (&self.unfinished, "without a result"),
            (&self.unnamed, "with an unnamed player"),
            (&self.against_itself, "of a player against itself"),
        ] {
            let (games, line) = (skipped.games, skipped.first_line);
            if games > 0 {
                writeln!(
                    f,
                    "games {why}, not counted: {games} (the first at line {line})"
                )?;
            }
        }
        if self.unreadable.games > 0 {
            writeln!(
                f,
                "games that cannot be read, not counted: {} (the first: {})",
                self.unreadable.games, self.fault
            )?;
        }
        Ok(())
    }
}

impl Skipped {
    fn add(&mut self, line: usize) {
        if self.games == 0 {
            self.first_line = line;
        }
        self.games += 1;
    }
}

/// Adds the results of a stream of PDN or PGN to `tallies`. Games are read one by one: memory does
/// not depend on their number. Moves are neither checked nor needed.
///
/// The winner is taken from the `Winner` tag, else from `Result`, else from the result after the
/// moves. `1-0` is a win of White, except in variants where Black moves first: there it is Black's.
/// `2-0` is White's in all. The advantage of moving first belongs to the side to move in the FEN,
/// if there is one. Games without a variant count as games of `variant`, if it is given.
///
/// # Errors
/// If the stream fails, with the line; earlier games are added.
pub fn read_results(
    input: impl BufRead,
    variant: Option<Variant>,
    tallies: &mut Tallies,
) -> Result<ReadSummary, EvalError> {
    let mut reading = ReadSummary::default();
    let mut games = PdnReader::new(input);
    while let Some(game) = games.next() {
        let mut game = match game {
            Ok(game) => game,
            Err(error @ PdnError::Io { .. }) => return Err(error.into()),
            Err(error) if error.keeps_result() => games.take_broken(),
            Err(error) => {
                reading.add_unreadable(&error);
                continue;
            }
        };
        if let Some(variant) = variant.filter(|_| names_no_game(&game)) {
            let name = variant.name().to_owned();
            game.tags.push(("Variant".to_owned(), name));
        }
        reading.add(&game, tallies);
    }
    Ok(reading)
}

fn names_no_game(game: &PdnGame) -> bool {
    game.tag("GameType").is_none() && game.tag("Variant").is_none()
}

impl ReadSummary {
    fn add_unreadable(&mut self, error: &PdnError) {
        if self.unreadable.games == 0 {
            self.fault = error.to_string();
        }
        self.unreadable.add(error.line());
    }

    fn add(&mut self, game: &PdnGame, tallies: &mut Tallies) {
        let counts = match game.result() {
            PdnResult::Won(winner) if winner == game.first_mover() => [1, 0, 0],
            PdnResult::Won(_) => [0, 0, 1],
            PdnResult::Drawn => [0, 1, 0],
            PdnResult::Open => return self.unfinished.add(game.line),
        };
        let (Some(white), Some(black)) = (name(game, "White"), name(game, "Black")) else {
            return self.unnamed.add(game.line);
        };
        if white == black {
            return self.against_itself.add(game.line);
        }
        match game.first_mover() {
            Color::White => tallies.add_counts(white, black, counts),
            Color::Black => tallies.add_counts(black, white, counts),
        }
        self.games += 1;
    }
}

fn name<'a>(game: &'a PdnGame, tag: &str) -> Option<&'a str> {
    game.tag(tag)
        .map(str::trim)
        .filter(|name| !name.is_empty() && *name != "?")
}

#[cfg(test)]
mod tests {
    use ratings::Tally;

    use super::*;

    fn read(text: &str, variant: Option<Variant>) -> (ReadSummary, Vec<Tally>) {
        let mut tallies = Tallies::default();
        let reading = read_results(text.as_bytes(), variant, &mut tallies).unwrap();
        (reading, tallies.iter().collect())
    }

    /// (first mover, its wins, draws, losses) of the only game; White is `w` and Black `b`.
    fn only(tags: &str, variant: Option<Variant>) -> (String, [u64; 3]) {
        let (reading, tallies) = read(&format!("[White \"w\"] [Black \"b\"] {tags}\n"), variant);
        assert_eq!((reading.games, tallies.len()), (1, 1), "{tags}");
        let Tally {
            first,
            wins,
            draws,
            losses,
            ..
        } = tallies[0].clone();
        (first, [wins, draws, losses])
    }

    #[test]
    fn results_of_all_families() {
        let won = [1, 0, 0];
        let (drawn, lost) = ([0, 1, 0], [0, 0, 1]);
        for (tags, first, counts) in [
            // PGN and games without a variant.
            ("[Result \"1-0\"]", "w", won),
            ("1. e4 e5 0-1", "w", lost),
            ("[Result \"*\"] 1/2-1/2", "w", drawn),
            // Ten by ten: White moves first, points are doubled.
            ("[GameType \"20\"] [Result \"0-2\"]", "w", lost),
            ("[GameType \"20\"] [Result \"1-1\"]", "w", drawn),
            // English: Black moves first, and 1-0 is Black's win.
            ("[GameType \"21\"] [Result \"1-0\"]", "b", won),
            ("[Variant \"english\"] [Result \"2-0\"]", "b", lost),
            ("[Result \"1-0\"] 1. 11-15 23-19 *", "b", won),
            ("[Result \"1-0\"] 1. 32-28 19-23 *", "w", won),
            // The winner takes precedence over the result.
            (
                "[GameType \"21\"] [Result \"1-0\"] [Winner \"White\"]",
                "b",
                lost,
            ),
            // The side to move in the FEN has the first move's advantage.
            (
                "[GameType \"21\"] [FEN \"W:W22:B9\"] [Result \"1-0\"]",
                "w",
                lost,
            ),
            ("[FEN \"8/8/8/8/8/8/8/K6k b - - 0 1\"] 1-0", "b", lost),
        ] {
            assert_eq!(only(tags, None), (first.to_owned(), counts), "{tags}");
        }
    }

    #[test]
    fn a_variant_speaks_for_games_that_do_not_say() {
        let english = Some(Variant::English);
        let silent = "[Result \"1-0\"]";
        assert_eq!(only(silent, english), ("b".to_owned(), [1, 0, 0]));
        let frisian = "[GameType \"40\"] [Result \"1-0\"]";
        assert_eq!(only(frisian, english), ("w".to_owned(), [1, 0, 0]));
    }

    #[test]
    fn what_is_no_evidence_is_counted_and_located() {
        let (reading, tallies) = read(
            "[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n*\n\n[White \"a\"]\n[Black \"?\"]\n1-0\n\
             [White \"a\"]\n[Black \" a \"]\n1-0\n[White \"a\"]\n[Black \"b\"]\n[Result \"adjourned\"]\n*\n\
             [Result \"0-1\"]\n0-1\n",
            None,
        );
        let left_out = |games, first_line| Skipped { games, first_line };
        assert_eq!(reading.unfinished, left_out(2, 1));
        assert_eq!(reading.unnamed, left_out(2, 7));
        assert_eq!(reading.against_itself, left_out(1, 10));
        assert!(reading.games == 0 && tallies.is_empty());
    }

    #[test]
    fn a_fault_elsewhere_costs_no_result() {
        for game in [
            "[White \"a\"]\n[Black \"b\"]\n[Round \"1.1]\n[Result \"1-0\"]\n\n1. 11-15 1-0\n\n",
            "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. 11-15 {good\n\n",
        ] {
            let (reading, _) = read(&game.repeat(2), None);
            assert_eq!((reading.games, reading.unreadable.games), (2, 0), "{game}");
        }
        // The game decides whose win it is.
        let game = "[White \"a\"]\n[Black \"b\"]\n[GameType 21]\n[Result \"1-0\"]\n\n";
        assert_eq!(read(game, None).0.unreadable.games, 1);
    }

    #[test]
    fn a_bad_game_costs_no_other() {
        let good = "[White \"a\"]\n[Black \"b\"]\n1-0\n\n";
        let broken = "[White \"a\"]\n[Black b]\n1-0\n\n";
        let (reading, _) = read(&format!("{good}{broken}{good}"), None);
        assert_eq!((reading.games, reading.unreadable.games), (2, 1));
        assert!(
            reading
                .to_string()
                .contains("(the first: line 6: `[Black b]`"),
            "{reading}"
        );
    }
}
