//! The stored state of a tournament.

use std::collections::{BTreeMap, HashSet};

use ratings::Tallies;
use serde::{Deserialize, Serialize};

use crate::digest;
use crate::error::EvalError;
use crate::matches::MatchGame;

/// Version of [`Tournament`] as it is stored.
const FORMAT: u32 = 1;
/// Upper bound on the pairs of a meeting; a larger number means a damaged file.
const MAX_PLANNED: usize = 1_000_000;

/// The state that a tournament resumes from; the games themselves are stored as PDN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// Version of this structure.
    pub format: u32,
    /// Settings of all games.
    pub terms: Terms,
    /// All players that ever entered; players are numbered by their index here.
    pub players: Vec<String>,
    /// All meetings in the order of planning.
    pub meetings: Vec<Meeting>,
}

/// The settings that determine the games. They never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Name of the variant.
    pub variant: String,
    /// Version of its rules.
    pub rules_version: u32,
    /// Seed of the openings and of the players' random choices.
    pub seed: u64,
    /// Search settings that are not part of the players' names; only compared.
    pub thinking: String,
    /// Hash of the openings from a file; empty for the variant's opening book.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub openings: String,
    /// Adjudication rules as text; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub adjudication: String,
}

/// A series of pairs of games between two players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// Indices of the players, the smaller one first, which is side 0.
    pub players: [usize; 2],
    /// Pairs to play.
    pub planned: usize,
    /// Pairs played.
    pub pairs: Vec<PairRecord>,
}

/// Two games from one opening: side 0 moves first in the first of them, side 1 in the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairRecord {
    /// Side 0's half points in the two games: 0, 1 or 2 each.
    pub half_points: [u8; 2],
    /// Hashes of the two games, in hexadecimal, which identify repeated games.
    pub digests: [String; 2],
    /// True for each game that its loser forfeited.
    #[serde(default, skip_serializing_if = "is_played_out")]
    pub forfeited: [bool; 2],
}

fn is_played_out(forfeited: &[bool; 2]) -> bool {
    *forfeited == [false; 2]
}

impl PairRecord {
    /// The stored form of two games.
    pub(super) fn new(games: &[MatchGame; 2]) -> Self {
        Self {
            half_points: games.each_ref().map(|game| game.half_points() as u8),
            digests: games.each_ref().map(|game| format!("{:016x}", hash(game))),
            forfeited: games.each_ref().map(|game| game.fault.is_some()),
        }
    }
}

/// The hash of a game, by which repeated games are found.
fn hash(game: &MatchGame) -> u64 {
    let first_mover = u64::from(game.swapped);
    digest::of_game(&game.opening.start, game.all_moves()) ^ first_mover
}

impl Tournament {
    /// A tournament without players and games.
    pub fn new(terms: Terms) -> Self {
        Self {
            format: FORMAT,
            terms,
            players: Vec::new(),
            meetings: Vec::new(),
        }
    }

    /// Checks that the tournament can be resumed under `terms`.
    ///
    /// # Errors
    /// If the terms differ, or the stored tournament is inconsistent.
    pub fn check(&self, terms: &Terms) -> Result<(), EvalError> {
        let differs = |what, stored: &dyn ToString, asked: &dyn ToString| {
            let (stored, asked) = (stored.to_string(), asked.to_string());
            if stored == asked {
                return Ok(());
            }
            Err(EvalError::OtherTerms {
                what,
                stored,
                asked,
            })
        };
        let own = &self.terms;
        differs("format", &self.format, &FORMAT)?;
        differs("variant", &own.variant, &terms.variant)?;
        differs("rules version", &own.rules_version, &terms.rules_version)?;
        differs("seed", &own.seed, &terms.seed)?;
        differs("search settings", &own.thinking, &terms.thinking)?;
        let named = |text: &str, usual: &str| match text.is_empty() {
            true => usual.to_owned(),
            false => text.to_owned(),
        };
        let book = |terms: &Terms| named(&terms.openings, "from the variant's book");
        differs("openings", &book(own), &book(terms))?;
        let adjudication = |terms: &Terms| named(&terms.adjudication, "none");
        differs("adjudication", &adjudication(own), &adjudication(terms))?;
        let mut meetings = self.meetings.iter();
        match meetings.position(|meeting| !self.makes_sense(meeting)) {
            Some(meeting) => Err(EvalError::BrokenTournament { meeting }),
            None => Ok(()),
        }
    }

    fn makes_sense(&self, meeting: &Meeting) -> bool {
        let [a, b] = meeting.players;
        let possible = |pair: &PairRecord| pair.half_points.iter().all(|&points| points <= 2);
        let is_known = a < b && b < self.players.len();
        is_known && meeting.planned <= MAX_PLANNED && meeting.pairs.iter().all(possible)
    }

    /// The index of a player, which is added if new.
    pub fn enter(&mut self, name: &str) -> usize {
        let known = self.players.iter().position(|player| player == name);
        known.unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        })
    }

    /// Pairs played so far.
    pub fn pairs_played(&self) -> usize {
        let played = |meeting: &Meeting| meeting.pairs.len();
        self.meetings.iter().map(played).sum()
    }

    /// Pairs played so far between two of these players.
    pub fn pairs_among(&self, names: &[&str]) -> usize {
        let is_named = |&player: &usize| names.contains(&self.players[player].as_str());
        self.meetings
            .iter()
            .filter(|meeting| meeting.players.iter().all(is_named))
            .map(|meeting| meeting.pairs.len())
            .sum()
    }

    /// Pairs that are planned and not played yet.
    pub fn pairs_open(&self) -> usize {
        let open = |meeting: &Meeting| meeting.planned.saturating_sub(meeting.pairs.len());
        self.meetings.iter().map(open).sum()
    }

    /// {[smaller number, greater number]: sum of `pairs` of their meetings}.
    pub(super) fn by_pairing(
        &self,
        pairs: impl Fn(&Meeting) -> usize,
    ) -> BTreeMap<[usize; 2], usize> {
        let mut sums = BTreeMap::new();
        for meeting in &self.meetings {
            *sums.entry(meeting.players).or_default() += pairs(meeting);
        }
        sums
    }

    /// Plans a meeting, unless it has no pairs.
    pub(super) fn plan(&mut self, [a, b]: [usize; 2], planned: usize) {
        if planned > 0 {
            self.meetings.push(Meeting {
                players: [a.min(b), a.max(b)],
                planned,
                pairs: Vec::new(),
            });
        }
    }

    /// Drops planned pairs of players that are not in `active`.
    pub(super) fn drop_absent(&mut self, active: &[usize]) {
        for meeting in &mut self.meetings {
            if !meeting.players.iter().all(|player| active.contains(player)) {
                meeting.planned = meeting.pairs.len();
            }
        }
        self.meetings.retain(|meeting| meeting.planned > 0);
    }

    /// The number of games that each player forfeited, for players that did.
    pub fn forfeits(&self) -> BTreeMap<String, u64> {
        let mut forfeits = BTreeMap::new();
        for meeting in &self.meetings {
            let pairs = meeting.pairs.iter();
            let games = pairs.flat_map(|pair| pair.half_points.iter().zip(pair.forfeited));
            for (&points, _) in games.filter(|(_, is_forfeited)| *is_forfeited) {
                let loser = meeting.players[usize::from(points > 0)];
                *forfeits.entry(self.players[loser].clone()).or_default() += 1;
            }
        }
        forfeits
    }

    /// The results, each distinct game counted once, and the number of repeated games.
    pub fn results(&self) -> (Tallies, u64) {
        let (mut tallies, mut repeated) = (Tallies::default(), 0);
        let mut seen = HashSet::new();
        for meeting in &self.meetings {
            let [a, b] = meeting.players.map(|player| self.players[player].as_str());
            for pair in &meeting.pairs {
                for (game, digest) in pair.digests.iter().enumerate() {
                    if !seen.insert((meeting.players, digest)) {
                        repeated += 1;
                        continue;
                    }
                    let points = pair.half_points[game];
                    match game {
                        0 => tallies.add_counts(a, b, counts(points)),
                        _ => tallies.add_counts(b, a, counts(2 - points)),
                    }
                }
            }
        }
        (tallies, repeated)
    }
}

/// One game as wins, draws and losses of a player with this many half points.
fn counts(half_points: u8) -> [u64; 3] {
    [2, 1, 0].map(|points| u64::from(half_points == points))
}

#[cfg(test)]
mod tests {
    use rules::{Color, Outcome, Position, Variant, WinReason};

    use super::*;
    use crate::openings::Opening;

    fn terms() -> Terms {
        Terms {
            variant: "thai".to_owned(),
            rules_version: 1,
            seed: 7,
            thinking: "sims=64".to_owned(),
            openings: String::new(),
            adjudication: String::new(),
        }
    }

    fn record(half_points: [u8; 2]) -> PairRecord {
        PairRecord {
            half_points,
            digests: [String::new(), String::new()],
            forfeited: [false; 2],
        }
    }

    fn meeting(players: [usize; 2], planned: usize, pairs: &[[u8; 2]]) -> Meeting {
        Meeting {
            players,
            planned,
            pairs: pairs.iter().copied().map(record).collect(),
        }
    }

    fn tournament(meetings: Vec<Meeting>) -> Tournament {
        Tournament {
            players: ["a", "b", "c"].map(str::to_owned).to_vec(),
            meetings,
            ..Tournament::new(terms())
        }
    }

    #[test]
    fn every_term_is_compared() {
        let text = str::to_owned;
        let stored = Tournament::new(terms());
        assert!(stored.check(&terms()).is_ok());
        for (other, told) in [
            (
                Terms {
                    variant: text("english"),
                    ..terms()
                },
                "has variant thai, not english",
            ),
            (
                Terms {
                    rules_version: 2,
                    ..terms()
                },
                "has rules version 1, not 2",
            ),
            (Terms { seed: 8, ..terms() }, "has seed 7, not 8"),
            (
                Terms {
                    thinking: text("sims=8"),
                    ..terms()
                },
                "has search settings sims=64, not sims=8",
            ),
            (
                Terms {
                    openings: text("beef"),
                    ..terms()
                },
                "has openings from the variant's book, not beef",
            ),
            (
                Terms {
                    adjudication: text("resign"),
                    ..terms()
                },
                "has adjudication none, not resign",
            ),
        ] {
            let error = stored.check(&other).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        let older = Tournament {
            format: 0,
            ..stored
        };
        let error = older.check(&terms()).unwrap_err().to_string();
        assert!(error.contains("has format 0, not 1"), "{error}");
    }

    #[test]
    fn meetings_that_cannot_be_are_refused() {
        let good = meeting([0, 2], MAX_PLANNED, &[[2, 0], [1, 2]]);
        assert!(tournament(vec![good.clone()]).check(&terms()).is_ok());
        for bad in [
            meeting([1, 1], 1, &[]),
            meeting([2, 1], 1, &[]),
            meeting([1, 3], 1, &[]),
            meeting([0, 1], MAX_PLANNED + 1, &[]),
            meeting([0, 1], 1, &[[0, 3]]),
            meeting([0, 1], 2, &[[0, 0], [3, 0]]),
        ] {
            let error = tournament(vec![good.clone(), bad]).check(&terms());
            let broken = matches!(error, Err(EvalError::BrokenTournament { meeting: 1 }));
            assert!(broken, "{error:?}");
        }
    }

    #[test]
    fn pairs_are_counted() {
        let meetings = vec![
            meeting([0, 1], 3, &[[1, 1], [2, 0]]),
            meeting([1, 2], 1, &[[1, 1]]),
            meeting([0, 1], 5, &[]),
        ];
        let mut tournament = tournament(meetings);
        let open = tournament.meetings.iter();
        let open = open.map(|meeting| meeting.pairs.len() < meeting.planned);
        assert_eq!(open.collect::<Vec<_>>(), [true, false, true]);
        assert_eq!((tournament.pairs_played(), tournament.pairs_open()), (3, 6));
        assert_eq!(tournament.pairs_among(&["a", "b"]), 2);
        assert_eq!(tournament.pairs_among(&["a", "b", "c"]), 3);
        assert_eq!(tournament.pairs_among(&["a", "c"]), 0);
        let by_pairing: Vec<_> = tournament
            .by_pairing(|meeting| meeting.pairs.len())
            .into_iter()
            .collect();
        assert_eq!(by_pairing, [([0, 1], 2), ([1, 2], 1)]);
        assert_eq!((tournament.enter("c"), tournament.enter("d")), (2, 3));
        tournament.plan([3, 1], 4);
        tournament.plan([0, 2], 0);
        let last = tournament.meetings.last().expect("planned");
        assert_eq!(*last, meeting([1, 3], 4, &[]));
        // Played pairs stay; planned ones are dropped.
        tournament.drop_absent(&[1, 2, 3]);
        assert_eq!(tournament.meetings.len(), 3);
        let first = &tournament.meetings[0];
        assert_eq!((first.planned, first.pairs.len()), (2, 2));
        assert_eq!(tournament.pairs_open(), 4);
    }

    #[test]
    fn points_of_side_0_become_wins_of_who_moved_first() {
        let mut of_two = meeting([0, 1], 2, &[[2, 0], [1, 0]]);
        for (number, pair) in of_two.pairs.iter_mut().enumerate() {
            pair.digests = [2 * number, 2 * number + 1].map(|digest| digest.to_string());
        }
        let (tallies, repeated) = tournament(vec![of_two]).results();
        let rows = tallies.iter().map(|tally| {
            let counts = [tally.wins, tally.draws, tally.losses];
            (tally.first, tally.second, counts)
        });
        let name = |text: &str| text.to_owned();
        let expected = [
            (name("a"), name("b"), [1, 1, 0]),
            (name("b"), name("a"), [2, 0, 0]),
        ];
        assert_eq!((rows.collect::<Vec<_>>(), repeated), (expected.to_vec(), 0));
    }

    /// Both play the same moves: with the other player moving first, it is another game.
    #[test]
    fn a_game_is_known_by_its_moves_and_who_made_them() {
        let start = Position::start(Variant::English);
        let opening = Opening::from_text(start, "11-15 23-19").expect("legal moves");
        let game = |swapped| MatchGame {
            pair: 0,
            swapped,
            opening: opening.clone(),
            moves: vec![opening.game().legal_moves()[1]],
            values: vec![None],
            outcome: Outcome::Win(Color::Black, WinReason::Resigned),
            fault: None,
            resignation: None,
            duplicate: false,
        };
        let pair = PairRecord::new(&[game(false), game(true)]);
        assert_eq!(pair.half_points, [2, 0]);
        let [one, other] = pair.digests.clone();
        assert!(one != other && one.len() == 16 && other.len() == 16);
        assert_eq!(pair, PairRecord::new(&[game(false), game(true)]));
        let mut longer = game(false);
        longer.moves.extend(longer.moves.clone());
        assert_ne!(PairRecord::new(&[longer, game(true)]).digests[0], one);
    }
}
