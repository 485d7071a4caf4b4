//! What agents are asked: moves, analyses, judgements.

use std::sync::Arc;

use engine::{
    Analyzer, Choice, Control, Findings, Player, SearchLimits, SearchPlayer, SearchPlayerConfig,
    Stopper, TREE_MEMORY, Task, Turn,
};
use rules::{Game, Move};
use search::{Batch, Cached, Evaluator, Search};
use types::{Wdl, softmax};

use super::{Brain, CACHE_MEMORY, Member, USUAL_NODES, USUAL_SIMULATIONS};
use crate::Error;
use crate::limits::Limits;

/// What an agent thinks of a position without looking ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The value, from the view of the side to move.
    pub value: Wdl,
    /// The probability of each legal move, the most likely first.
    pub policy: Vec<(Move, f32)>,
}

impl Member {
    fn check(&self, game: &Game) -> Result<(), Error> {
        let asked = game.position().variant();
        match asked == self.variant {
            true => Ok(()),
            false => Err(Error::OtherGame {
                name: self.name.clone(),
                plays: vec![self.variant],
                asked,
            }),
        }
    }

    /// The limits to choose by: the usual number of nodes where nothing limits.
    fn or_usual(&self, limits: &Limits) -> Limits {
        let usual = match self.brain {
            Brain::AlphaBeta(_) => USUAL_NODES,
            Brain::Tree(_) => USUAL_SIMULATIONS.into(),
            #[cfg(feature = "players")]
            Brain::Other(_, usual) => usual.unwrap_or(u64::MAX),
        };
        Limits {
            nodes: limits.nodes.or(limits.is_endless().then_some(usual)),
            ..*limits
        }
    }

    /// Chooses a move. Without limits it makes 100,000 nodes or 64 simulations; without a limit of time the
    /// choice depends on the game and the limits alone. An agent that is held back thinks as its strength says,
    /// whatever the limits; its choice depends on the game and its seed.
    ///
    /// # Errors
    /// When the game is over or another one, when limits are out of range, or the evaluator fails.
    pub(crate) fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, Error> {
        // Not every platform has a clock.
        let control = match limits.seconds {
            Some(_) => Control::running(),
            None => Control::pondering(),
        };
        self.choose_until(game, limits, Arc::new(control))
    }

    /// [`choose`](Member::choose) that `control` can stop; its clock counts.
    ///
    /// # Errors
    /// As [`choose`](Member::choose), and when a network with a limit of nodes alone is stopped before it has made
    /// them.
    pub(crate) fn choose_until(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: Arc<Control>,
    ) -> Result<Choice, Error> {
        let limits = Limits {
            lines: None,
            ..self.or_usual(limits)
        };
        let limits = limits.checked()?;
        if let Some(outcome) = game.outcome() {
            return Err(Error::Over { outcome });
        }
        self.check(game)?;
        if let [mv] = game.legal_moves()[..] {
            return Ok(Choice {
                mv,
                value: None,
                nodes: 0,
            });
        }
        match &mut self.brain {
            _ if self.held.is_some() => {}
            Brain::AlphaBeta(player) if limits.time.is_none() => {
                player.forget(limits.nodes.unwrap_or(u64::MAX));
            }
            // As in a match, bit for bit: analysis keeps its tree and looks at several leaves at once.
            Brain::Tree(_)
                if limits.time.is_none() && limits.depth.is_none() && fits(limits.nodes) =>
            {
                let games = std::slice::from_ref(game);
                return Ok(self.choose_many_until(games, limits.nodes, control)?[0]);
            }
            Brain::AlphaBeta(_) => {}
            #[cfg(feature = "players")]
            Brain::Other(..) => {}
            Brain::Tree(tree) => tree.player.forget(),
        }
        let findings = self.think(game, limits, control, &mut |_| {})?;
        let best = findings.best();
        Ok(Choice {
            mv: best.moves[0],
            value: best.value,
            nodes: findings.nodes,
        })
    }

    /// [`choose_many`](Member::choose_many) that `control` can stop.
    ///
    /// # Errors
    /// As [`choose_until`](Member::choose_until).
    pub(crate) fn choose_many_until(
        &mut self,
        games: &[Game],
        nodes: Option<u64>,
        control: Arc<Control>,
    ) -> Result<Vec<Choice>, Error> {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let tree = match &mut self.brain {
            Brain::Tree(tree) if self.held.is_none() && fits(nodes) => tree,
            _ => {
                let chosen = games
                    .iter()
                    .map(|game| self.choose_until(game, &limits, Arc::clone(&control)));
                return chosen.collect();
            }
        };
        limits.checked()?;
        let (evaluator, search) = (tree.evaluator.clone(), tree.search);
        for game in games {
            self.check(game)?;
            if let Some(outcome) = game.outcome() {
                return Err(Error::Over { outcome });
            }
        }
        let simulations = nodes.map_or(USUAL_SIMULATIONS, |nodes| {
            nodes.try_into().unwrap_or(u32::MAX)
        });
        let config = SearchPlayerConfig {
            simulations,
            ..search
        };
        let turn = |game| Turn {
            game,
            seed: self.seed,
            time: None,
        };
        let turns: Vec<Turn<'_>> = games.iter().map(turn).collect();
        let mut choices = Vec::new();
        let stopper = Stopper {
            limits: SearchLimits::default(),
            control,
        };
        let cached = Cached::new(evaluator.until(stopper.clone()), CACHE_MEMORY);
        let mut player = SearchPlayer::new(self.name.clone(), cached, config);
        match player.choose(&turns, &mut choices) {
            Err(_) if stopper.is_over(0) => Err(Error::Stopped),
            chosen => Ok(chosen.map(|()| choices)?),
        }
    }

    /// Searches a position until a limit is reached or `control` stops it.
    pub(crate) fn think(
        &mut self,
        game: &Game,
        limits: SearchLimits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        let task = Task {
            game,
            seed: self.seed,
            stopper: Stopper { limits, control },
        };
        Ok(self.analyzer().analyze(&task, report)?)
    }

    pub(crate) fn analyzer(&mut self) -> &mut dyn Analyzer {
        match (&mut self.held, &mut self.brain) {
            (Some(held), _) => held,
            (None, Brain::AlphaBeta(player)) => player.as_mut(),
            (None, Brain::Tree(tree)) => &mut tree.player,
            #[cfg(feature = "players")]
            (None, Brain::Other(analyzer, _)) => analyzer.as_mut(),
        }
    }

    /// What the position is worth to the side to move, without looking ahead: what a network says, or what
    /// alpha-beta search says of it at depth 1, behind all captures.
    ///
    /// # Errors
    /// When the game is another one or the evaluator fails.
    pub(crate) fn value(&mut self, game: &Game) -> Result<Wdl, Error> {
        self.check(game)?;
        if let Some(outcome) = game.outcome() {
            return Ok(match outcome.winner() {
                Some(winner) if winner == game.position().turn() => Wdl::WIN,
                Some(_) => Wdl::LOSS,
                None => Wdl::DRAW,
            });
        }
        if let Brain::Tree(_) = self.brain {
            return Ok(self.judge(std::slice::from_ref(game))?[0].value);
        }
        let limits = SearchLimits {
            depth: Some(1),
            ..SearchLimits::default()
        };
        let (control, held) = (Arc::new(Control::pondering()), self.held.take());
        let findings = self.think(game, limits, control, &mut |_| {});
        self.held = held;
        let findings = findings?;
        Ok(findings.best().value.unwrap_or(Wdl::DRAW))
    }

    /// What a network says of positions, in one batch.
    ///
    /// # Errors
    /// When a game is over or another one, the agent has no network, or the evaluator fails.
    pub(crate) fn judge(&mut self, games: &[Game]) -> Result<Vec<Judgement>, Error> {
        let mut batch = Batch::new();
        for game in games {
            self.check(game)?;
            if let Some(outcome) = game.outcome() {
                return Err(Error::Over { outcome });
            }
            batch.push(game.position(), game.repetitions(), &game.legal_moves());
        }
        let Brain::Tree(tree) = &mut self.brain else {
            return Err(Error::NoPolicy {
                name: self.name.clone(),
            });
        };
        tree.evaluator.evaluate(&mut batch)?;
        let judgement = |index| {
            let (value, logits) = batch.reply(index)?;
            let mut shares = logits.to_vec();
            softmax(&mut shares);
            let moves = batch.request(index).moves.iter().copied();
            let mut policy: Vec<(Move, f32)> = moves.zip(shares).collect();
            policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            Ok(Judgement { value, policy })
        };
        (0..batch.len()).map(judgement).collect()
    }
}

/// Whether so many nodes are a tree that is made at once. A search of more goes on as analysis does, in
/// [`TREE_MEMORY`].
fn fits(nodes: Option<u64>) -> bool {
    let memory = |nodes| u32::try_from(nodes).map_or(usize::MAX, Search::memory_for);
    nodes.is_none_or(|nodes| memory(nodes) <= TREE_MEMORY)
}
