//! Players that use alpha-beta search with a static evaluation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ::alphabeta::{
    AlphaBetaSearch, Analysis, Evaluation, LOGIT, Observer, Oracle, Parameters, Resources,
    ScoredLine, win_in,
};
use rules::Position;
use search::{Proof, Prover};
use types::Handicap;

use crate::analyzer::{Analyzer, SearchLimits, Task, choose_by_analysis};
use crate::findings::{Findings, Variation};
use crate::hub::value_of_score;
use crate::pace::{EXPECTED_LATENESS, Pace};
use crate::player::{Choice, Player, PlayerError, Turn, choose_in_turn};

/// The share of a move's time after which no new depth is started if saved time is kept for later
/// moves, because the depth would probably not be completed.
const LAST_START: f64 = 0.6;

/// Settings of an [`AlphaBetaPlayer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaConfig {
    /// Memory and threads.
    pub resources: Resources,
    /// The maximum depth in plies.
    pub depth: Option<u32>,
    /// The maximum number of positions per move.
    pub nodes: Option<u64>,
    /// The maximum number of positions if neither these limits nor a clock apply.
    pub usual_nodes: u64,
}

/// Plays the best move of [`AlphaBetaSearch`].
pub struct AlphaBetaPlayer<E: Evaluation> {
    name: String,
    search: AlphaBetaSearch<E>,
    config: AlphaBetaConfig,
    /// See [`Pace`].
    lateness: Duration,
    /// See [`Player::use_clock`].
    clock: Option<fn() -> Duration>,
    /// See [`Handicap`].
    temperature: f32,
}

impl<E: Evaluation> AlphaBetaPlayer<E> {
    /// Creates a player with its own transposition table.
    pub fn new(name: impl Into<String>, evaluation: E, config: AlphaBetaConfig) -> Self {
        Self {
            name: name.into(),
            search: AlphaBetaSearch::new(evaluation, &config.resources),
            config,
            lateness: EXPECTED_LATENESS,
            clock: None,
            temperature: 0.0,
        }
    }

    /// Replaces the search parameters.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Parameters) -> Self {
        self.search = self.search.with_parameters(parameters);
        self
    }

    /// Sets a prover of exact results.
    #[must_use]
    pub fn with_prover(mut self, prover: Option<Arc<dyn Prover>>) -> Self {
        let oracle = prover.map(|prover| Arc::new(Proven(prover)) as Arc<dyn Oracle>);
        self.search = self.search.with_oracle(oracle);
        self
    }

    /// Limits the player's strength: its moves are sampled by their values.
    #[must_use]
    pub fn with_handicap(mut self, handicap: Option<Handicap>) -> Self {
        if let Some(Handicap { nodes, temperature }) = handicap {
            self.config.nodes = Some(nodes.round() as u64);
            self.temperature = temperature;
        }
        self
    }

    fn choose_one(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let legal = turn.game.legal_moves();
        if let [mv] = legal[..] {
            return Ok(Choice::bare(mv));
        }
        let AlphaBetaConfig { depth, nodes, .. } = self.config;
        let is_limited = nodes.is_some() || depth.is_some() || turn.time.is_some();
        let nodes = nodes.or((!is_limited).then_some(self.config.usual_nodes));
        if turn.time.is_none() {
            // The choice may depend only on the position.
            self.search.forget(nodes.unwrap_or(u64::MAX));
        }
        let temperature = self.temperature;
        let limits = SearchLimits {
            depth,
            nodes,
            // Any move may be drawn.
            lines: if temperature > 0.0 { legal.len() } else { 1 },
            ..SearchLimits::default()
        };
        choose_by_analysis(self, turn, limits, temperature, self.clock)
    }
}

impl<E: Evaluation> Player for AlphaBetaPlayer<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choose_in_turn(turns, choices, |turn| self.choose_one(turn))
    }

    fn use_clock(&mut self, clock: fn() -> Duration) {
        self.clock = Some(clock);
        // Such a clock stops while other programs run.
        self.lateness = Duration::ZERO;
    }
}

/// A node is a position visited; depth is the last completed depth. A search that is stopped
/// returns the best move found so far.
impl<E: Evaluation> Analyzer for AlphaBetaPlayer<E> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let asked = task.stopper.limits;
        let AlphaBetaConfig { depth, nodes, .. } = self.config;
        let limits = ::alphabeta::Limits {
            depth: depth
                .into_iter()
                .chain(asked.depth)
                .min()
                .unwrap_or(u32::MAX),
            nodes: nodes
                .into_iter()
                .chain(asked.nodes)
                .min()
                .unwrap_or(u64::MAX),
            lines: asked.lines,
            compared: asked.compared,
        };
        let pace = Pace::new(task, &mut self.lateness);
        let mut observer = Observer {
            is_over: &|nodes| pace.is_over(nodes),
            report: &mut |analysis| {
                let findings = findings_of(analysis);
                report(&findings);
                pace.note(&findings, 0.0);
                // The rest is better saved for later moves.
                match pace.is_saving() && pace.share_used().is_some_and(|share| share > LAST_START)
                {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        };
        let analysis = self.search.analyse(task.game, &limits, &mut observer);
        let analysis = analysis.ok_or_else(|| PlayerError::no_moves(task.game))?;
        Ok(findings_of(&analysis))
    }

    fn forget(&mut self, nodes: u64) {
        self.search.forget(nodes);
    }
}

fn findings_of(analysis: &Analysis) -> Findings {
    let lines = analysis.lines.iter();
    Findings {
        variations: lines
            .map(|line| variation_of(line, analysis.depth))
            .collect(),
        policy: Vec::new(),
        nodes: analysis.nodes,
    }
}

/// A line of a search to `depth`, which is 0 while its score is meaningless.
fn variation_of(line: &ScoredLine, depth: u32) -> Variation {
    let is_known = depth > 0;
    let proof = line
        .plies_to_end()
        .filter(|_| is_known)
        .map(|plies| match line.score > 0 {
            true => Proof::Win(plies),
            false => Proof::Loss(plies),
        });
    let value = match proof {
        Some(proof) => Some(proof.wdl()),
        None => value_of_score(line.score as f32 / LOGIT as f32).filter(|_| is_known),
    };
    Variation {
        moves: line.moves.clone(),
        value,
        proof,
        depth: depth.max(1),
        visits: None,
    }
}

/// Adapts a prover to the search's trait.
struct Proven(Arc<dyn Prover>);

impl Oracle for Proven {
    fn probe(&self, position: &Position) -> Option<i32> {
        Some(match self.0.prove(position)? {
            Proof::Win(plies) => win_in(plies),
            Proof::Draw => 0,
            Proof::Loss(plies) => -win_in(plies),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analyzer::simulated;
    use crate::time::{Allotment, TimeLeft};
    use ::alphabeta::MaterialBalance;
    use rules::{Game, Variant};
    use types::Wdl;

    const CONFIG: AlphaBetaConfig = AlphaBetaConfig {
        resources: Resources {
            table_bytes: 1 << 20,
            threads: 1,
        },
        depth: None,
        nodes: None,
        usual_nodes: 5_000,
    };

    fn player() -> AlphaBetaPlayer<MaterialBalance> {
        AlphaBetaPlayer::new("ab", MaterialBalance, CONFIG)
    }

    fn ask(player: &mut AlphaBetaPlayer<MaterialBalance>, game: &Game) -> Choice {
        let (mut choices, turn) = (
            Vec::new(),
            Turn {
                game,
                seed: types::Seed::new(1),
                time: None,
            },
        );
        player.choose(&[turn], &mut choices).unwrap();
        choices[0]
    }

    #[test]
    fn answers_depend_on_the_position_alone() {
        let mut used = player();
        for variant in Variant::ALL {
            let mut game = Game::new(Position::start(variant));
            for _ in 0..6 {
                let choice = ask(&mut used, &game);
                assert_eq!(choice, ask(&mut player(), &game), "{variant}");
                assert!(choice.nodes <= CONFIG.usual_nodes);
                game.play(choice.mv);
            }
        }
    }

    #[test]
    fn a_temperature_draws_moves_by_their_values() {
        let game = Game::new(Position::start(Variant::English));
        let moves = |temperature: f32| {
            let handicap = Handicap {
                nodes: CONFIG.usual_nodes as f64,
                temperature,
            };
            let mut player = player().with_handicap(Some(handicap));
            let mut choose = |seed| {
                let mut choices = Vec::new();
                let seed = types::Seed::new(seed);
                let turn = Turn {
                    game: &game,
                    seed,
                    time: None,
                };
                player.choose(&[turn], &mut choices).unwrap();
                choices[0].mv
            };
            let drawn: Vec<rules::Move> = (0..40).map(&mut choose).collect();
            assert_eq!(choose(3), drawn[3]);
            let distinct: std::collections::HashSet<_> = drawn.iter().collect();
            distinct.len()
        };
        assert_eq!(moves(0.0), 1);
        assert!(moves(1.0) > 3);
    }

    #[test]
    fn a_won_game_is_certain_and_a_forced_move_costs_nothing() {
        let game = |fen| Game::new(Position::from_fen(Variant::English, fen).unwrap());
        let won = ask(&mut player(), &game("W:W29,30:B21"));
        assert_eq!(won.value, Some(Wdl::WIN));
        assert_eq!(ask(&mut player(), &game("W:W22:B18")).nodes, 0);
    }

    #[test]
    fn limits_of_the_task_and_of_the_player_both_hold() {
        let game = Game::new(Position::start(Variant::Frisian));
        let search = |own: Option<u32>, asked: Option<u32>| {
            let config = AlphaBetaConfig {
                depth: own,
                ..CONFIG
            };
            let mut player = AlphaBetaPlayer::new("ab", MaterialBalance, config);
            let limits = SearchLimits {
                depth: asked,
                ..SearchLimits::default()
            };
            let mut depths = Vec::new();
            let task = simulated::task(&game, limits);
            let found = player.analyze(&task, &mut |findings| depths.push(findings.best().depth));
            let depth = found.unwrap().best().depth;
            assert!(depths.is_sorted() && depths.last() == Some(&depth));
            depth
        };
        assert_eq!(search(Some(3), Some(5)), 3);
        assert_eq!(search(Some(5), Some(2)), 2);
        assert_eq!(search(None, Some(4)), 4);
    }

    /// Counts material and takes a microsecond.
    struct Timed;

    impl Evaluation for Timed {
        type State = ();

        fn state(&self) {}

        fn evaluate(&self, position: &Position, _near: &(), _state: &mut ()) -> i32 {
            simulated::pass(Duration::from_micros(1));
            MaterialBalance::balance(position)
        }
    }

    /// The duration of a search with this time on the clock.
    fn taken(time: TimeLeft) -> Duration {
        let (before, game) = (
            simulated::now(),
            Game::new(Position::start(Variant::English)),
        );
        let mut player = AlphaBetaPlayer::new("ab", Timed, CONFIG);
        let task = simulated::timed(&game, time);
        player.analyze(&task, &mut |_| {}).unwrap();
        simulated::now() - before
    }

    #[test]
    fn the_clock_is_obeyed_and_spared() {
        let ms = Duration::from_millis;
        let of_move = taken(TimeLeft::Move(ms(200)));
        assert!((ms(184)..ms(186)).contains(&of_move), "{of_move:?}");
        let of_game = TimeLeft::Game {
            time: ms(6_000),
            increment: Duration::ZERO,
            moves: None,
        };
        let Allotment { usual, .. } = of_game.allotment(Duration::ZERO);
        let of_game = taken(of_game);
        assert!(of_game < usual && of_game > usual / 10, "{of_game:?}");
    }

    fn analyse(game: &Game, depth: u32, lines: usize) -> (Vec<Findings>, Findings) {
        let limits = SearchLimits {
            depth: Some(depth),
            lines,
            ..SearchLimits::default()
        };
        let task = simulated::task(game, limits);
        let mut reports = Vec::new();
        let found = player().analyze(&task, &mut |findings| reports.push(findings.clone()));
        (reports, found.unwrap())
    }

    #[test]
    fn several_lines_are_distinct_sorted_and_legal() {
        for variant in Variant::ALL {
            let game = Game::new(Position::start(variant));
            let n_moves = game.legal_moves().len();
            for lines in [1, 3, n_moves, n_moves + 5] {
                let (reports, found) = analyse(&game, 5, lines);
                assert_eq!(reports.last(), Some(&found));
                for findings in reports {
                    let variations = &findings.variations;
                    assert_eq!(variations.len(), lines.min(n_moves), "{variant}");
                    let value = |variation: &Variation| variation.value.unwrap().value();
                    assert!(variations.is_sorted_by(|a, b| value(a) >= value(b)));
                    for (index, variation) in variations.iter().enumerate() {
                        assert_eq!(variation.depth, findings.best().depth);
                        let earlier = &variations[..index];
                        assert!(
                            earlier
                                .iter()
                                .all(|other| other.moves[0] != variation.moves[0])
                        );
                        let mut line = game.clone();
                        for &mv in &variation.moves {
                            assert!(line.legal_moves().contains(&mv), "{variant}");
                            line.play(mv);
                        }
                    }
                }
            }
        }
    }
}
