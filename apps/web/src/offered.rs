//! The players that a page offers in addition to the runs' models, and its endgame databases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use endgame::Database;
use engine::Analyzer;
use page::{Label, PlayerCatalog, PlayerInfo};
use roster::endgames::{self, QUICK_PIECES};
use roster::{PlayerSpec, RequestError, Result, bundled_evaluations, bundled_networks};
use rules::Variant;
use store::Endgames;

use crate::books::Books;

/// The players of every game that need no network: kind, option, value.
const BASELINES: [(&str, &str, &str); 7] = [
    ("random", "", ""),
    ("alphabeta", ":depth=", "1"),
    ("alphabeta", ":depth=", "2"),
    ("alphabeta", ":depth=", "4"),
    ("alphabeta", ":depth=", "6"),
    ("mcts", ":rollouts=", "1000"),
    ("mcts", ":rollouts=", "10000"),
];

/// The user's player, the bundled ones with their limited strengths, and the baselines.
pub struct OfferedPlayers {
    /// The named player first, then the bundled ones, each once for every game that it plays.
    offered: Vec<(Variant, PlayerInfo)>,
    endgames: PathBuf,
    /// Books that engines of full strength play from.
    books: Books,
    /// Databases in use.
    databases: Mutex<BTreeMap<Variant, Opened>>,
    warn: fn(&str),
}

/// A database in use.
struct Opened {
    /// Its source and file size; `None` if it was built.
    source: Option<(Endgames, u64)>,
    database: Arc<Database>,
}

impl OfferedPlayers {
    /// Offers the player `named`, which is loaded once so that errors are reported at the start,
    /// and databases in the directory `endgames`. Unusable ones are reported to `warn`. Learned
    /// players of full strength play from `books`.
    ///
    /// # Errors
    /// If the player cannot be used or cannot analyse.
    pub fn new(
        named: Option<&PlayerSpec>,
        endgames: &Path,
        books: Books,
        warn: fn(&str),
    ) -> Result<OfferedPlayers> {
        let mut offered = named.map(load).transpose()?.unwrap_or_default();
        offered.extend(bundled()?);
        Ok(OfferedPlayers {
            offered,
            endgames: endgames.to_owned(),
            books,
            databases: Mutex::default(),
            warn,
        })
    }
}

/// The named player.
fn load(spec: &PlayerSpec) -> Result<Vec<(Variant, PlayerInfo)>> {
    let loaded = spec.load()?;
    loaded.analyzer(loaded.games.get(..1).unwrap_or_default())?;
    let info = PlayerInfo {
        is_named: true,
        takes_simulations: spec.is_network(),
        analyses: spec.is_learned(),
        ..PlayerInfo::new(
            spec.to_string(),
            Label::new("named", [&loaded.name]),
            Label::new("command-line", []),
        )
    };
    let games = loaded.games.into_iter();
    Ok(games.map(|game| (game, info.clone())).collect())
}

/// The bundled players, each followed by its limited strengths.
fn bundled() -> Result<Vec<(Variant, PlayerInfo)>> {
    let comes_along = || Label::new("bundled", []);
    let networks = bundled_networks().map(|variant| {
        let id = format!("bundled:{variant}");
        let network = PlayerInfo {
            takes_simulations: true,
            analyses: true,
            ..PlayerInfo::new(id, Label::new("network", []), comes_along())
        };
        (variant, network)
    });
    let search = PlayerInfo {
        analyses: true,
        ..PlayerInfo::new("ab:bundled", Label::new("search", []), comes_along())
    };
    let evaluations = bundled_evaluations().map(|variant| (variant, search.clone()));
    // The strongest first, because the page proposes it.
    let mut bundled: Vec<_> = evaluations.chain(networks).collect();
    for (variant, player) in bundled.clone() {
        let loaded = player.id.parse::<PlayerSpec>()?.load()?;
        if let Some(strength) = loaded.strength(variant) {
            let limited = player.limited(strength).into_iter();
            bundled.extend(limited.map(|player| (variant, player)));
        }
    }
    Ok(bundled)
}

impl PlayerCatalog for OfferedPlayers {
    fn players(&self, variant: Variant) -> Vec<PlayerInfo> {
        let offered = self.offered.iter().filter(|(game, _)| *game == variant);
        let baselines = BASELINES.map(|(kind, option, value)| {
            let name = Label::new(kind, [value]);
            let group = Label::new("baselines", []);
            PlayerInfo::new(format!("{kind}{option}{value}"), name, group)
        });
        let offered = offered.map(|(_, player)| player.clone());
        offered.chain(baselines).collect()
    }

    fn analyzer(
        &self,
        text: &str,
        variant: Variant,
        threads: usize,
    ) -> Result<Box<dyn Analyzer>, String> {
        let spec: PlayerSpec = text
            .parse()
            .map_err(|error: RequestError| error.to_string())?;
        let mut spec = spec.on_threads(u32::try_from(threads).unwrap_or(1));
        if let Some(book) = self.books.path(variant) {
            spec = spec.with_book(book);
        }
        let analyzer = spec.load().and_then(|loaded| loaded.analyzer(&[variant]));
        analyzer.map_err(|error| error.to_string())
    }

    fn endgames(&self, variant: Variant, of_runs: &[PathBuf]) -> Option<Arc<Database>> {
        let dirs = [&self.endgames].into_iter().chain(of_runs);
        let largest = endgames::largest(dirs.map(PathBuf::as_path), variant);
        let mut databases = self
            .databases
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = databases.get(&variant)
            && opened.source == largest
        {
            return Some(Arc::clone(&opened.database));
        }
        let kept = largest.as_ref().map(|(endgames, _)| endgames);
        let database = endgames::read_or_quick(kept, variant).or_else(|error| {
            (self.warn)(&format!(
                "{error}: analysis only covers endings of {QUICK_PIECES} pieces"
            ));
            endgames::read_or_quick(None, variant)
        });
        let database = Arc::new(database.ok()?);
        let opened = Opened {
            source: largest,
            database: Arc::clone(&database),
        };
        databases.insert(variant, opened);
        Some(database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offer_is_a_player() {
        let named = "random".parse().unwrap();
        let nowhere = Path::new("/nowhere");
        let offered = OfferedPlayers::new(Some(&named), nowhere, Books::default(), |_| ()).unwrap();
        for variant in Variant::ALL {
            let database = offered.endgames(variant, &[]).unwrap();
            assert_eq!(database.n_pieces(), QUICK_PIECES);
            let players = offered.players(variant);
            assert!(players[0].is_named);
            for player in players {
                assert!(
                    offered.analyzer(&player.id, variant, 2).is_ok(),
                    "{}",
                    player.id
                );
            }
        }
        assert!(
            offered.analyzer("hub:x", Variant::ALL[0], 1).is_err(),
            "an engine is not an analyzer"
        );
    }
}
