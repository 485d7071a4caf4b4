//! Players as written by users.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use engine::hub::split_command;
use eval::PlayerFactory;
use rules::Variant;
use store::ModelId;

use crate::agent_source::AgentSource;
use crate::kinds::{self, Source};
use crate::loaded::LoadedPlayer;
use crate::models::ModelSource;
use crate::options::{Effort, Options, Taken};
use crate::{RequestError, Result};

/// A player as written, such as `run:runs/english@42,sims=16`.
#[derive(Clone)]
pub struct PlayerSpec {
    /// The text without options.
    text: String,
    /// The options that its kind takes.
    pub(crate) takes: Taken,
    source: Arc<dyn Source>,
    pub(crate) options: Options,
}

impl PlayerSpec {
    /// A model of a run, without options.
    ///
    /// # Errors
    /// If the path can't be written as text.
    pub fn model_of(run: &Path, model: ModelId) -> Result<PlayerSpec, RequestError> {
        AgentSource::Network(ModelSource::Run(run.to_owned(), Some(model))).spec()
    }

    /// Reads the player's files.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the player cannot have the requested strength.
    pub fn load(&self) -> Result<LoadedPlayer> {
        let named = self.source.load()?;
        let name = named.name.unwrap_or_else(|| self.text.clone());
        LoadedPlayer::new(name, named.player, self.options.clone())
    }

    /// The player's network or evaluation, if it can be exported.
    pub fn agent(&self) -> Option<AgentSource> {
        self.source.agent()
    }

    /// The directory of the player's run, if it has one.
    pub fn run_dir(&self) -> Option<PathBuf> {
        match self.agent() {
            Some(AgentSource::Network(ModelSource::Run(dir, _))) => Some(dir),
            _ => None,
        }
    }

    /// The same player with an opening book. A player with a book of its own, of limited strength
    /// or without a learned evaluation is unchanged.
    #[must_use]
    pub fn with_book(mut self, book: &Path) -> PlayerSpec {
        if self.is_learned() && self.options.elo.is_none() {
            self.options.book.get_or_insert_with(|| book.to_owned());
        }
        self
    }

    /// True for a network, whose search is limited by simulations.
    pub fn is_network(&self) -> bool {
        matches!(self.agent(), Some(AgentSource::Network(_)))
    }

    /// True if its evaluation was learned: a network, or alpha-beta search with a learned
    /// evaluation.
    pub fn is_learned(&self) -> bool {
        self.agent().is_some()
    }

    /// True if the player has options.
    pub fn has_options(&self) -> bool {
        self.options != Options::default()
    }

    /// The same player with other options.
    pub(crate) fn with(&self, options: Options) -> PlayerSpec {
        PlayerSpec {
            options,
            ..self.clone()
        }
    }

    /// The same player with this many threads per position. A player with its own number of threads
    /// or with limited strength is unchanged.
    #[must_use]
    pub fn on_threads(mut self, threads: u32) -> PlayerSpec {
        if self.is_learned() && self.options.elo.is_none() {
            self.options.threads.get_or_insert(threads);
        }
        self
    }
}

impl FromStr for PlayerSpec {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<PlayerSpec, RequestError> {
        let (text, options) = split_options(text);
        let (kind, source) = kinds::parse(text)?;
        let options = Options::parse(text, kind.takes, options)?;
        let checked = source.check(&options);
        checked.map_err(|problem| RequestError(format!("player {text}: {problem}")))?;
        Ok(PlayerSpec {
            options,
            takes: kind.takes,
            text: text.to_owned(),
            source,
        })
    }
}

impl AgentSource {
    /// The player of this source.
    ///
    /// # Errors
    /// If the path can't be written as text.
    pub fn spec(&self) -> Result<PlayerSpec, RequestError> {
        match self {
            AgentSource::Network(source) => source.to_string().parse(),
            AgentSource::Evaluation(source) => source.to_string().parse(),
        }
    }
}

impl FromStr for AgentSource {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<AgentSource, RequestError> {
        let spec: PlayerSpec = text.parse()?;
        let agent = spec.agent().filter(|_| !spec.has_options());
        agent.ok_or_else(|| {
            RequestError(format!(
                "{text} has no network and no evaluation of its own to export: write run:DIR, run:DIR@42, \
                 model:DIR, bundled:VARIANT, ab:DIR or ab:bundled, without options"
            ))
        })
    }
}

impl PartialEq for PlayerSpec {
    /// Compares the texts.
    fn eq(&self, other: &PlayerSpec) -> bool {
        self.text == other.text && self.options == other.options
    }
}

impl Eq for PlayerSpec {}

impl fmt::Debug for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {:?}", self.source)
    }
}

impl fmt::Display for PlayerSpec {
    /// Formats the player as it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, self.options)
    }
}

/// Splits a player from its options. A command may contain commas; its end counts as an option if
/// it looks like one and is not quoted.
fn split_options(text: &str) -> (&str, &str) {
    if !["hub:", "hub1:"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
    {
        return text.split_once(',').unwrap_or((text, ""));
    }
    let mut end = text.len();
    while let Some((before, option)) = text[..end].rsplit_once(',') {
        let is_quoted = split_command(before).is_none();
        if is_quoted || !Options::is_option(option) {
            break;
        }
        end = before.len();
    }
    (&text[..end], text[end..].trim_start_matches(','))
}

/// Loads the players of a match and determines their game: the requested one, or the only one of
/// the first player that has only one.
///
/// # Errors
/// If a player cannot be read, or they have no game in common.
pub fn load_all<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    asked: Option<Variant>,
) -> Result<(Variant, Vec<LoadedPlayer>)> {
    let loaded = players.into_iter().map(PlayerSpec::load);
    let players: Vec<LoadedPlayer> = loaded.collect::<Result<_>>()?;
    Ok((common_variant(&players, asked)?, players))
}

/// Loads players like [`load_all`], each as one side of a match.
///
/// # Errors
/// As [`load_all`].
pub fn load_factories<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    asked: Option<Variant>,
    effort: &Effort,
) -> Result<(Variant, Vec<PlayerFactory<'static>>)> {
    let (variant, players) = load_all(players, asked)?;
    let sides = players.iter().map(|player| player.factory(variant, effort));
    Ok((variant, sides.collect::<Result<_>>()?))
}

fn common_variant(
    players: &[LoadedPlayer],
    asked: Option<Variant>,
) -> Result<Variant, RequestError> {
    let known = players.iter().find_map(|player| match player.games[..] {
        [only] => Some(only),
        _ => None,
    });
    let variant = asked.or(known).ok_or_else(|| {
        RequestError("these players play several games: choose one with --variant".to_owned())
    })?;
    let other = players
        .iter()
        .find(|player| !player.games.contains(&variant));
    match other {
        None => Ok(variant),
        Some(other) => Err(other.does_not_play(variant)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> PlayerSpec {
        text.parse().unwrap()
    }

    #[test]
    fn who_was_told_nothing_else_searches_on_threads() {
        let on_four = |text| spec(text).on_threads(4).to_string();
        assert_eq!(on_four("model:m"), "model:m,threads=4");
        for other in ["random", "ab:bundled,threads=2", "ab:bundled,elo=1200"] {
            assert_eq!(on_four(other), other);
        }
    }

    #[test]
    fn only_full_strength_takes_a_book_that_is_offered() {
        let with = |text| spec(text).with_book(Path::new("b")).to_string();
        assert_eq!(with("ab:bundled"), "ab:bundled,book=b");
        for other in ["random", "ab:bundled,book=a", "ab:bundled,elo=1200"] {
            assert_eq!(with(other), other);
        }
    }

    /// The parsed source of a player.
    fn source(text: &str) -> String {
        format!("{:?}", spec(text).source)
    }

    #[test]
    fn players_are_read() {
        assert_eq!(source("random"), "Random");
        assert_eq!(source("alphabeta:depth=4"), "AlphaBeta { depth: 4 }");
        assert_eq!(source("model:m"), r#"Path("m")"#);
        assert_eq!(source("ab:bundled"), "Bundled(None)");
        assert_eq!(source("mcts:rollouts=50"), "Mcts { rollouts: 50 }");
        assert_eq!(spec("ab:e,depth=9,hash=64").options.hash, Some(64));
        assert_eq!(spec("model:m,sims=16").options.simulations, Some(16));
        for text in [
            "model:m,sims=8,mode=gumbel,c_scale=0.3",
            "bundled,evaluation=none,threads=2",
            "model:m,evaluation=bundled",
        ] {
            assert_eq!(spec(text).to_string(), text);
        }
        let hub =
            |version, command: &str| format!("Hub {{ version: {version}, command: {command:?} }}");
        let scan = spec("hub:scan 'a,b=c',nodes=500,time=40/5m");
        assert_eq!(format!("{:?}", scan.source), hub("Two", "scan 'a,b=c'"));
        assert_eq!(scan.options.nodes, Some(500));
        assert_eq!(scan.options.time, "40/300".parse().ok());
        let address = |text| format!("Dxp {{ address: {text:?} }}");
        assert_eq!(source("dxp:scan.local"), address("scan.local:27531"));
        assert_eq!(source("dxp:[::1]:99"), address("[::1]:99"));
        let quoted = "x 'a,time=5' \"b,nodes=3\"";
        let spec_of_quoted = spec(&format!("hub:{quoted},nodes=7"));
        assert_eq!(format!("{:?}", spec_of_quoted.source), hub("Two", quoted));
        assert_eq!(spec_of_quoted.options.nodes, Some(7));
        assert_eq!(source("hub:x,time"), hub("Two", "x,time"));
        assert_eq!(source("hub:x a,b=c"), hub("Two", "x a,b=c"));
        let old = spec("hub1:scan2 hub,time=5");
        assert_eq!(format!("{:?}", old.source), hub("One", "scan2 hub"));
        assert_eq!(old.options.time, "5".parse().ok());
    }

    #[test]
    fn a_game_is_its_strongest_player() {
        for variant in Variant::ALL {
            let player = spec(variant.name()).load().unwrap();
            assert_eq!(player.games, [variant], "{}", player.name);
        }
        let english = spec("english,nodes=500").load().unwrap();
        assert_eq!(english.name, "ab:english,nodes=500");
        assert_eq!(spec("ab:english"), spec("ab:english"));
        assert_eq!(source("english"), source("ab:english"));
        assert_eq!(source("english"), source("ab:bundled:english"));
    }

    #[test]
    fn a_path_is_the_agent_that_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let error = path.parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(error.contains("holds neither a run nor"), "{error}");
        std::fs::write(folder.path().join("model.safetensors"), "").unwrap();
        assert_eq!(source(&path), format!("Path({path:?})"));
        assert!(spec(&path).is_network());
        std::fs::remove_file(folder.path().join("model.safetensors")).unwrap();
        std::fs::write(folder.path().join(store::EVALUATION_FILE), "").unwrap();
        assert!(spec(&path).is_learned() && !spec(&path).is_network());
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, hint) in [
            ("randam", "did you mean `random`"),
            ("englsih", "did you mean `english`"),
            ("10x10", "is a board, not a game"),
            ("/nowhere/at/all", "there is no such file or folder"),
            ("alphabeta", "alphabeta:depth=4"),
            ("alphabeta:depth=0", "(1 to 30)"),
            ("alphabeta:dept=3", "alphabeta:depth=4"),
            ("mcts", "mcts:rollouts=1000"),
            ("mcts:rollouts=0", "mcts:rollouts=1000"),
            ("mcts:1000", "mcts:rollouts=1000"),
            ("hub:", "hub:COMMAND"),
            ("random,sims=4", "does not search by simulations"),
            ("model:m,sims=0", "sims=64"),
            ("model:m,deep=3", "unknown option"),
            ("model:m,depth=3", "only ab: and material: players do"),
            ("ab:e,hash=0", "hash=64"),
            (
                "mcts:rollouts=9,hash=8",
                "only networks, ab: and material: players take hash",
            ),
            ("ab:e,threads=999", "more than 256"),
            ("ab:e,sims=9", "does not search by simulations"),
            ("model:m,mode=fast", "one of gumbel, puct"),
            ("model:m,c_scal=1", "did you mean `c_scale`?"),
            ("random,elo=900", "no measured strength"),
            ("model:m,elo=900,sims=8", "remove the other options"),
            ("model:m,simulations=9", "write sims=64"),
            (
                "model:m,mode=puct,c_scale=1",
                "c_scale has no effect with mode=puct",
            ),
            (
                "random,mode=puct",
                "only networks take settings of the search",
            ),
            ("model:m,nodes=3", "takes no node limit"),
            ("model:m,evaluation=", "evaluation=none"),
            ("ab:e,evaluation=none", "only networks take evaluation"),
            ("hub:scan,nodes=x", "nodes=1000"),
            ("hub1:scan,nodes=9", "takes no node limit"),
            ("hub1:", "hub1:COMMAND"),
            (
                "hub:scan level,depth=3",
                "put a command with commas in quotes",
            ),
            ("hub:scan --cpu 0.5,tim=1ms", "did you mean `time`?"),
            ("dxp:x,nodes=3", "takes no node limit"),
            ("dxp:x,time=5", "write time=300+0"),
            ("dxp:x,time=90+0", "write time=300+0"),
            ("dxp:x,time=300+1", "write time=300+0"),
            ("hub:scan,time=soon", "`soon` is not a time control"),
            (env!("CARGO_MANIFEST_DIR"), "holds neither a run nor"),
            ("material:chess", "chess"),
            ("bundled:chess", "chess"),
            ("run:", "write run:DIR"),
        ] {
            let message = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
    }

    #[test]
    fn the_game_must_be_clear() {
        let players = [spec("random"), spec("alphabeta:depth=1")];
        let effort = Effort {
            simulations: 1,
            time: None,
        };
        let load = |asked| load_factories(&players, asked, &effort);
        assert!(load(None).is_err());
        let (variant, sides) = load(Some(Variant::ALL[3])).unwrap();
        let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
        assert_eq!(variant, Variant::ALL[3]);
        assert_eq!(names, ["random", "alphabeta:depth=1"]);
    }
}
