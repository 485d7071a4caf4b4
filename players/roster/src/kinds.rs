//! The registry of player kinds, one row each.

mod baseline;
mod dxp;
mod game;
mod hub;
mod learned;
mod material;
mod mcts;
mod network;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use engine::{Analyzer, Chooser, Player, TimeControl};
use eval::PlayerFactory;
use rules::{Variant, did_you_mean};
use search::Prover;
use types::{Handicap, Strength};

use crate::agent_source::AgentSource;
use crate::options::{Effort, Options, Taken};
use crate::portable::PortableKind;
use crate::{EvaluationSource, ModelSource, RequestError, Result, RosterError};

pub(crate) use learned::of_evaluation;
pub(crate) use network::of_model;

/// A kind of player: its notation and its options.
pub(crate) struct Kind {
    /// The word before the colon, or the whole text of a player without a colon.
    word: &'static str,
    /// Forms of its notation, for messages.
    forms: &'static str,
    /// The options that it takes.
    pub(crate) takes: Taken,
    /// Parses the text after the colon; the error says what to write instead.
    parse: fn(&str) -> Result<Arc<dyn Source>, String>,
}

/// All kinds. To add a kind of player, add a file in this folder and a row here.
const KINDS: &[&Kind] = &[
    &network::RUN,
    &network::MODEL,
    &network::BUNDLED,
    &learned::KIND,
    &material::KIND,
    &baseline::RANDOM,
    &baseline::DILUTED,
    &baseline::ALPHABETA,
    &baseline::LEARNED,
    &mcts::KIND,
    &hub::KIND,
    &hub::KIND_OF_VERSION_1,
    &dxp::KIND,
];

/// A parsed player of one kind.
pub(crate) trait Source: fmt::Debug + Send + Sync {
    /// Reads the player's files.
    fn load(&self) -> Result<Named>;

    /// Refuses options that it takes but whose values it cannot keep.
    fn check(&self, _: &Options) -> Result<(), String> {
        Ok(())
    }

    /// Returns true if the same text means the same player of a game on every machine.
    fn is_everywhere(&self, _: Variant) -> bool {
        false
    }

    /// Its network or evaluation, if it has one that can be exported.
    fn agent(&self) -> Option<AgentSource> {
        None
    }
}

/// A player without files is loaded as soon as it is parsed.
impl<T: Loaded + Clone + fmt::Debug + 'static> Source for T {
    fn load(&self) -> Result<Named> {
        Ok(Named {
            name: None,
            player: Box::new(self.clone()),
        })
    }

    fn check(&self, options: &Options) -> Result<(), String> {
        Loaded::check(self, options)
    }

    fn is_everywhere(&self, variant: Variant) -> bool {
        matches!(self.portable(variant), Ok(PortableKind::Named(_)))
    }
}

/// A player whose files have been read.
pub(crate) struct Named {
    /// The name in results if it is more specific than the text, such as the model of a run.
    pub(crate) name: Option<String>,
    /// The player.
    pub(crate) player: Box<dyn Loaded>,
}

/// A loaded player of one kind.
pub(crate) trait Loaded: Send + Sync {
    /// The games that it plays.
    fn games(&self) -> Vec<Variant>;

    /// As [`Source::check`].
    fn check(&self, _: &Options) -> Result<(), String> {
        Ok(())
    }

    /// Creates the player for one side of a match.
    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>>;

    /// Creates an analyzer for the seat's game, or for every game if it [plays
    /// any](Loaded::plays_any).
    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>>;

    /// Returns true if one analyzer serves all of its games.
    fn plays_any(&self) -> bool {
        false
    }

    /// Its measured strength in a game.
    fn strength(&self, _: Variant) -> Option<&Strength> {
        None
    }

    /// Nodes per move with its weakest and its strongest handicap.
    fn nodes_of_handicaps(&self, effort: &Effort) -> (u32, u32) {
        (1, effort.simulations)
    }

    /// The portable form, from which another machine can create it.
    fn portable(&self, variant: Variant) -> Result<PortableKind, String>;

    /// The network or evaluation for a game, for front ends with their own search.
    fn player_kind(&self, _: Variant) -> Option<PlayerKind<'_>> {
        None
    }
}

/// The evaluation used by a player's search.
pub enum PlayerKind<'a> {
    /// A network, for tree search.
    Network(&'a crate::LoadedModel),
    /// A learned evaluation, for alpha-beta search.
    Evaluation(&'a Arc<nnue::Network>),
    /// The balance of material, for alpha-beta search.
    Material,
}

/// One side of a match.
pub(crate) struct Seat<'a> {
    /// The player's name in results.
    pub(crate) name: &'a str,
    /// The game.
    pub(crate) variant: Variant,
    /// The player's own options.
    pub(crate) options: &'a Options,
    /// The effort if its options do not specify one.
    pub(crate) effort: Effort,
    /// Its time control.
    pub(crate) time: Option<TimeControl>,
    /// The handicap that limits its strength.
    pub(crate) handicap: Option<Handicap>,
    /// The endgame database that it uses.
    pub(crate) prover: Option<Arc<dyn Prover>>,
    /// True for tasks with a limit of nodes or time. Other programs keep such limits, and can be
    /// started for each game.
    pub(crate) is_bounded: bool,
}

impl Seat<'_> {
    /// The error of a player that does not play the seat's game.
    fn empty(&self) -> RosterError {
        RosterError::Missing(format!("{} does not play {}", self.name, self.variant))
    }
}

/// Creates a player without limits, or with its handicap.
fn free_or_limited<P: Player + Analyzer + 'static>(
    player: P,
    handicap: Option<Handicap>,
) -> Box<dyn Analyzer> {
    match handicap {
        None => Box::new(player),
        Some(_) => Box::new(Chooser(Box::new(player))),
    }
}

/// The forms of all kinds, for messages and help.
pub fn forms() -> String {
    let forms = KINDS.iter().map(|kind| kind.forms);
    let forms: Vec<&str> = forms.filter(|forms| !forms.is_empty()).collect();
    format!("a game such as {}, {}", Variant::ALL[0], forms.join(", "))
}

/// The kind and the source of a text without options. A text without a kind is a game, which means
/// its strongest player, or the path of a run, a model or an evaluation.
pub(crate) fn parse(text: &str) -> Result<(&'static Kind, Arc<dyn Source>), RequestError> {
    let (word, rest) = text.split_once(':').unwrap_or((text, ""));
    if let Some(kind) = KINDS.iter().find(|kind| kind.word == word) {
        let source = (kind.parse)(rest);
        let source = source.map_err(|problem| RequestError(format!("player {text}: {problem}")))?;
        return Ok((kind, source));
    }
    if let Ok(variant) = text.parse() {
        return game::strongest(variant);
    }
    if let Some(run) = ModelSource::run_at(text) {
        return Ok((&network::RUN, Arc::new(run)));
    }
    let path = Path::new(text);
    if let Some(evaluation) = EvaluationSource::at(path) {
        return Ok((&learned::KIND, Arc::new(evaluation)));
    }
    let model = ModelSource::model_at(path).ok_or_else(|| unknown(text, path))?;
    Ok((&network::MODEL, Arc::new(model)))
}

fn unknown(text: &str, path: &Path) -> RequestError {
    if path.exists() {
        return RequestError(format!(
            "{text} is not a player: it holds neither a run nor model.safetensors (crownhead export writes one) \
             nor {} (crownhead distill writes one)",
            store::EVALUATION_FILE
        ));
    }
    if text.contains(['/', '\\']) {
        return RequestError(format!(
            "failed to read {text}: there is no such file or folder"
        ));
    }
    if let Err(error) = text.parse::<Variant>()
        && error.is_of_something_else()
    {
        return RequestError(error.to_string());
    }
    let words = KINDS.iter().map(|kind| kind.word);
    let hint = did_you_mean(
        text,
        Variant::ALL.into_iter().map(Variant::name).chain(words),
    );
    RequestError(format!(
        "there is no player {text:?}{hint}; write {}",
        forms()
    ))
}
