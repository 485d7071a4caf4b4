//! The configuration as types. `configs/base.toml` documents every key and bounds its values;
//! adding one is a line here and a line there.

use serde::Deserialize;

/// Everything that determines a run, and the number of threads.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) device: String,
    pub(crate) model: ModelSection,
    pub(crate) search: SearchSection,
    pub(crate) selfplay: SelfplaySection,
    pub(crate) window: store::WindowConfig,
    pub(crate) train: TrainSection,
    pub(crate) gate: GateSection,
    pub(crate) rating: RatingSection,
    pub(crate) endgame: EndgameSection,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelSection {
    pub(crate) preset: String,
    pub(crate) precision: model::Precision,
}

/// How moves are searched, in self-play and in matches.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchSection {
    pub(crate) mode: SearchMode,
    pub(crate) simulations: u32,
    pub(crate) draw_score: f32,
    pub(crate) c_visit: f32,
    pub(crate) c_scale: f32,
    pub(crate) max_considered: u32,
    pub(crate) considered_simulations: u32,
    pub(crate) gumbel_scale: f32,
    pub(crate) puct_exploration: f32,
    pub(crate) puct_exploration_log: f32,
    pub(crate) puct_exploration_base: f32,
    pub(crate) puct_fpu_reduction: f32,
    pub(crate) puct_root_fpu_reduction: f32,
    pub(crate) puct_noise_alpha: f32,
    pub(crate) puct_noise_weight: f32,
}

/// The two ways of searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SearchMode {
    Gumbel,
    Puct,
}

impl SearchMode {
    /// Both.
    pub(crate) const ALL: [SearchMode; 2] = [SearchMode::Gumbel, SearchMode::Puct];

    /// Its name in configurations and in options of players.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SearchMode::Gumbel => "gumbel",
            SearchMode::Puct => "puct",
        }
    }
}

/// Which network plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SelfplayNetwork {
    Newest,
    Champion,
}

/// How games are made.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelfplaySection {
    pub(crate) network: SelfplayNetwork,
    pub(crate) games_per_generation: u32,
    pub(crate) concurrent_games: usize,
    pub(crate) full_fraction: f64,
    pub(crate) fast_simulations: u32,
    pub(crate) opening_plies: u32,
    pub(crate) max_plies: u32,
}

/// How the network is trained.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainSection {
    pub(crate) batch_size: usize,
    pub(crate) samples_per_position: f64,
    pub(crate) learning_rate: f64,
    pub(crate) warmup_steps: u64,
    pub(crate) decay_steps: u64,
    pub(crate) weight_decay: f64,
    pub(crate) gradient_clip: f64,
    pub(crate) ema_decay: f64,
    pub(crate) value_weight: f64,
    pub(crate) soft_policy_weight: f64,
    pub(crate) value_root_fraction: f64,
}

/// How a new network is tested against the champion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GateSection {
    pub(crate) every_generations: u32,
    pub(crate) max_pairs: u32,
    pub(crate) simulations: u32,
    pub(crate) nelo0: f64,
    pub(crate) nelo1: f64,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
}

/// How champions are rated against the fixed baselines.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatingSection {
    pub(crate) every_generations: u32,
    pub(crate) pairs: usize,
    pub(crate) pairs_per_step: usize,
    pub(crate) simulations: u32,
}

/// The truth about endings: what networks are measured by, and who else may know it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndgameSection {
    pub(crate) pieces: usize,
    pub(crate) positions: usize,
    pub(crate) simulations: u32,
    pub(crate) prove: bool,
    pub(crate) adjudicate: bool,
    pub(crate) relabel: bool,
}

impl Config {
    /// What is wrong between keys; each key alone is within its range already.
    pub(crate) fn faults(&self) -> Vec<String> {
        let window = self.window.faults().into_iter();
        let mut faults: Vec<String> = window.map(|fault| format!("window: {fault}")).collect();
        let mut require = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        require(
            self.gate.nelo0 < self.gate.nelo1,
            "`gate.nelo0` must be below `gate.nelo1`",
        );
        require(
            self.selfplay.opening_plies < self.selfplay.max_plies,
            "`selfplay.opening_plies` must be below `selfplay.max_plies`",
        );
        let endgame = &self.endgame;
        require(
            endgame.pieces != 1,
            "`endgame.pieces` must be 0 for no database, or at least 2",
        );
        require(
            endgame.pieces > 0 || !(endgame.prove || endgame.adjudicate || endgame.relabel),
            "`endgame.prove`, `endgame.adjudicate` and `endgame.relabel` need a database: set \
             `endgame.pieces` to 2 or more",
        );
        faults
    }
}
