//! The tree search as a player and as an analyzer.

use std::sync::Arc;

use search::{
    Batch, Crew, Evaluator, EvaluatorError, Mode, Prover, RankedMove, Search, SearchConfig,
    SearchResult, Stop, search_all,
};

use crate::analyzer::{Analyzer, SearchLimits, Task, choose_by_analysis};
use crate::findings::{Findings, Variation};
use crate::pace::{Lateness, Pace};
use crate::player::{Choice, Player, PlayerError, Turn};

/// Simulations of the first schedule of a search of unknown length.
const FIRST_SCHEDULE: u32 = 64;
/// The shortest schedule of one that may end early, which is looked at between schedules.
const LEAST_SCHEDULE: u32 = 256;
/// Its longest schedule, so that it reports often enough.
const LONGEST_SCHEDULE: u32 = 8192;
/// Bytes of a tree for one position; when they are used up, the part visited least is recycled.
pub const TREE_MEMORY: usize = 256 << 20;
/// Maximum of simulations that count as few, see [`SearchPlayerConfig`].
const FEW_SIMULATIONS: u32 = 100;

/// Settings of a [`SearchPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchPlayerConfig {
    /// Settings of searches of up to 100 simulations. For the strongest play without noise (Gumbel scale
    /// 0, no root noise).
    pub few: SearchConfig,
    /// Settings of longer searches, and of those limited by a clock. Sequential halving is strong with
    /// few simulations, PUCT with many.
    pub many: SearchConfig,
    /// Simulations per move, at least one. With a clock, the maximum.
    pub simulations: u32,
    /// Games searched together, at least one: each has its own tree and one request per batch.
    pub games_at_once: usize,
}

impl SearchPlayerConfig {
    /// The settings of a search of `simulations`.
    fn search_of(&self, simulations: u32) -> SearchConfig {
        if simulations <= FEW_SIMULATIONS {
            self.few
        } else {
            self.many
        }
    }
}

/// Searches many games in lockstep, so that one evaluator answers them in shared batches, or one position on
/// all its threads.
pub struct SearchPlayer<E> {
    name: String,
    /// Searches one position; its own evaluator answers games searched together.
    crew: Crew<E>,
    config: SearchPlayerConfig,
    prover: Option<Arc<dyn Prover>>,
    /// See [`search::Handicap`]; without a clock.
    temperature: f32,
    /// A tree for each game searched together, created when first needed.
    searches: Vec<Search>,
    /// The tree for analysis, created when first needed.
    thinking: Option<Search>,
    lateness: Lateness,
    batch: Batch,
}

impl<E: Evaluator> SearchPlayer<E> {
    /// A player with its own evaluator.
    pub fn new(name: impl Into<String>, evaluator: E, config: SearchPlayerConfig) -> Self {
        Self {
            name: name.into(),
            crew: Crew::new(evaluator),
            config,
            prover: None,
            temperature: 0.0,
            searches: Vec::new(),
            thinking: None,
            // The thread that searches waits for no other.
            lateness: Lateness::new(1),
            batch: Batch::new(),
        }
    }

    /// The same player, who searches one position on so many more threads.
    ///
    /// # Errors
    /// When the system cannot start a thread.
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

    /// The same player, whose searches use the results that this prover proves.
    #[must_use]
    pub fn with_prover(mut self, prover: Option<Arc<dyn Prover>>) -> Self {
        self.prover = prover;
        self
    }

    /// The same player, whose moves are drawn at this temperature when there is no clock, see [`search::Handicap`].
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = temperature;
        self
    }

    /// Forgets earlier analyses, so that the next one depends on its game and limits alone.
    pub fn forget(&mut self) {
        self.thinking = None;
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
            let &mv = legal.first().ok_or_else(|| PlayerError::NoMoves {
                fen: turn.game.position().to_fen(),
            })?;
            choices.push(Choice {
                mv,
                value: None,
                nodes: 0,
            });
            if legal.len() == 1 {
                continue;
            }
            if self.searches.len() == searched.len() {
                let prover = self.prover.clone();
                self.searches
                    .push(Search::new(search, memory).with_prover(prover));
            }
            let rng = &mut turn.seed.rng();
            self.searches[searched.len()].begin(turn.game, simulations, rng);
            searched.push((index, legal));
        }
        let searches = &mut self.searches[..searched.len()];
        search_all(searches, self.crew.evaluator(), &mut self.batch)?;
        for ((index, legal), search) in searched.iter().zip(searches) {
            let result = search.result();
            let chosen = if self.temperature > 0.0 {
                let logits: Vec<f32> = result.policy.iter().map(|share| share.ln()).collect();
                let seed = turns[*index - before].seed;
                search::draw(&logits, self.temperature, seed)
            } else {
                result.best
            };
            choices[*index] = Choice {
                mv: legal[chosen],
                value: result.value,
                nodes: result.simulations.into(),
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
        choices.clear();
        if turns.iter().any(|turn| turn.time.is_some()) {
            let limits = SearchLimits {
                nodes: Some(self.config.simulations.into()),
                ..SearchLimits::default()
            };
            for turn in turns {
                choices.push(choose_by_analysis(self, turn, limits, 0.0)?);
            }
            return Ok(());
        }
        for together in turns.chunks(self.config.games_at_once.max(1)) {
            self.choose_together(together, choices)?;
        }
        Ok(())
    }
}

/// A node is a simulation, depth the length of the variation. A forced move needs neither. Alone, the best
/// variation has the value of the position; beside others it has that of its move, as they have.
///
/// The search is a series of schedules (see [`Search::extend`]), each as long as all before it, or as
/// long as the clock is expected to allow; it reports after each. With a limit of nodes alone there is
/// one schedule. What the last analysis found is gone on with, see [`Search::follow`].
impl<E: Evaluator + Send> Analyzer for SearchPlayer<E> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        if task.game.legal_moves().is_empty() {
            return Err(PlayerError::NoMoves {
                fen: task.game.position().to_fen(),
            });
        }
        let SearchLimits { nodes, lines, .. } = task.stopper.limits;
        let pace = Pace::new(task, &mut self.lateness);
        let limit = nodes.unwrap_or(u64::MAX);
        let config = self.config.search_of(limit.try_into().unwrap_or(u32::MAX));
        let search = self.thinking.get_or_insert_with(|| {
            Search::new(config, TREE_MEMORY).with_prover(self.prover.clone())
        });
        search.set_config(config);
        // In the other mode visits do not decide.
        let is_visited_most = matches!(config.mode, Mode::Puct(_));
        let rng = &mut task.seed.rng();
        let mut planned = next_schedule(&pace, 0);
        search.follow(task.game, planned, rng);
        loop {
            let is_over = |simulations: u32| pace.is_over(simulations.into());
            self.crew.search(search, &is_over)?;
            let is_over = is_over(search.simulations());
            let result = search.result();
            let (stop, (best, second)) = (result.stop, leaders(&result));
            let findings = findings_of(search, result, lines);
            let is_deep = task.stopper.is_deep(findings.best().depth);
            if is_over || is_deep || stop != Some(Stop::Simulations) {
                return Ok(findings);
            }
            report(&findings);
            pace.note(&findings, f64::from(second) / f64::from(best.max(1)));
            let lead = f64::from(best.saturating_sub(second));
            let to_come = pace
                .nodes_to_come(planned.into())
                .filter(|_| pace.is_saving());
            if is_visited_most && to_come.is_some_and(|to_come| lead > to_come) {
                return Ok(findings);
            }
            let more = next_schedule(&pace, planned);
            search.extend(more);
            planned = planned.saturating_add(more);
        }
    }
}

/// Simulations of the next schedule, after `made`.
fn next_schedule(pace: &Pace<'_>, made: u32) -> u32 {
    let SearchLimits {
        depth, nodes, time, ..
    } = pace.limits();
    let left = nodes.map_or(u32::MAX, |limit| {
        u32::try_from(limit.saturating_sub(made.into())).unwrap_or(u32::MAX)
    });
    let mut plan = made.max(FIRST_SCHEDULE);
    match pace.nodes_to_come(made.into()) {
        // The remaining time suffices for one more schedule, or for several.
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

/// The visits of the move to play, and of the sound one that comes next.
fn leaders(result: &SearchResult) -> (u32, u32) {
    let others = result.visits.iter().zip(&result.policy).enumerate();
    let second = others
        .filter(|&(index, (_, &share))| index != result.best && share > 0.0)
        .map(|(_, (&visits, _))| visits)
        .max();
    (result.visits[result.best], second.unwrap_or(0))
}

/// The state of a search in so many lines.
fn findings_of(search: &Search, result: SearchResult, lines: usize) -> Findings {
    let variations = match lines {
        0 | 1 => vec![Variation {
            depth: result.principal_variation.len() as u32,
            moves: result.principal_variation,
            value: result.value,
            proof: result.proof,
            visits: Some(result.visits[result.best]),
        }],
        _ => search
            .ranked_moves(lines)
            .into_iter()
            .map(variation_of)
            .collect(),
    };
    Findings {
        variations,
        policy: result.policy,
        nodes: result.simulations.into(),
    }
}

fn variation_of(ranked: RankedMove) -> Variation {
    Variation {
        depth: ranked.moves.len() as u32,
        moves: ranked.moves,
        value: ranked.value,
        proof: ranked.proof,
        visits: Some(ranked.visits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer::{Control, Stopper};
    use crate::time::{Allotment, TimeLeft};
    use rules::{Game, Position, Variant};
    use std::cell::Cell;
    use std::sync::Arc;
    use std::time::Duration;

    use search::{GumbelConfig, PuctConfig, Seed, Uniform, Wdl};

    fn config(games_at_once: usize) -> SearchPlayerConfig {
        let gumbel = GumbelConfig {
            gumbel_scale: 0.0,
            ..GumbelConfig::PAPER
        };
        let search = |mode| SearchConfig {
            mode,
            draw_score: 0.0,
        };
        SearchPlayerConfig {
            few: search(Mode::Gumbel(gumbel)),
            many: search(Mode::Puct(PuctConfig::KATAGO)),
            simulations: 16,
            games_at_once,
        }
    }

    fn turn(game: &Game, seed: u64) -> Turn<'_> {
        Turn {
            game,
            seed: Seed::new(seed),
            time: None,
        }
    }

    fn choices(games: &[Game], games_at_once: usize) -> Vec<Choice> {
        let turns: Vec<Turn<'_>> = games.iter().map(|game| turn(game, 1)).collect();
        let mut choices = Vec::new();
        let mut player = SearchPlayer::new("net", Uniform, config(games_at_once));
        player.choose(&turns, &mut choices).unwrap();
        choices
    }

    /// Games of all variants, some with a forced move.
    fn games() -> Vec<Game> {
        let mut games: Vec<Game> = Variant::ALL.map(|v| Game::new(Position::start(v))).into();
        let forced = Position::from_fen(Variant::English, "W:W22:B18").unwrap();
        games.insert(2, Game::new(forced));
        games
    }

    #[test]
    fn answers_do_not_depend_on_who_is_asked_together() {
        let games = games();
        let together = choices(&games, 100);
        assert_eq!(choices(&games, 1), together);
        assert_eq!(choices(&games, 3), together);
        for (game, choice) in games.iter().zip(&together) {
            assert!(game.legal_moves().contains(&choice.mv));
        }
    }

    #[test]
    fn a_temperature_draws_moves_by_the_seed_of_the_turn() {
        let games = games();
        let choose = |temperature, seed: u64, games_at_once| {
            let mut player = SearchPlayer::new("net", Uniform, config(games_at_once))
                .with_temperature(temperature);
            let turns: Vec<Turn<'_>> = (seed..)
                .zip(&games)
                .map(|(s, game)| turn(game, s))
                .collect();
            let mut choices = Vec::new();
            player.choose(&turns, &mut choices).unwrap();
            choices
        };
        let drawn: Vec<Vec<Choice>> = (0..9).map(|seed| choose(1.0, seed, 100)).collect();
        assert!(drawn.iter().any(|choices| choices != &drawn[0]));
        for (seed, together) in (0..).zip(&drawn) {
            assert_eq!(&choose(1.0, seed, 2), together);
            for (game, choice) in games.iter().zip(together) {
                assert!(game.legal_moves().contains(&choice.mv));
            }
        }
        assert_eq!(choose(0.0, 1, 100), choose(0.0, 7, 100));
    }

    #[test]
    fn a_clock_ends_the_search() {
        let games = games();
        let time = TimeLeft::Move(Duration::from_millis(10));
        let turns: Vec<Turn<'_>> = games
            .iter()
            .map(|game| Turn {
                time: Some(time),
                ..turn(game, 1)
            })
            .collect();
        let (mut choices, unlimited) = (Vec::new(), u32::MAX);
        let config = SearchPlayerConfig {
            simulations: unlimited,
            ..config(4)
        };
        SearchPlayer::new("net", Uniform, config)
            .choose(&turns, &mut choices)
            .unwrap();
        for (game, choice) in games.iter().zip(&choices) {
            assert!(game.legal_moves().contains(&choice.mv));
        }
    }

    thread_local!(static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) });

    /// Takes all positions for draws, prefers the first move by so much, and needs a millisecond each.
    struct Opinion(f32);

    impl Evaluator for Opinion {
        fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
            for index in 0..batch.len() {
                let (value, logits) = batch.reply_mut(index);
                *value = Wdl::DRAW;
                logits.fill(0.0);
                logits[0] = self.0;
                NOW.set(NOW.get() + Duration::from_millis(1));
            }
            Ok(())
        }
    }

    /// What is found with so much time on the clock, and the time that it took.
    fn timed(opinion: f32, time: TimeLeft) -> (Findings, Duration) {
        let game = Game::new(Position::start(Variant::English));
        let control = Control::with_clock(|| NOW.get());
        control.start();
        let before = NOW.get();
        let task = Task {
            game: &game,
            seed: Seed::new(1),
            stopper: Stopper {
                limits: SearchLimits {
                    time: Some(time),
                    ..SearchLimits::default()
                },
                control: Arc::new(control),
            },
        };
        let mut player = SearchPlayer::new("net", Opinion(opinion), config(1));
        let found = player.analyze(&task, &mut |_| {}).unwrap();
        (found, NOW.get() - before)
    }

    #[test]
    fn a_clear_move_is_played_early_and_the_same() {
        let of_game = TimeLeft::Game {
            time: Duration::from_secs(90),
            increment: Duration::ZERO,
            moves: None,
        };
        let (clear, early) = timed(3.0, of_game);
        let (_, late) = timed(0.0, of_game);
        let Allotment { usual, most } = of_game.allotment(Duration::ZERO);
        assert!(
            early < usual * 2 / 3 && late > usual,
            "{early:?} {late:?} {usual:?}"
        );
        // The rest of its time would not change it.
        let (full, time) = timed(3.0, TimeLeft::Move(most));
        assert!(time > usual && full.best().moves[0] == clear.best().moves[0]);
    }

    /// Without a clock what was planned is what is done.
    #[test]
    fn schedules_add_up_to_the_limit() {
        let next = |nodes, depth, made| {
            let stopper = Stopper {
                limits: SearchLimits {
                    nodes,
                    depth,
                    ..SearchLimits::default()
                },
                control: Arc::new(Control::running()),
            };
            let task = Task {
                game: &Game::new(Position::start(Variant::English)),
                seed: Seed::new(1),
                stopper,
            };
            next_schedule(&Pace::new(&task, &mut Lateness::new(1)), made)
        };
        assert_eq!(next(Some(100_000), None, 0), 100_000);
        assert_eq!(next(None, None, 0), FIRST_SCHEDULE);
        assert_eq!(next(None, None, 500), 500);
        assert_eq!(next(None, None, 50_000), LONGEST_SCHEDULE);
        assert_eq!(next(Some(700), Some(9), 500), 200);
    }

    #[test]
    fn many_simulations_have_settings_of_their_own() {
        let game = Game::new(Position::start(Variant::English));
        let policy = |config: SearchPlayerConfig, nodes: u64| {
            let stopper = Stopper {
                limits: SearchLimits {
                    nodes: Some(nodes),
                    ..SearchLimits::default()
                },
                control: Arc::new(Control::running()),
            };
            let task = Task {
                game: &game,
                seed: Seed::new(1),
                stopper,
            };
            let mut player = SearchPlayer::new("net", Uniform, config);
            player.analyze(&task, &mut |_| {}).unwrap().policy
        };
        let both = config(1);
        let only = |search| SearchPlayerConfig {
            few: search,
            many: search,
            ..both
        };
        for nodes in [100, 101] {
            let [few, many] = [both.few, both.many].map(|search| policy(only(search), nodes));
            assert_ne!(few, many);
            let expected = if nodes == 100 { few } else { many };
            assert_eq!(policy(both, nodes), expected);
        }
    }

    #[test]
    fn a_forced_move_is_not_searched() {
        let forced = choices(&games(), 4)[2];
        assert_eq!((forced.nodes, forced.value), (0, None));
        assert!(choices(&games(), 4)[0].nodes > 1);
    }

    #[test]
    fn failures_are_handed_on() {
        struct Broken;
        impl Evaluator for Broken {
            fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
                Ok(()) // Leaves all replies unanswered.
            }
        }
        let ask = |game: &Game| {
            SearchPlayer::new("broken", Broken, config(1)).choose(&[turn(game, 0)], &mut Vec::new())
        };
        let start = Game::new(Position::start(Variant::English));
        assert!(matches!(ask(&start), Err(PlayerError::Evaluator(_))));
        let lost = Position::from_fen(Variant::English, "W:W:B18").unwrap();
        assert!(matches!(
            ask(&Game::new(lost)),
            Err(PlayerError::NoMoves { .. })
        ));
    }

    fn analyse(game: &Game, nodes: u64, lines: usize) -> Findings {
        let stopper = Stopper {
            limits: SearchLimits {
                nodes: Some(nodes),
                lines,
                ..SearchLimits::default()
            },
            control: Arc::new(Control::running()),
        };
        let task = Task {
            game,
            seed: Seed::new(1),
            stopper,
        };
        let mut player = SearchPlayer::new("net", Uniform, config(1));
        player.analyze(&task, &mut |_| {}).unwrap()
    }

    #[test]
    fn several_lines_are_the_most_visited_moves() {
        for game in games() {
            let n_moves = game.legal_moves().len();
            for nodes in [60, 400] {
                let alone = analyse(&game, nodes, 1);
                for lines in [2, n_moves, n_moves + 5] {
                    let found = analyse(&game, nodes, lines);
                    let variations = &found.variations;
                    assert_eq!(variations.len(), lines.min(n_moves));
                    assert_eq!(found.best().moves, alone.best().moves);
                    assert_eq!(found.best().visits, alone.best().visits);
                    assert_eq!((found.nodes, &found.policy), (alone.nodes, &alone.policy));
                    let order = |variation: &Variation| {
                        let is_lost = matches!(variation.proof, Some(search::Proof::Loss(_)));
                        (is_lost, std::cmp::Reverse(variation.visits))
                    };
                    assert!(variations[1..].is_sorted_by_key(order));
                    for (index, variation) in variations.iter().enumerate() {
                        assert!(game.legal_moves().contains(&variation.moves[0]));
                        assert_eq!(variation.depth as usize, variation.moves.len());
                        let earlier = &variations[..index];
                        assert!(
                            earlier
                                .iter()
                                .all(|other| other.moves[0] != variation.moves[0])
                        );
                    }
                }
            }
        }
    }
}
