//! The players that a page offers.

use std::path::PathBuf;
use std::sync::Arc;

use endgame::Database;
use engine::Analyzer;
use rules::Variant;
use serde::Serialize;
use types::Strength;

/// Lists and creates players. The server lists the models of runs itself, and creates them by
/// specifications such as `run:DIR@42`.
pub trait PlayerCatalog: Send + Sync {
    /// The players that do not come from runs, the default one first. Their ids are specifications
    /// for [`PlayerCatalog::analyzer`].
    fn players(&self, variant: Variant) -> Vec<PlayerInfo>;

    /// Creates a player of a variant, which searches on `threads` threads if it can.
    ///
    /// # Errors
    /// The reason, as text for the user.
    fn analyzer(
        &self,
        spec: &str,
        variant: Variant,
        threads: usize,
    ) -> Result<Box<dyn Analyzer>, String>;

    /// The endgame database of a variant, for exact values of moves. `of_runs` are the directories
    /// where runs of the variant may have one.
    fn endgames(&self, variant: Variant, of_runs: &[PathBuf]) -> Option<Arc<Database>>;
}

/// A text of the page: its key in `words.js`, and the names and numbers to insert.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Label(pub &'static str, pub Vec<String>);

impl Label {
    /// The text of a key, with its inserts.
    pub fn new<const N: usize>(key: &'static str, parts: [&str; N]) -> Label {
        Label(key, parts.map(str::to_owned).to_vec())
    }

    /// A text that contains another text, whose key and inserts come last.
    fn about(key: &'static str, parts: &[String], Label(of, of_parts): &Label) -> Label {
        Label(key, [parts, &[(*of).to_owned()], of_parts].concat())
    }
}

/// A player that can be chosen as an opponent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerInfo {
    /// The identifier that the page sends.
    pub id: String,
    /// The displayed name.
    pub name: Label,
    /// The heading of its group.
    pub group: Label,
    /// `true` if the user named it on the command line, so that it is offered first.
    pub is_named: bool,
    /// `true` if its number of simulations can be chosen.
    pub takes_simulations: bool,
    /// `true` if it analyses the user's positions, with several lines.
    pub analyses: bool,
    /// Its rating in Elo above random, if it was measured.
    pub elo: Option<f64>,
    /// Half-width of the rating's 95 % interval.
    pub ci95: Option<f64>,
}

impl PlayerInfo {
    /// The same player at its available limited strengths.
    pub fn limited(&self, strength: &Strength) -> Vec<PlayerInfo> {
        let PlayerInfo { id, name, .. } = self;
        let group = Label::about("held-back", &[], name);
        let at = |elo| {
            let name = Label::about("at-elo", &[format!("{elo}")], name);
            PlayerInfo::new(format!("{id},elo={elo}"), name, group.clone())
        };
        strength.choices().into_iter().map(at).collect()
    }

    /// A player without a rating.
    pub fn new(id: impl Into<String>, name: Label, group: Label) -> PlayerInfo {
        PlayerInfo {
            id: id.into(),
            name,
            group,
            ..PlayerInfo::default()
        }
    }
}
