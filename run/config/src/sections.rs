//! Settings that belong to no other crate, and the combination of all settings.
//!
//! `configs/base.toml` lists the same settings; a test compares them.

use model::{Inputs, ModelConfig, ModelError, Precision, Preset};
use rules::Variant;
use search::SearchConfig;
use selfplay::SelfplayConfig;
use settings::{choice, settings};
use store::WindowConfig;
use trainer::TrainConfig;
use types::MAX_SIMULATIONS;

settings! {
    /// All settings of a run.
    pub struct RunConfig {
        /// Seed of all random numbers. The same seed and settings give the same games and weights
        /// for any number of threads, on processors that all support model.precision and
        /// train.precision, or all lack them.
        seed: u64 = 1, range(0, f64::INFINITY);
        /// Threads of self-play, matches and training; 0 is one per core.
        threads: usize = 0, range(0, 1024), free();
        /// Device for networks. cpu is Crownhead's own code; wgpu is a GPU through Vulkan, Metal or
        /// DirectX and cuda an NVIDIA GPU, in builds with that feature; flex is burn on the CPU,
        /// slow and single-threaded, for comparisons. auto measures cpu and the GPUs with this
        /// network and model.precision when a run starts, and records the fastest.
        device: String = "cpu".to_owned(), one_of(&["cpu", "flex", "wgpu", "cuda", AUTO]);
    }
    sections {
        /// The network.
        model: ModelSection,
        /// The tree search, in self-play and in matches.
        search: SearchConfig,
        /// Self-play.
        selfplay: SelfplayConfig,
        /// The replay window.
        window: WindowConfig,
        /// Training.
        train: TrainConfig,
        /// The gate: matches of new networks against the champion.
        gate: GateSection,
        /// Ratings of champions against the fixed baselines.
        rating: RatingSection,
        /// The endgame database: measurements and training samples.
        endgame: EndgameSection,
        /// The fleet: machines that play for the run.
        fleet: FleetSection,
        /// Limits on disk space.
        disk: DiskSection,
    }
}

settings! {
    /// The network.
    pub struct ModelSection {
        /// Size of the network: a named shape; the keys below may override parts of it. nano and
        /// small suit a CPU, medium and large a GPU.
        preset: String = "nano".to_owned(), one_of(&["nano", "small", "medium", "large"]);
        /// Input of the network: pieces, or exchanges, which adds the squares where moves start and
        /// end that win material, lose it or do neither after all captures are played out. A
        /// program that runs an exported network without Crownhead's library has to compute these.
        inputs: Inputs = Inputs::Exchanges, one_of(Inputs::NAMES), formerly(&"pieces");
        /// Channels of the trunk, a multiple of 32; 0 uses the preset's: 32, 64, 128, 192.
        channels: usize = 0, range(0, 1024);
        /// Residual blocks of two convolutions each; 0 uses the preset's: 4, 6 (4 on 10x10), 8, 12.
        blocks: usize = 0, range(0, 64);
        /// Length of the from and to vectors whose product is the policy logit of a move; 0 uses
        /// the preset's: 16, 16, 32, 32.
        policy_dim: usize = 0, range(0, 256);
        /// Channels per square before the value head's hidden layer; 0 uses the preset's: 8.
        value_channels: usize = 0, range(0, 256);
        /// Width of the value head's hidden layer; 0 uses the preset's: 64.
        value_hidden: usize = 0, range(0, 1024);
        /// Numeric precision of inference, in self-play and in matches; training has
        /// train.precision. int8 needs a processor with AVX2 or NEON, f16 a GPU, bf16 an NVIDIA GPU
        /// through cuda; others fall back to f32.
        precision: Precision = Precision::Int8, one_of(Precision::NAMES);
    }
}

settings! {
    /// The gate: matches of new networks against the champion.
    pub struct GateSection {
        /// Generations between gates. The initial network is challenged in every generation.
        every_generations: u32 = 2, range(1, 1_000_000), may_change();
        /// Maximum number of game pairs; each opening is played with both colors. AlphaGo Zero:
        /// 200.
        max_pairs: u32 = 100, range(1, 20_000), may_change();
        /// Simulations per move.
        simulations: u32 = 16, range(1, MAX_SIMULATIONS), may_change();
        /// Null hypothesis of the test: the advantage of the candidate, in normalized Elo.
        nelo0: f64 = 0.0, range(-1000, 1000), may_change();
        /// Alternative hypothesis of the test: the advantage of the candidate, in normalized Elo.
        nelo1: f64 = 40.0, range(-1000, 1000), may_change();
        /// Probability of promoting a candidate that is only nelo0 stronger. Both error rates hold
        /// within max_pairs; if that is too few for them, all pairs are played, and the gate's
        /// report has the error rates that hold. 0.25 and 0.25 take 46 pairs on average; for a
        /// slowly improving network they work better than smaller error rates: RESULTS.md.
        alpha: f64 = 0.25, range(0.0001, 0.5), may_change();
        /// Probability of rejecting a candidate that is nelo1 stronger.
        beta: f64 = 0.25, range(0.0001, 0.5), may_change();
    }
}

settings! {
    /// Ratings of champions against the fixed baselines.
    pub struct RatingSection {
        /// Generations between ratings of the champion.
        every_generations: u32 = 10, range(1, 1_000_000), may_change();
        /// Pairs of games per rating, against baselines of known strength (random is 0 Elo, then
        /// players that choose a fraction of their moves at random, alphabeta and learned:depth=1
        /// and deeper) and earlier champions of the run.
        pairs: usize = 40, range(1, 1_000_000), may_change();
        /// Pairs against one opponent before the next, most informative opponent is chosen.
        pairs_per_step: usize = 10, range(1, 1_000_000), may_change();
        /// Simulations per move.
        simulations: u32 = 64, range(1, MAX_SIMULATIONS), may_change();
    }
}

settings! {
    /// The endgame database: measurements and training samples.
    pub struct EndgameSection {
        /// Maximum number of pieces of the endgame database that the run builds at its start, and
        /// keeps. 3 takes less than a second, 4 takes 2 to 20 seconds, in frisian a minute, and 5
        /// takes minutes and much memory; 0 disables it.
        pieces: usize = 3, range(0, 5);
        /// Positions of the database on which every new network is measured: the error of its
        /// values, and the rate at which it gives away a win or a draw. 0 disables the measurement.
        positions: usize = 600, range(0, 100_000), may_change();
        /// Simulations per position of the search that is measured with the network.
        simulations: u32 = 16, range(1, MAX_SIMULATIONS), may_change();
        /// Fraction of the positions of a training step that come from the database: quiet endings
        /// with exact values and the moves that keep them, without the positions on which networks
        /// are measured. Networks then rarely blunder in such endings, and are no weaker elsewhere:
        /// RESULTS.md. Has no effect without a database.
        lessons: f64 = 0.03, range(0, 0.5), formerly(&0.0), may_change();
    }
}

choice! {
    /// Permitted differences between machines.
    pub enum FleetMode {
        /// None: all machines play the same games, byte for byte, on their CPUs.
        Exact = "exact",
        /// Rounding: some machines use other devices, with results that are nearly the same.
        Free = "free",
    }
}

settings! {
    /// The fleet: machines that play for the run.
    pub struct FleetSection {
        /// exact: all machines play the same games, byte for byte, on their CPUs. free: some
        /// machines play on other devices, whose results differ in the last bits; their games are
        /// then compared with searches of the same positions, and the run depends on which machine
        /// played.
        mode: FleetMode = FleetMode::Exact, one_of(FleetMode::NAMES);
        /// Generations by which the self-play network is behind the newest one. With 1, a fleet
        /// plays the games of a generation while the trainer still trains on the previous one. The
        /// games are the same without a fleet.
        lag: u32 = 0, range(0, 1);
    }
}

settings! {
    /// Limits on disk space.
    pub struct DiskSection {
        /// Maximum size of the run's files in megabytes; 0 is no limit. Above the limit, between
        /// generations, games that have left the window are deleted, oldest first, then models that
        /// lost their gate and whose games are gone. The log names them. The run does not need
        /// them, but a later, larger window only has the games that are left.
        budget: u64 = 0, range(0, 1_000_000_000), free();
    }
}

impl ModelSection {
    /// The network of these settings for a game.
    ///
    /// # Errors
    /// If there is no such network; the message lists every fault.
    pub fn shape(&self, variant: Variant) -> Result<ModelConfig, ModelError> {
        let preset = self.preset.parse::<Preset>()?.for_variant(variant);
        let or = |asked: usize, usual: usize| if asked == 0 { usual } else { asked };
        let shape = ModelConfig {
            inputs: self.inputs,
            channels: or(self.channels, preset.channels),
            blocks: or(self.blocks, preset.blocks),
            policy_dim: or(self.policy_dim, preset.policy_dim),
            value_channels: or(self.value_channels, preset.value_channels),
            value_hidden: or(self.value_hidden, preset.value_hidden),
            ..preset
        };
        shape.validate()?;
        Ok(shape)
    }

    /// The network's name: its preset, and the sizes that override parts of it.
    pub fn name(&self) -> String {
        let parts = [
            ("channels", self.channels),
            ("blocks", self.blocks),
            ("policy_dim", self.policy_dim),
            ("value_channels", self.value_channels),
            ("value_hidden", self.value_hidden),
        ];
        let parts = parts.into_iter().filter(|&(_, size)| size > 0);
        let parts: Vec<String> = parts.map(|(part, size)| format!("{part}={size}")).collect();
        match parts.is_empty() {
            true => self.preset.clone(),
            false => format!("{} with {}", self.preset, parts.join(" ")),
        }
    }
}

/// The settings for a network of this shape, whatever its preset and game.
pub fn shape_settings(shape: &ModelConfig) -> [(&'static str, usize); 5] {
    [
        ("model.channels", shape.channels),
        ("model.blocks", shape.blocks),
        ("model.policy_dim", shape.policy_dim),
        ("model.value_channels", shape.value_channels),
        ("model.value_hidden", shape.value_hidden),
    ]
}

/// The setting of a device that is still to be chosen.
pub const AUTO: &str = "auto";

/// Evaluators per thread on a device: the second one works while the results of the first are
/// copied back.
pub const DOUBLE_BUFFER: usize = 2;

/// The number of threads; 0 means one per core.
pub fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

impl RunConfig {
    /// The self-play settings for the configured device.
    #[must_use]
    pub fn self_play(&self) -> SelfplayConfig {
        match self.device.as_str() {
            "cpu" => self.selfplay.clone(),
            _ => self
                .selfplay
                .on_device(DOUBLE_BUFFER * threads(self.threads)),
        }
    }

    /// Contradictions between keys; each value is already known to be within its range.
    pub(crate) fn contradictions(&self) -> Vec<String> {
        let window = self.window.contradictions().into_iter();
        let mut faults: Vec<String> = window.map(|fault| format!("window: {fault}")).collect();
        faults.extend(self.selfplay.contradictions());
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
            self.model.channels.is_multiple_of(32),
            "`model.channels` must be a multiple of 32",
        );
        require(
            self.endgame.pieces != 1,
            "`endgame.pieces` must be 0 for no database, or at least 2",
        );
        faults
    }
}
