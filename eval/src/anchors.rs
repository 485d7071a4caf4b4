//! Games of the baselines among themselves: the fixed scale on which every run is rated.
//!
//! `data/anchors.json` holds results that [`measure`] produced once, with the seed and the number
//! of pairs written beside them; `cargo test --release -p crownhead-eval --test anchors --
//! --ignored` reproduces the file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rules::Variant;
use serde::{Deserialize, Serialize};

use crate::baselines::Baseline;
use crate::error::EvalError;
use crate::matches::{Arena, PlayerFactory, play_match};
use crate::openings::{self, Opening};
use crate::ratings::Tallies;
use crate::seed;

/// The name of the player whose rating is 0.
pub const ZERO: &str = "random";

/// How many levels apart baselines are matched: 1 is neighbours only, 2 ties the scale together.
const REACH: usize = 2;
/// Openings of one match; longer matches begin with the first again, and other lots are drawn.
const MAX_OPENINGS: usize = 400;

/// Results of a variant's baselines against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// Version of the variant's rules under which the games were played.
    pub rules_version: u32,
    /// The deepest alpha-beta level.
    pub max_depth: u32,
    /// Pairs of games that the deepest level played against each of two others. Every level below
    /// played twice as many as the one above: its games are quicker, and its errors move all above.
    pub pairs: usize,
    /// Seed of openings and players.
    pub seed: u64,
    /// The results.
    pub games: Tallies,
}

/// The results that come with the program; `None` for a variant that was not measured, or whose
/// rules changed since.
pub fn shipped(variant: Variant) -> Option<Anchors> {
    let all: BTreeMap<String, Anchors> =
        serde_json::from_str(include_str!("../data/anchors.json")).ok()?;
    let anchors = all.get(variant.name())?;
    (anchors.rules_version == variant.rules().version).then(|| anchors.clone())
}

/// Plays every baseline up to `max_depth` against the two below it; `pairs` as in [`Anchors`].
///
/// `after_match` sees the results so far. When the arena's `stop` breaks off, what was played stays.
pub fn measure(
    variant: Variant,
    max_depth: u32,
    pairs: usize,
    arena: &Arena<'_>,
    after_match: &mut dyn FnMut(&Tallies),
) -> Result<Anchors, EvalError> {
    let levels = Baseline::levels(max_depth);
    let most_pairs = pairs << levels.len().saturating_sub(2);
    let deck = openings::sample(variant, most_pairs.min(MAX_OPENINGS), arena.seed);
    let mut games = Tallies::default();
    let matches = (1..levels.len()).flat_map(|s| (s.saturating_sub(REACH)..s).map(move |w| (w, s)));
    for (weaker, stronger) in matches {
        let n_pairs = pairs << (levels.len() - 1 - stronger);
        let openings: Vec<Opening> = deck.iter().cycle().take(n_pairs).cloned().collect();
        let path = [stronger as u64, weaker as u64];
        let arena = Arena {
            seed: seed::derive(arena.seed, &path),
            ..*arena
        };
        let sides = [
            &PlayerFactory::from(levels[weaker]),
            &PlayerFactory::from(levels[stronger]),
        ];
        let to_the_end = &mut |_: &_| ControlFlow::Continue(());
        games.extend(&play_match(sides, &openings, &arena, to_the_end)?.tallies());
        after_match(&games);
    }
    let rules_version = variant.rules().version;
    Ok(Anchors {
        rules_version,
        max_depth,
        pairs,
        seed: arena.seed,
        games,
    })
}
