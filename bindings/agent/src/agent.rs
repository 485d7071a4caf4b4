//! Agents: players by name, for front ends.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use engine::{Choice, Control, Findings, SearchLimits, Stopper, Task};
use model::Model;
use rules::{Game, Move, Variant};
use search::Evaluator;
use types::{Seed, Wdl};

use crate::member::{Judgment, Member, TreeSearch};
use crate::{Error, Limits, Options};

/// Creates the player of a game.
type MakeMember = dyn Fn(Variant, &Options) -> Result<Member, Error> + Send;

/// A player of one or more games: a network with tree search, alpha-beta search with an evaluation,
/// or any other player that can analyse.
pub struct Agent {
    name: String,
    games: Vec<Variant>,
    /// The players of single games, created when their game is first used.
    members: BTreeMap<Variant, Member>,
    /// Creates them; `None` if the only player already exists.
    make: Option<Box<MakeMember>>,
    options: Options,
}

impl From<Member> for Agent {
    fn from(member: Member) -> Agent {
        Agent {
            name: member.name.clone(),
            games: vec![member.variant],
            members: BTreeMap::from([(member.variant, member)]),
            make: None,
            options: Options::default(),
        }
    }
}

impl Agent {
    /// Tree search with a network.
    ///
    /// # Errors
    /// If the network cannot be computed, or the requested strength is out of range.
    pub fn network(
        name: impl Into<String>,
        model: &Model,
        options: &Options,
    ) -> Result<Self, Error> {
        Ok(Member::network(name.into(), model, options, TreeSearch::default())?.into())
    }

    /// Tree search with any evaluator, such as another program's network.
    pub fn with_evaluator(
        name: impl Into<String>,
        variant: Variant,
        evaluator: Box<dyn Evaluator + Send>,
    ) -> Self {
        Member::tree(name.into(), variant, evaluator, TreeSearch::default()).into()
    }

    /// Alpha-beta search with a learned evaluation.
    ///
    /// # Errors
    /// If the requested strength is out of range.
    pub fn evaluation(
        name: impl Into<String>,
        network: nnue::Network,
        options: &Options,
    ) -> Result<Self, Error> {
        Ok(Member::evaluation(name.into(), Arc::new(network), options)?.into())
    }

    /// Alpha-beta search that counts material: it plays every variant without training.
    pub fn material(variant: Variant, options: &Options) -> Self {
        Member::material("material".to_owned(), variant, options).into()
    }

    /// An agent whose players are created by `make`, each when its game is first used. The first
    /// one is created at once, so that invalid options are reported when the agent is loaded.
    #[cfg(feature = "players")]
    pub(crate) fn of_several(
        name: String,
        games: Vec<Variant>,
        options: Options,
        make: Box<MakeMember>,
    ) -> Result<Self, Error> {
        let mut agent = Agent {
            name,
            games,
            members: BTreeMap::new(),
            make: Some(make),
            options,
        };
        agent.member(agent.variant())?;
        Ok(agent)
    }

    /// Name in results and messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game it plays; the first of several.
    pub fn variant(&self) -> Variant {
        self.games[0]
    }

    /// The games it plays.
    pub fn games(&self) -> &[Variant] {
        &self.games
    }

    /// The player of a game.
    pub(crate) fn member(&mut self, variant: Variant) -> Result<&mut Member, Error> {
        let other = || Error::OtherGame {
            name: self.name.clone(),
            plays: self.games.clone(),
            asked: variant,
        };
        match self.members.entry(variant) {
            Entry::Occupied(member) => Ok(member.into_mut()),
            Entry::Vacant(place) => {
                let make = self.make.as_ref().filter(|_| self.games.contains(&variant));
                Ok(place.insert(make.ok_or_else(other)?(variant, &self.options)?))
            }
        }
    }

    fn of(&mut self, game: &Game) -> Result<&mut Member, Error> {
        self.member(game.position().variant())
    }

    /// Chooses a move. Without limits it searches 100,000 nodes or 64 simulations; without a time
    /// limit the choice only depends on the game and the limits. An agent of limited strength
    /// ignores the limits; its choice depends on the game and its seed.
    ///
    /// # Errors
    /// If the game is over or of another variant, a limit is out of range, or the evaluator fails.
    pub fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, Error> {
        // Not every platform has a clock.
        let control = match limits.seconds {
            Some(_) => Control::running(),
            None => Control::pondering(),
        };
        self.choose_until(game, limits, Arc::new(control))
    }

    /// [`choose`](Agent::choose) that `control` can stop; uses its clock.
    ///
    /// # Errors
    /// As [`choose`](Agent::choose), and if a network that is only limited by nodes is stopped
    /// early.
    pub fn choose_until(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: Arc<Control>,
    ) -> Result<Choice, Error> {
        limits.checked()?;
        self.of(game)?.choose_until(game, limits, control)
    }

    /// Chooses a move in each of many games, limited by nodes. The games are searched together, so
    /// that a network sees full batches.
    ///
    /// # Errors
    /// As [`choose`](Agent::choose).
    pub fn choose_many(
        &mut self,
        games: &[Game],
        nodes: Option<u64>,
    ) -> Result<Vec<Choice>, Error> {
        self.choose_many_until(games, nodes, Arc::new(Control::pondering()))
    }

    /// [`choose_many`](Agent::choose_many) that `control` can stop. All games must have the variant
    /// of the first.
    ///
    /// # Errors
    /// As [`choose_until`](Agent::choose_until).
    pub fn choose_many_until(
        &mut self,
        games: &[Game],
        nodes: Option<u64>,
        control: Arc<Control>,
    ) -> Result<Vec<Choice>, Error> {
        match games.first() {
            None => Ok(Vec::new()),
            Some(first) => self.of(first)?.choose_many_until(games, nodes, control),
        }
    }

    /// Analyses a position until a limit is reached or `control` stops it, with several lines if
    /// the limits ask for them. `report` receives intermediate results. The search keeps its tree
    /// or table between calls. An agent of limited strength only reports its choice.
    ///
    /// # Errors
    /// If there is no legal move, the game is of another variant, a limit is out of range, or the
    /// evaluator fails.
    pub fn analyse(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        self.search(game, limits.checked()?, control, report)
    }

    /// [`analyse`](Agent::analyse) with the engine's limits, which include a clock.
    ///
    /// # Errors
    /// As [`analyse`](Agent::analyse).
    pub fn search(
        &mut self,
        game: &Game,
        limits: SearchLimits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        self.of(game)?.think(game, limits, control, report)
    }

    /// Judges a legal move: compares it with the best one, as [`analyst::judge`] does.
    ///
    /// # Errors
    /// When the game is another one, or the evaluator fails.
    pub fn judge_move(
        &mut self,
        game: &Game,
        played: Move,
        stopper: Stopper,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<(analyst::Judgment, Findings), Error> {
        let member = self.of(game)?;
        let task = Task {
            game,
            seed: member.seed,
            stopper,
        };
        Ok(analyst::judge(member.analyzer(), &task, played, report)?)
    }

    /// The value of the position for the side to move without search: the network's value, or that
    /// of a depth-1 search with all captures resolved.
    ///
    /// # Errors
    /// If the game is of another variant or the evaluator fails.
    pub fn value(&mut self, game: &Game) -> Result<Wdl, Error> {
        self.of(game)?.value(game)
    }

    /// The network's evaluation of positions of one variant, in one batch.
    ///
    /// # Errors
    /// If a game is over or of another variant, the agent has no network, or the evaluator fails.
    pub fn judge(&mut self, games: &[Game]) -> Result<Vec<Judgment>, Error> {
        match games.first() {
            None => Ok(Vec::new()),
            Some(first) => self.of(first)?.judge(games),
        }
    }

    /// The range of ratings to which its strength can be limited in its first game, see
    /// [`Options::elo`]; `None` if they were not measured.
    pub fn elo_range(&self) -> Option<(f64, f64)> {
        self.members.get(&self.variant())?.strength.range()
    }

    /// Sets the seed for the random choices of an agent of limited strength, see [`Options::seed`].
    pub fn reseed(&mut self, seed: u64) {
        self.options.seed = seed;
        for member in self.members.values_mut() {
            member.seed = Seed::new(seed);
        }
    }
}
