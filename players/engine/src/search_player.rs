//! The tree search as a player and as an analyzer.

use std::sync::Arc;
use std::time::Duration;

use search::{
    Batch, Crew, Evaluator, EvaluatorError, Mode, Prover, RankedMove, Search, SearchConfig,
    SearchResult, Stop, search_all,
};
use types::Handicap;

use crate::analyzer::{Analyzer, SearchLimits, Task, choose_by_analysis};
use crate::findings::{Findings, Variation};
use crate::pace::{EXPECTED_LATENESS, Pace};
use crate::player::{Choice, Player, PlayerError, Turn, choose_in_turn};

/// Simulations of the first schedule of a search of unknown length.
const FIRST_SCHEDULE: u32 = 64;
/// The minimum length of a schedule in a search that may end early; it is checked between
/// schedules.
const LEAST_SCHEDULE: u32 = 256;
/// The maximum length of a schedule, so that it reports often enough.
const LONGEST_SCHEDULE: u32 = 8192;
/// The default size of a tree for one position in bytes; when it is full, the least visited part is
/// recycled.
pub const TREE_MEMORY: usize = 256 << 20;
/// The maximum total size of the trees of concurrent games in bytes, unless a single tree needs
/// more.
const TREES_MEMORY: usize = 4 * TREE_MEMORY;
/// The maximum number of simulations for which [`SearchPlayerConfig::few`] applies.
const FEW_SIMULATIONS: u32 = 100;
/// The number of match games per thread: enough for full batches.
pub const GAMES_AT_ONCE: usize = 32;

/// Settings of a [`SearchPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchPlayerConfig {
    /// Settings for searches of up to 100 simulations. For maximum strength use no noise (Gumbel
    /// scale 0, no root noise).
    pub few: SearchConfig,
    /// Settings for longer searches, and for those limited by a clock. Sequential halving is strong
    /// with few simulations, PUCT with many.
    pub many: SearchConfig,
    /// Simulations per move, at least one. With a clock, the maximum.
    pub simulations: u32,
    /// The number of concurrent games, if their trees fit in memory: each has its own tree and one
    /// request per batch.
    pub games_at_once: usize,
}

impl SearchPlayerConfig {
    /// Settings for matches: the network's own mode with few simulations, PUCT with many.
    #[must_use]
    pub fn new(search: SearchConfig, simulations: u32) -> SearchPlayerConfig {
        SearchPlayerConfig {
            few: search,
            many: search.in_mode(Mode::Puct),
            simulations,
            games_at_once: GAMES_AT_ONCE,
        }
    }

    /// The settings of a search of `simulations`.
    fn search_of(&self, simulations: u32) -> SearchConfig {
        if simulations <= FEW_SIMULATIONS {
            self.few
        } else {
            self.many
        }
    }
}

/// Searches many games in lockstep, so that one evaluator answers them in shared batches, or one
/// position on all its threads.
pub struct SearchPlayer<E> {
    name: String,
    /// Searches one position; its own evaluator also answers concurrent games.
    crew: Crew<E>,
    config: SearchPlayerConfig,
    prover: Option<Arc<dyn Prover>>,
    /// The size of a tree in bytes.
    tree_memory: usize,
    /// Applies only without a clock.
    handicap: Option<Handicap>,
    /// A tree for each concurrent game, created when first needed.
    searches: Vec<Search>,
    /// The tree for analysis, created when first needed.
    thinking: Option<Search>,
    /// See [`Pace`].
    lateness: Duration,
    /// See [`Player::use_clock`].
    clock: Option<fn() -> Duration>,
    batch: Batch,
}

impl<E: Evaluator> SearchPlayer<E> {
    /// Creates a player with its own evaluator.
    pub fn new(name: impl Into<String>, evaluator: E, config: SearchPlayerConfig) -> Self {
        Self {
            name: name.into(),
            crew: Crew::new(evaluator),
            config,
            prover: None,
            tree_memory: TREE_MEMORY,
            handicap: None,
            searches: Vec::new(),
            thinking: None,
            lateness: EXPECTED_LATENESS,
            clock: None,
            batch: Batch::new(),
        }
    }

    /// Adds threads for searching one position.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn with_helpers(
        mut self,
        evaluators: impl IntoIterator<Item = E>,
    ) -> Result<Self, EvaluatorError>
    where
        E: Send + 'static,
    {
        self.crew = self.crew.with_helpers(evaluators)?;
        Ok(self)
    }

    /// Sets a prover of exact results.
    #[must_use]
    pub fn with_prover(mut self, prover: Option<Arc<dyn Prover>>) -> Self {
        self.prover = prover;
        self
    }

    /// Sets the size of a tree in bytes. A tree too small for the simulations of a move is
    /// recycled; games are then searched one at a time, as in analysis.
    #[must_use]
    pub fn with_tree_memory(mut self, bytes: usize) -> Self {
        self.tree_memory = bytes;
        self
    }

    /// Limits the player's strength in games without a clock.
    #[must_use]
    pub fn with_handicap(mut self, handicap: Option<Handicap>) -> Self {
        if let Some(handicap) = handicap {
            self.config.simulations = handicap.most_nodes();
        }
        self.handicap = handicap;
        self
    }

    /// Appends the choices of turns that are searched together. A forced move needs no search.
    fn choose_together(
        &mut self,
        turns: &[Turn<'_>],
        choices: &mut Vec<Choice>,
    ) -> Result<(), PlayerError> {
        let simulations = self.config.simulations;
        let search = self.config.search_of(simulations);
        let memory = Search::memory_for(simulations);
        let (before, mut searched) = (choices.len(), Vec::with_capacity(turns.len()));
        for (index, turn) in (before..).zip(turns) {
            let legal = turn.game.legal_moves();
            let first = legal.first();
            let &mv = first.ok_or_else(|| PlayerError::no_moves(turn.game))?;
            choices.push(Choice::bare(mv));
            if legal.len() == 1 {
                continue;
            }
            if self.searches.len() == searched.len() {
                let prover = self.prover.clone();
                self.searches
                    .push(Search::new(search, memory).with_prover(prover));
            }
            let simulations = match self.handicap {
                None => simulations,
                Some(handicap) => handicap.nodes_of_move(turn.seed),
            };
            let rng = &mut turn.seed.rng();
            self.searches[searched.len()].begin(turn.game, simulations, rng);
            searched.push((index, legal));
        }
        let searches = &mut self.searches[..searched.len()];
        search_all(searches, self.crew.evaluator(), &mut self.batch)?;
        for ((index, legal), search) in searched.iter().zip(searches) {
            let result = search.result();
            let chosen = match self.handicap {
                Some(Handicap { temperature, .. }) if temperature > 0.0 => {
                    let logits: Vec<f32> = result
                        .policy
                        .iter()
                        .map(|share| libm::logf(*share))
                        .collect();
                    types::draw(&logits, temperature, turns[*index - before].seed)
                }
                _ => result.best,
            };
            choices[*index] = Choice {
                mv: legal[chosen],
                value: result.value,
                nodes: result.simulations,
            };
        }
        Ok(())
    }
}

impl<E: Evaluator + Send> Player for SearchPlayer<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        let memory = Search::memory_for(self.config.simulations);
        let overfills = memory > self.tree_memory && self.handicap.is_none();
        if overfills || turns.iter().any(|turn| turn.time.is_some()) {
            let limits = SearchLimits {
                nodes: Some(self.config.simulations.into()),
                ..SearchLimits::default()
            };
            return choose_in_turn(turns, choices, |turn| {
                if turn.time.is_none() {
                    // The choice may depend only on the game.
                    self.thinking = None;
                }
                choose_by_analysis(self, turn, limits, 0.0, self.clock)
            });
        }
        choices.clear();
        let at_once = (TREES_MEMORY / memory).min(self.config.games_at_once);
        for together in turns.chunks(at_once.max(1)) {
            self.choose_together(together, choices)?;
        }
        Ok(())
    }

    fn use_clock(&mut self, clock: fn() -> Duration) {
        self.clock = Some(clock);
        // Such a clock stops while other programs run.
        self.lateness = Duration::ZERO;
    }
}

/// A node is a simulation; depth is the length of the variation. Gumbel search has neither for a
/// forced move. A single variation has the value of the position; with several, each has the value
/// of its move.
///
/// The search is a series of schedules (see [`Search::extend`]), each as long as all before it, or
/// as long as the clock is expected to permit; it reports after each. With only a node limit there
/// is one schedule. The tree of the last analysis is reused, see [`Search::follow`].
impl<E: Evaluator + Send> Analyzer for SearchPlayer<E> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        if task.game.legal_moves().is_empty() {
            return Err(PlayerError::no_moves(task.game));
        }
        let SearchLimits { nodes, lines, .. } = task.stopper.limits;
        let pace = Pace::new(task, &mut self.lateness);
        let limit = nodes.unwrap_or(u64::MAX);
        let config = self.config.search_of(limit.try_into().unwrap_or(u32::MAX));
        let search = self.thinking.get_or_insert_with(|| {
            Search::new(config, self.tree_memory).with_prover(self.prover.clone())
        });
        search.set_config(config);
        // In the other mode visits do not decide.
        let is_visited_most = config.mode == Mode::Puct;
        let rng = &mut task.seed.rng();
        let mut planned = next_schedule(&pace, 0);
        search.follow(task.game, planned, rng);
        let mut before = (0, total_visits(&search.result()));
        loop {
            let is_over = |simulations| pace.is_over(simulations);
            self.crew.search(search, &is_over)?;
            let is_over = is_over(search.simulations());
            let result = search.result();
            let now = (result.simulations, total_visits(&result));
            let (stop, (best, second)) = (result.stop, leaders(&result));
            let findings = findings_of(search, result, lines);
            let is_deep = task.stopper.is_deep(findings.best().depth);
            if is_over || is_deep || stop != Some(Stop::Simulations) {
                return Ok(findings);
            }
            report(&findings);
            pace.note(&findings, f64::from(second) / f64::from(best.max(1)));
            // A simulation can count as several visits.
            let visits_each = (now.1 - before.1).max(1.0) / (now.0 - before.0).max(1) as f64;
            before = now;
            let lead = f64::from(best.saturating_sub(second));
            let to_come = pace
                .nodes_to_come(planned.into())
                .filter(|_| pace.is_saving())
                .map(|nodes| nodes * visits_each.max(1.0));
            if is_visited_most && to_come.is_some_and(|to_come| lead > to_come) {
                return Ok(findings);
            }
            let more = next_schedule(&pace, planned);
            search.extend(more);
            planned = planned.saturating_add(more);
        }
    }

    fn forget(&mut self, _: u64) {
        self.thinking = None;
    }
}

/// The length of the next schedule, after `made` simulations.
fn next_schedule(pace: &Pace<'_>, made: u32) -> u32 {
    let SearchLimits {
        depth, nodes, time, ..
    } = pace.stopper.limits;
    let left = nodes.map_or(u32::MAX, |limit| {
        u32::try_from(limit.saturating_sub(made.into())).unwrap_or(u32::MAX)
    });
    let mut plan = made.max(FIRST_SCHEDULE);
    match pace.nodes_to_come(made.into()) {
        // The remaining time suffices for one or several more schedules.
        Some(possible) => {
            if possible < 3.0 * f64::from(made) {
                plan = possible as u32;
            }
            if pace.is_saving() {
                plan = plan.min(((possible / 8.0) as u32).max(LEAST_SCHEDULE));
            }
        }
        None if depth.is_none() && time.is_none() && nodes.is_some() => return left.max(1),
        None => {}
    }
    plan.min(LONGEST_SCHEDULE).min(left).max(1)
}

/// The visits of all moves.
fn total_visits(result: &SearchResult) -> f64 {
    result.visits.iter().copied().map(f64::from).sum()
}

/// The visits of the move to play, and of the most visited sound alternative.
fn leaders(result: &SearchResult) -> (u32, u32) {
    let others = result.visits.iter().zip(&result.policy).enumerate();
    let second = others
        .filter(|&(index, (_, &share))| index != result.best && share > 0.0)
        .map(|(_, (&visits, _))| visits)
        .max();
    (result.visits[result.best], second.unwrap_or(0))
}

/// The state of a search as `lines` variations.
fn findings_of(search: &Search, result: SearchResult, lines: usize) -> Findings {
    let ranked = match lines {
        0 | 1 => vec![RankedMove {
            moves: result.principal_variation,
            value: result.value,
            proof: result.proof,
            visits: result.visits[result.best],
        }],
        _ => search.ranked_moves(lines),
    };
    let variation = |ranked: RankedMove| Variation {
        depth: ranked.moves.len() as u32,
        moves: ranked.moves,
        value: ranked.value,
        proof: ranked.proof,
        visits: Some(ranked.visits),
    };
    Findings {
        variations: ranked.into_iter().map(variation).collect(),
        policy: result.policy,
        nodes: result.simulations,
    }
}

#[cfg(test)]
mod tests;
