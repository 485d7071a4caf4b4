//! The players that the caller provides.

use std::path::PathBuf;
use std::sync::Arc;

use endgame::Database;
use engine::Analyzer;
use page::PlayerInfo;
use rules::Variant;

/// Lists and creates players. The server lists the models of runs itself, and creates them by
/// specifications such as `run:DIR@42`.
pub trait PlayerCatalog: Send + Sync {
    /// The players that do not come from runs, the default one first. Their ids are specifications for
    /// [`PlayerCatalog::analyzer`].
    fn players(&self, variant: Variant) -> Vec<PlayerInfo>;

    /// Creates a player.
    ///
    /// # Errors
    /// The reason, as text for the user.
    fn analyzer(&self, spec: &str) -> Result<Box<dyn Analyzer>, String>;

    /// The endgame database of a variant, which says what moves are worth. `of_runs` are the directories where
    /// runs of the variant may have one.
    fn endgames(&self, variant: Variant, of_runs: &[PathBuf]) -> Option<Arc<Database>>;
}
