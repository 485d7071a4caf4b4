//! Queries to agents: moves, analyses, evaluations.

use std::sync::Arc;

use engine::{
    Analyzer, Choice, Control, Findings, Player, SearchLimits, SearchPlayer, SearchPlayerConfig,
    Stopper, TREE_MEMORY, Task, Turn,
};
use rules::{Game, Move};
use search::{Batch, Cached, Evaluator, Search};
use types::{Wdl, softmax};

use super::{CACHE_MEMORY, Member, PlayerKind, USUAL_NODES, USUAL_SIMULATIONS};
use crate::Error;
use crate::limits::Limits;

/// An agent's evaluation of a position without search.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The value for the side to move.
    pub value: Wdl,
    /// The probability of each legal move, the most likely first.
    pub policy: Vec<(Move, f32)>,
}

impl Member {
    /// Checks that a game is not over and of this member's variant.
    fn check(&self, game: &Game) -> Result<(), Error> {
        if let Some(outcome) = game.outcome() {
            return Err(Error::Over { outcome });
        }
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

    /// The limits, with the default number of nodes if there is no limit.
    fn or_usual(&self, limits: &Limits) -> Limits {
        let usual = match self.kind {
            PlayerKind::AlphaBeta(_) => USUAL_NODES,
            PlayerKind::Tree(_) => USUAL_SIMULATIONS.into(),
            #[cfg(feature = "players")]
            PlayerKind::Other(_, usual) => usual.unwrap_or(u64::MAX),
        };
        Limits {
            nodes: limits.nodes.or(limits.is_endless().then_some(usual)),
            ..*limits
        }
    }

    /// As [`Agent::choose_until`](crate::Agent::choose_until).
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
        let limits = SearchLimits {
            from_book: true,
            ..limits.checked()?
        };
        self.check(game)?;
        if let [mv] = game.legal_moves()[..] {
            return Ok(Choice {
                mv,
                value: None,
                nodes: 0,
            });
        }
        match &mut self.kind {
            _ if self.limited.is_some() => {}
            PlayerKind::AlphaBeta(player) if limits.time.is_none() => {
                player.forget(limits.nodes.unwrap_or(u64::MAX));
            }
            // As in a match, bit for bit: analysis keeps its tree and evaluates several leaves at
            // once.
            PlayerKind::Tree(_)
                if limits.time.is_none() && limits.depth.is_none() && fits(limits.nodes) =>
            {
                let games = std::slice::from_ref(game);
                return Ok(self.choose_many_until(games, limits.nodes, control)?[0]);
            }
            PlayerKind::AlphaBeta(_) => {}
            #[cfg(feature = "players")]
            PlayerKind::Other(..) => {}
            PlayerKind::Tree(tree) => tree.player.forget(u64::MAX),
        }
        let findings = self.think(game, limits, control, &mut |_| {})?;
        let best = findings.best();
        Ok(Choice {
            mv: best.moves[0],
            value: best.value,
            nodes: findings.nodes,
        })
    }

    /// As [`Agent::choose_many_until`](crate::Agent::choose_many_until).
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
        let tree = match &mut self.kind {
            PlayerKind::Tree(tree) if self.limited.is_none() && fits(nodes) => tree,
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
        match (&mut self.limited, &mut self.kind) {
            (Some(limited), _) => limited,
            (None, PlayerKind::AlphaBeta(player)) => player.as_mut(),
            (None, PlayerKind::Tree(tree)) => &mut tree.player,
            #[cfg(feature = "players")]
            (None, PlayerKind::Other(analyzer, _)) => analyzer.as_mut(),
        }
    }

    /// The value of the position for the side to move without search: the network's value, or that
    /// of a depth-1 alpha-beta search with all captures resolved.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub(crate) fn value(&mut self, game: &Game) -> Result<Wdl, Error> {
        if let Some(outcome) = game.outcome() {
            return Ok(match outcome.winner() {
                Some(winner) if winner == game.position().turn() => Wdl::WIN,
                Some(_) => Wdl::LOSS,
                None => Wdl::DRAW,
            });
        }
        if let PlayerKind::Tree(_) = self.kind {
            return Ok(self.judge(std::slice::from_ref(game))?[0].value);
        }
        let limits = SearchLimits {
            depth: Some(1),
            ..SearchLimits::default()
        };
        let (control, limited) = (Arc::new(Control::pondering()), self.limited.take());
        let findings = self.think(game, limits, control, &mut |_| {});
        self.limited = limited;
        let findings = findings?;
        Ok(findings.best().value.unwrap_or(Wdl::DRAW))
    }

    /// The network's evaluation of positions, in one batch.
    ///
    /// # Errors
    /// If a game is over or of another variant, the agent has no network, or the evaluator fails.
    pub(crate) fn judge(&mut self, games: &[Game]) -> Result<Vec<Judgment>, Error> {
        let mut batch = Batch::new();
        for game in games {
            self.check(game)?;
            batch.push(game.position(), game.repetitions(), &game.legal_moves());
        }
        let PlayerKind::Tree(tree) = &mut self.kind else {
            return Err(Error::NoPolicy {
                name: self.name.clone(),
            });
        };
        tree.network.evaluate(&mut batch)?;
        let judgment = |index| {
            let (value, logits) = batch.reply(index)?;
            let mut shares = logits.to_vec();
            softmax(&mut shares);
            let moves = batch.request(index).moves.iter().copied();
            let mut policy: Vec<(Move, f32)> = moves.zip(shares).collect();
            policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            Ok(Judgment { value, policy })
        };
        (0..batch.len()).map(judgment).collect()
    }
}

/// Returns `true` if a tree of this many nodes can be allocated at once. Larger searches work like
/// an analysis, in [`TREE_MEMORY`].
fn fits(nodes: Option<u64>) -> bool {
    let memory = |nodes| u32::try_from(nodes).map_or(usize::MAX, Search::memory_for);
    nodes.is_none_or(|nodes| memory(nodes) <= TREE_MEMORY)
}
