//! Games of the baselines among themselves: the fixed scale on which every run is rated.
//!
//! `data/anchors.json` holds results that [`Anchors::complete`] produced once, with the seed and
//! the number of pairs noted in it; `crownhead anchors` measures a variant and adds it to such a
//! file.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use ratings::{GoodnessOfFit, RunRating, RunRatings, Tallies, Tally, ZERO};
use rules::Variant;
use serde::{Deserialize, Serialize};
use types::{Seed, tidy};

use crate::baselines::Baseline;
use crate::error::EvalError;
use crate::matches::{Arena, PlayerFactory, play_match};
use crate::openings::{self, Opening};

/// The largest distance, in levels, of baselines that meet: 1 is neighbors only; larger distances
/// tie the scale together.
const REACH: usize = 3;
/// Openings of one match; longer matches start again at the first, with other random choices.
const MAX_OPENINGS: usize = 400;

/// Results of a variant's baselines against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// Version of the variant's rules under which the games were played.
    pub rules_version: u32,
    /// The deepest alpha-beta level.
    pub max_depth: u32,
    /// The deepest level with a learned evaluation, 0 for none.
    #[serde(default)]
    pub learned_depth: u32,
    /// Pairs of games that the deepest level plays against each of three others. Every level below
    /// plays twice as many as the one above: its games are faster, and its errors shift all above.
    /// Diluted levels play as many as `alphabeta:depth=1`, those with a learned evaluation as many
    /// as the deepest one.
    pub pairs: usize,
    /// Seed of openings and players.
    pub seed: u64,
    /// The results.
    pub games: Tallies,
}

/// The results built into the program; `None` for a variant that was not measured completely, or
/// whose rules have changed since.
pub fn shipped(variant: Variant) -> Option<Anchors> {
    AnchorsFile::parse(include_str!("../data/anchors.json"))
        .ok()?
        .complete(variant)
}

/// One match of two levels: indices in [`Baseline::levels`], and pairs to play.
struct Meeting {
    weaker: usize,
    stronger: usize,
    n_pairs: usize,
}

impl Anchors {
    /// No games yet; the fields as in [`Anchors`], without a learned evaluation.
    pub fn new(variant: Variant, max_depth: u32, pairs: usize, seed: u64) -> Anchors {
        Anchors {
            rules_version: variant.rules_version(),
            max_depth,
            learned_depth: 0,
            pairs,
            seed,
            games: Tallies::default(),
        }
    }

    /// True if these are partial results of the same measurement. Levels with a learned evaluation
    /// may be added.
    pub fn continues(&self, other: &Anchors) -> bool {
        let settings = |one: &Anchors| (one.rules_version, one.max_depth, one.pairs, one.seed);
        settings(self) == settings(other)
    }

    /// True if every baseline has met the ones just below it.
    pub fn is_complete(&self) -> bool {
        let levels = self.levels();
        self.meetings().all(|meeting| self.has(&levels, &meeting))
    }

    /// The number of games of a complete measurement.
    pub fn n_games(&self) -> usize {
        self.meetings().map(|meeting| 2 * meeting.n_pairs).sum()
    }

    /// Plays the missing matches until all are played or `after_match`, which sees the results so
    /// far, breaks.
    ///
    /// The arena's seed is not used. If its `stop` is set, the finished matches are kept, and the
    /// next call resumes after them; the results are the same as with one call.
    pub fn complete(
        &mut self,
        variant: Variant,
        arena: &Arena<'_>,
        after_match: &mut dyn FnMut(&Anchors) -> ControlFlow<()>,
    ) -> Result<(), EvalError> {
        let (levels, seed) = (self.levels(), Seed::new(self.seed));
        let most_pairs = self.pairs << self.max_depth.saturating_sub(1);
        let book = openings::sample(variant, most_pairs.min(MAX_OPENINGS), seed);
        for meeting in self.meetings() {
            if self.has(&levels, &meeting) {
                continue;
            }
            let (weaker, stronger) = (meeting.weaker, meeting.stronger);
            let openings = book.iter().cycle().take(meeting.n_pairs);
            let openings: Vec<Opening> = openings.cloned().collect();
            let path = [stronger as u64, weaker as u64];
            let arena = Arena {
                seed: seed.derive("anchors", &path),
                ..*arena
            };
            let sides = [weaker, stronger].map(|level| PlayerFactory::from(levels[level]));
            let to_the_end = &mut |_: &_| ControlFlow::Continue(());
            let played = play_match(sides.each_ref(), &openings, &arena, to_the_end)?;
            if arena.stop.load(Ordering::Relaxed) {
                break;
            }
            self.games.extend(&played.tallies());
            if after_match(self).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The ratings of the baselines that have played.
    ///
    /// # Errors
    /// As [`RunRatings::new`].
    pub fn ratings(&self) -> Result<ScaleReport, EvalError> {
        let ratings = RunRatings::new(&self.games, &Tallies::default())?;
        let line = |name: &String| {
            let RunRating { elo, ci95, .. } = ratings.player(name)?;
            let name = name.clone();
            Some(ScaleLine { name, elo, ci95 })
        };
        let mut players: Vec<ScaleLine> = self.games.names().iter().filter_map(line).collect();
        players.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        Ok(ScaleReport {
            zero: ZERO,
            players,
            games: self.games.games(),
            fit: ratings.fit,
        })
    }

    /// The baselines, weakest first.
    pub fn levels(&self) -> Vec<Baseline> {
        Baseline::levels(self.max_depth, self.learned_depth)
    }

    /// The matches, in the order in which they are played.
    fn meetings(&self) -> impl Iterator<Item = Meeting> + use<> {
        let (max_depth, pairs) = (self.max_depth as usize, self.pairs);
        let n_levels = self.levels().len();
        let deepest = n_levels - 1 - self.learned_depth as usize;
        (1..n_levels).flat_map(move |stronger| {
            let below = deepest.saturating_sub(stronger);
            let n_pairs = pairs << below.min(max_depth.saturating_sub(1));
            (stronger.saturating_sub(REACH)..stronger).map(move |weaker| Meeting {
                weaker,
                stronger,
                n_pairs,
            })
        })
    }

    fn has(&self, levels: &[Baseline], meeting: &Meeting) -> bool {
        let names = [meeting.weaker, meeting.stronger].map(|level| levels[level].to_string());
        let is_theirs =
            |tally: &Tally| names.contains(&tally.first) && names.contains(&tally.second);
        let between = self.games.iter().filter(is_theirs);
        let n_games = between.map(|tally| tally.wins + tally.draws + tally.losses);
        n_games.sum::<u64>() == 2 * meeting.n_pairs as u64
    }
}

/// The ratings of baselines, in Elo above random.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaleReport {
    /// The player with 0 Elo.
    pub zero: &'static str,
    /// Strongest first.
    pub players: Vec<ScaleLine>,
    /// Games.
    pub games: u64,
    /// The fit of the ratings to the games.
    pub fit: GoodnessOfFit,
}

/// The rating of a baseline, or of a player on their scale.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaleLine {
    /// Its name.
    pub name: String,
    /// Elo above random.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub ci95: f64,
}

impl ScaleLine {
    /// The headings of such lines, with `players` above the names.
    pub fn headings(players: &str) -> String {
        format!("{players:20} Elo above random    ±95 %")
    }
}

impl fmt::Display for ScaleLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, elo, ci95) = (&self.name, tidy(self.elo, 0), tidy(self.ci95, 0));
        write!(f, "{name:20} {elo:16.0} {ci95:8.0}")
    }
}

impl fmt::Display for ScaleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", ScaleLine::headings("baseline"))?;
        for line in &self.players {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "\n{} games: {}", self.games, self.fit)
    }
}

/// The content of a file such as `data/anchors.json`: results by names of variants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnchorsFile(pub BTreeMap<String, Anchors>);

impl AnchorsFile {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// If it is invalid.
    pub fn parse(text: &str) -> Result<AnchorsFile, serde_json::Error> {
        serde_json::from_str(text).map(AnchorsFile)
    }

    /// The results of a variant; `None` if it was not measured completely, or its rules have
    /// changed since.
    pub fn complete(&self, variant: Variant) -> Option<Anchors> {
        let anchors = self.0.get(variant.name())?;
        let is_current = anchors.rules_version == variant.rules_version();
        (is_current && anchors.is_complete()).then(|| anchors.clone())
    }
}

impl fmt::Display for AnchorsFile {
    /// Formats the file: variants in the order of [`Variant::ALL`], then those known only to other
    /// versions of the program, and one line per tally, for readable diffs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Variant::ALL.map(Variant::name);
        let others = self.0.keys().map(String::as_str);
        let others = others.filter(|name| !known.contains(name));
        let names = known.into_iter().chain(others);
        let entries = names.filter_map(|name| Some((name, self.0.get(name)?)));
        let texts = entries.map(|(name, anchors)| {
            let tally = |tally: Tally| Ok(format!("\n{}", serde_json::to_string(&tally)?));
            let games: Result<Vec<String>, serde_json::Error> =
                anchors.games.iter().map(tally).collect();
            Ok(format!(
                "\n\"{name}\": {{\n\"rules_version\": {}, \"max_depth\": {}, \"learned_depth\": {}, \
                 \"pairs\": {}, \"seed\": {}, \"games\": [{}\n]}}",
                anchors.rules_version,
                anchors.max_depth,
                anchors.learned_depth,
                anchors.pairs,
                anchors.seed,
                games?.join(",")
            ))
        });
        let texts: Result<Vec<String>, serde_json::Error> = texts.collect();
        let texts = texts.map_err(|_| fmt::Error)?;
        writeln!(f, "{{{}\n}}", texts.join(","))
    }
}
