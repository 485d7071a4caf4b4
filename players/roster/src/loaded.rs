//! Loaded players.

use std::collections::HashMap;
use std::sync::Arc;

use engine::Analyzer;
use eval::{Computes, PlayerFactory};
use rules::Variant;
use search::Prover;
use store::Endgames;
use types::{Handicap, Strength};

use crate::book::{Booked, OwnBook};
use crate::evaluations::EvaluationSource;
use crate::kinds::{Loaded, PlayerKind, Seat};
use crate::options::{Effort, Options, OwnResources};
use crate::per_variant::PerVariant;
use crate::portable::Portable;
use crate::second_opinion::SecondOpinion;
use crate::{RequestError, Result, endgames};
use engine::defaults::{USUAL_NODES, USUAL_SIMULATIONS};

/// A player whose files have been read.
pub struct LoadedPlayer {
    /// The name in results, including the model of a run.
    pub name: String,
    /// The games that it plays.
    pub games: Vec<Variant>,
    player: Box<dyn Loaded>,
    pub(crate) options: Options,
    /// The endgame databases that it uses.
    provers: HashMap<Variant, Arc<dyn Prover>>,
    book: Option<OwnBook>,
}

impl LoadedPlayer {
    /// Creates a player with its options.
    pub(crate) fn new(
        name: String,
        player: Box<dyn Loaded>,
        options: Options,
    ) -> Result<LoadedPlayer> {
        let games = player.games();
        let mut loaded = LoadedPlayer {
            name: format!("{name}{options}"),
            provers: provers(&options, &games)?,
            book: OwnBook::read(&options, &games)?,
            games,
            player,
            options,
        };
        loaded.keep_games_of_its_strength()?;
        Ok(loaded)
    }

    /// Creates the player for one side of a match of `variant`. `effort` applies if it has no
    /// options of its own; a player of limited strength has no clock.
    ///
    /// # Errors
    /// If it does not play the game, or its network cannot be evaluated.
    pub fn factory(&self, variant: Variant, effort: &Effort) -> Result<PlayerFactory<'static>> {
        let handicap = self.handicap(variant)?;
        let effort = Effort {
            time: effort.time.filter(|_| handicap.is_none()),
            ..*effort
        };
        self.seated(variant, effort, handicap)
    }

    /// Creates the player for one side of a match with a handicap, which becomes part of its name.
    ///
    /// # Errors
    /// As [`LoadedPlayer::factory`].
    pub fn with_handicap(
        &self,
        variant: Variant,
        handicap: Handicap,
    ) -> Result<PlayerFactory<'static>> {
        let effort = Effort {
            simulations: handicap.most_nodes(),
            time: None,
        };
        let mut factory = self.seated(variant, effort, Some(handicap))?;
        factory.name = format!("{},{handicap}", self.name);
        Ok(factory)
    }

    fn seated(
        &self,
        variant: Variant,
        effort: Effort,
        handicap: Option<Handicap>,
    ) -> Result<PlayerFactory<'static>> {
        if !self.games.contains(&variant) {
            return Err(self.does_not_play(variant).into());
        }
        let seat = self.seat(variant, effort, handicap);
        let mut factory = self.player.factory(&seat)?;
        factory.name.clone_from(&self.name);
        factory.time = seat.time;
        if let Computes::Here { threads } = &mut factory.computes {
            *threads = self.options.threads();
        }
        Ok(match self.book.clone().filter(|book| book.is_of(variant)) {
            Some(book) => factory.map(move |inner| {
                Box::new(Booked {
                    own: Some(book.clone()),
                    inner,
                })
            }),
            None => factory,
        })
    }

    fn seat(&self, variant: Variant, effort: Effort, handicap: Option<Handicap>) -> Seat<'_> {
        Seat {
            name: &self.name,
            variant,
            options: &self.options,
            effort,
            time: self.options.time.or(effort.time),
            handicap,
            prover: self.provers.get(&variant).cloned(),
            is_bounded: false,
        }
    }

    /// Creates an analyzer of some of its games, with memory for each, which thinks until it is
    /// stopped. The player's own number of simulations or rollouts always applies.
    ///
    /// # Errors
    /// If the player has a time control of its own, is another program, or does not play a game.
    pub fn analyzer(&self, games: &[Variant]) -> Result<Box<dyn Analyzer>> {
        self.analyzer_by(games, false)
    }

    /// Creates an analyzer of one game for tasks with a limit of nodes or time, which may be
    /// another program. That is started by its first task.
    ///
    /// # Errors
    /// If the player has a time control of its own, cannot analyze, or does not play the game.
    pub fn bounded_analyzer(&self, game: Variant) -> Result<Box<dyn Analyzer>> {
        self.analyzer_by(&[game], true)
    }

    fn analyzer_by(&self, games: &[Variant], is_bounded: bool) -> Result<Box<dyn Analyzer>> {
        if let Some(time) = self.options.time {
            let reason = "the caller sets the thinking time";
            return Err(
                RequestError(format!("{}: remove time={time}, {reason}", self.name)).into(),
            );
        }
        let analyzer = |&variant: &Variant| {
            let handicap = self.handicap(variant)?;
            let seat = Seat {
                is_bounded,
                ..self.seat(variant, Effort::USUAL, handicap)
            };
            Ok((variant, self.player.analyzer(&seat)?))
        };
        let inner: Box<dyn Analyzer> = match games.first() {
            Some(any) if self.player.plays_any() => analyzer(any)?.1,
            _ => {
                let analyzers = games.iter().map(analyzer).collect::<Result<_>>()?;
                Box::new(PerVariant {
                    name: self.name.clone(),
                    analyzers,
                    used: Vec::new(),
                })
            }
        };
        let own = self.book.clone();
        Ok(Box::new(Booked { own, inner }))
    }

    /// True if the player has options.
    pub fn has_options(&self) -> bool {
        self.options != Options::default()
    }

    /// Threads, memory and precision of one search; `None` if the player has other options, which
    /// change the search itself.
    pub fn resources(&self) -> Option<OwnResources> {
        self.options.resources()
    }

    /// The default node limit for its analyzer; `None` if its options or its kind set limits.
    pub fn usual_nodes(&self, variant: Variant) -> Option<u64> {
        let is_limited = self.options.is_limited();
        let kind = self.player_kind(variant).filter(|_| !is_limited)?;
        Some(match kind {
            PlayerKind::Network(_) => USUAL_SIMULATIONS.into(),
            PlayerKind::Evaluation(_) | PlayerKind::Material => USUAL_NODES,
        })
    }

    /// The network or evaluation of the player in a game; `None` for players without one.
    pub fn player_kind(&self, variant: Variant) -> Option<PlayerKind<'_>> {
        self.player.player_kind(variant)
    }

    /// The portable form of the player in a game.
    ///
    /// # Errors
    /// If it would play differently on another machine.
    pub fn portable(&self, variant: Variant, effort: &Effort) -> Result<Portable> {
        let refused =
            |why: &str| RequestError(format!("{} cannot play for a fleet: {why}", self.name));
        let mut options = self.options.clone();
        if options.time.or(effort.time).is_some() {
            return Err(refused("with a clock, results depend on the machine").into());
        }
        if options.endgames.is_some() {
            return Err(refused("its endgame databases are on this machine only").into());
        }
        if options.book.is_some() {
            return Err(refused("its opening book is on this machine only").into());
        }
        if options.threads() > 1 {
            return Err(refused("with several threads its moves depend on the machine").into());
        }
        if let Some(PlayerKind::Network(model)) = self.player_kind(variant)
            && model.evaluation != SecondOpinion::None
            && options.elo.is_none()
        {
            // Elsewhere the network comes without it.
            options.evaluation.get_or_insert(model.evaluation.clone());
        }
        if matches!(
            options.evaluation,
            Some(SecondOpinion::Of(EvaluationSource::Path(_)))
        ) {
            return Err(refused("its evaluation is on this machine only").into());
        }
        let kind = self.player.portable(variant);
        Ok(Portable {
            name: self.name.clone(),
            kind: kind.map_err(|why| refused(&why))?,
            options: options.to_string(),
        })
    }

    /// The error of playing another game.
    pub fn does_not_play(&self, variant: Variant) -> RequestError {
        if let Err(error) = self.handicap(variant) {
            return error;
        }
        let games: Vec<&str> = self.games.iter().map(|game| game.name()).collect();
        RequestError(format!(
            "{} plays {}, not {variant}",
            self.name,
            games.join(", ")
        ))
    }

    /// The measured strength of the player in a game; `None` if it does not play the game or has no
    /// learned evaluation.
    pub fn strength(&self, variant: Variant) -> Option<&Strength> {
        self.player.strength(variant)
    }

    /// Nodes per move with its weakest and its strongest handicap.
    pub fn nodes_of_handicaps(&self, effort: &Effort) -> (u32, u32) {
        self.player.nodes_of_handicaps(effort)
    }

    /// The handicap that gives the player the requested strength.
    fn handicap(&self, variant: Variant) -> Result<Option<Handicap>, RequestError> {
        let (Some(elo), Some(strength)) = (self.options.elo, self.strength(variant)) else {
            return Ok(None);
        };
        let name = &self.name;
        if strength.is_empty() {
            return Err(RequestError(format!(
                "player {name}: its strength was not measured: crownhead export SOURCE --to DIR --strength writes \
                 an agent with measured strength"
            )));
        }
        let handicap = strength.handicap(elo.into());
        handicap
            .map(Some)
            .map_err(|error| RequestError(format!("player {name}: {variant}: {error}")))
    }

    /// Of several games, keeps those in which the player has the requested strength.
    fn keep_games_of_its_strength(&mut self) -> Result<(), RequestError> {
        let tried = self
            .games
            .iter()
            .map(|variant| self.handicap(*variant).map(|_| *variant));
        let games: Vec<Variant> = tried.clone().flatten().collect();
        if games.is_empty() {
            tried.collect::<Result<Vec<_>, _>>()?;
        }
        self.games = games;
        Ok(())
    }
}

/// The endgame databases of a player, one at least. A player of several games plays the others
/// without.
fn provers(options: &Options, games: &[Variant]) -> Result<HashMap<Variant, Arc<dyn Prover>>> {
    let mut provers = HashMap::new();
    let Some(dir) = &options.endgames else {
        return Ok(provers);
    };
    let endgames = Endgames::new(dir);
    for &variant in games {
        if let Some(database) = endgames.read(variant)? {
            provers.insert(variant, endgames::prover(Arc::new(database)));
        }
    }
    if let (true, Some(&first)) = (provers.is_empty(), games.first()) {
        // Its error says how to make one.
        endgames::read(dir, first)?;
    }
    Ok(provers)
}

#[cfg(test)]
mod tests {
    use engine::{Stopper, Task};
    use rules::{Game, Position};
    use types::Seed;

    use super::*;
    use crate::PlayerSpec;

    #[test]
    fn a_bundled_network_asks_its_evaluation_on_every_machine() {
        let load = |text: &str| text.parse::<PlayerSpec>().unwrap().load().unwrap();
        let game = Game::new(Position::start(Variant::English));
        let value = |player: &LoadedPlayer| {
            let mut analyzer = player.analyzer(&[Variant::English]).unwrap();
            let task = Task {
                game: &game,
                seed: Seed::new(1),
                stopper: Stopper::after(200),
            };
            analyzer.analyze(&task, &mut |_| ()).unwrap().best().value
        };
        let portable = |player: &LoadedPlayer| player.portable(Variant::English, &Effort::USUAL);
        let there = |player: &LoadedPlayer| {
            LoadedPlayer::of_portable(&portable(player).unwrap(), Variant::English).unwrap()
        };
        let (both, alone) = (load("bundled"), load("bundled,evaluation=none"));
        assert_ne!(value(&both), value(&alone));
        assert_eq!(value(&both), value(&load("bundled,evaluation=english")));
        assert_eq!(value(&both), value(&there(&both)));
        assert_eq!(value(&alone), value(&there(&alone)));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().display();
        let own = load(&format!("bundled,evaluation={path}"));
        let refusal = portable(&own).unwrap_err().to_string();
        assert!(
            refusal.contains("its evaluation is on this machine only"),
            "{refusal}"
        );
    }

    #[test]
    fn limited_strength_is_of_the_network_alone() {
        let load = |text: &str| text.parse::<PlayerSpec>().unwrap().load().unwrap();
        let player = load("bundled:english,elo=900");
        let portable = player.portable(Variant::English, &Effort::USUAL).unwrap();
        assert_eq!(portable.options, ",elo=900");
        let handicap = Handicap {
            nodes: 50.0,
            temperature: 0.0,
        };
        let game = Game::new(Position::start(Variant::English));
        let value = |text: &str| {
            let player = load(text);
            let seat = player.seat(Variant::English, Effort::USUAL, Some(handicap));
            let task = Task {
                game: &game,
                seed: Seed::new(1),
                stopper: Stopper::after(50),
            };
            let mut limited = player.player.analyzer(&seat).unwrap();
            limited.analyze(&task, &mut |_| ()).unwrap().best().value
        };
        assert_eq!(value("bundled"), value("bundled,evaluation=none"));
        assert_ne!(value("bundled"), value("bundled,evaluation=bundled"));
    }

    #[test]
    fn an_analyzer_has_memory_for_the_games_that_it_was_asked_for() {
        let spec: PlayerSpec = "ab:bundled".parse().unwrap();
        let mut analyzer = spec.load().unwrap().analyzer(&[Variant::Thai]).unwrap();
        let mut analyze = |variant| {
            let game = Game::new(Position::start(variant));
            let task = Task {
                game: &game,
                seed: Seed::new(1),
                stopper: Stopper::after(10),
            };
            analyzer.analyze(&task, &mut |_| ())
        };
        assert!(analyze(Variant::Thai).is_ok());
        let error = analyze(Variant::English).unwrap_err().to_string();
        assert!(error.contains("it does not play english"), "{error}");
    }
}
