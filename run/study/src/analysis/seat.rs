//! The analysts of each game, and how hard they think.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use analyst::{Judgment, judge};
use engine::{Analyzer, Findings, SearchLimits, Stopper, Task, TimeLeft};
use eval::EvalError;
use roster::{LoadedPlayer, PlayerSpec};
use rules::{Game, Move, Variant};
use types::Seed;

use run::{RequestError, Result};

/// The effort for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The player's usual number of nodes.
    Usual,
    /// Nodes or simulations.
    Nodes(u64),
    /// Time.
    Time(Duration),
}

impl Limit {
    /// These nodes, or else this time, or else the player's usual number of nodes.
    pub fn of(nodes: Option<u64>, time: Option<Duration>) -> Limit {
        let limit = nodes.map(Limit::Nodes).or(time.map(Limit::Time));
        limit.unwrap_or(Limit::Usual)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Usual => write!(f, "its usual nodes"),
            Limit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Limit::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// The players that analyse: one for all games, or the strongest of each.
pub struct Analysts {
    named: Option<Arc<LoadedPlayer>>,
    strongest: Mutex<HashMap<Variant, Arc<LoadedPlayer>>>,
    limit: Limit,
}

impl Analysts {
    /// Loads the player with this name, or later the strongest of each game that comes.
    ///
    /// # Errors
    /// When it cannot be loaded, or cannot analyse.
    pub fn new(player: Option<&PlayerSpec>, limit: Limit) -> Result<Analysts> {
        let named = player.map(PlayerSpec::load).transpose()?;
        if let Some(named) = &named
            && let Some(game) = named.games.first()
        {
            named.bounded_analyzer(*game)?;
        }
        Ok(Analysts {
            named: named.map(Arc::new),
            strongest: Mutex::default(),
            limit,
        })
    }

    /// The name of the analyst and its effort.
    pub fn name(&self) -> String {
        let named = self.named.as_ref();
        let name = named.map_or("the strongest player", |named| &named.name);
        format!("{name}, {} a position", self.limit)
    }

    /// The name of its player of a game.
    ///
    /// # Errors
    /// When the player does not play it.
    pub fn name_of(&self, variant: Variant) -> Result<String> {
        Ok(self.player(variant)?.name.clone())
    }

    /// The only game of a player that was named.
    pub fn only_game(&self) -> Option<Variant> {
        match self.named.as_ref()?.games[..] {
            [game] => Some(game),
            _ => None,
        }
    }

    fn player(&self, variant: Variant) -> Result<Arc<LoadedPlayer>> {
        if let Some(named) = &self.named {
            return match named.games.contains(&variant) {
                true => Ok(Arc::clone(named)),
                false => Err(named.does_not_play(variant).into()),
            };
        }
        let strongest = self.strongest.lock();
        let mut strongest = strongest.unwrap_or_else(PoisonError::into_inner);
        if let Some(player) = strongest.get(&variant) {
            return Ok(Arc::clone(player));
        }
        let player = Arc::new(variant.name().parse::<PlayerSpec>()?.load()?);
        strongest.insert(variant, Arc::clone(&player));
        Ok(player)
    }
}

/// The analyzers of one thread.
pub(crate) struct Seats {
    analysts: Arc<Analysts>,
    seats: HashMap<Variant, Seat>,
}

struct Seat {
    analyzer: Box<dyn Analyzer>,
    limits: SearchLimits,
}

impl Seats {
    pub(crate) fn new(analysts: Arc<Analysts>) -> Seats {
        Seats {
            analysts,
            seats: HashMap::new(),
        }
    }

    /// Judges a move of a game.
    pub(super) fn judge(&mut self, game: &Game, mv: Move) -> Result<Judgment> {
        let seat = self.seat(game.position().variant())?;
        let task = task(game, seat.limits);
        let judged = judge(&mut *seat.analyzer, &task, mv, &mut |_| {});
        let judgment = judged.map_err(EvalError::from)?.0;
        if judgment.best.value.is_none() && game.legal_moves().len() > 1 {
            return Err(valueless().into());
        }
        Ok(judgment)
    }

    /// Looks for the best lines of a position, with the effort of the analysts or these nodes.
    pub(crate) fn analyze(
        &mut self,
        game: &Game,
        lines: usize,
        nodes: Option<u64>,
    ) -> Result<Findings> {
        let seat = self.seat(game.position().variant())?;
        let limits = match nodes {
            None => seat.limits,
            Some(_) => SearchLimits {
                nodes,
                ..SearchLimits::default()
            },
        };
        let task = task(game, SearchLimits { lines, ..limits });
        let found = seat.analyzer.analyze(&task, &mut |_| {});
        Ok(found.map_err(EvalError::from)?)
    }

    /// The analyzer of a game, which remembers nothing.
    fn seat(&mut self, variant: Variant) -> Result<&mut Seat> {
        let seat = match self.seats.entry(variant) {
            Entry::Occupied(seat) => seat.into_mut(),
            Entry::Vacant(empty) => {
                let player = self.analysts.player(variant)?;
                let mut limits = SearchLimits::default();
                match self.analysts.limit {
                    Limit::Usual => limits.nodes = player.usual_nodes(variant),
                    Limit::Nodes(nodes) => limits.nodes = Some(nodes),
                    Limit::Time(time) => limits.time = Some(TimeLeft::Move(time)),
                }
                let analyzer = player.bounded_analyzer(variant)?;
                empty.insert(Seat { analyzer, limits })
            }
        };
        seat.analyzer.forget(seat.limits.nodes.unwrap_or(u64::MAX));
        Ok(seat)
    }
}

/// The error for a player that chooses moves only.
pub(crate) fn valueless() -> RequestError {
    RequestError(
        "the player gives no values: use a network or alpha-beta search, with more nodes if it is one"
            .to_owned(),
    )
}

fn task(game: &Game, limits: SearchLimits) -> Task<'_> {
    Task {
        game,
        seed: Seed::new(1),
        stopper: Stopper::within(limits),
    }
}
