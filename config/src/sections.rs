//! Every setting: its name, type, default, range and documentation, said once.
//!
//! `configs/base.toml` is this file in TOML, and a test holds it to that.

use model::{Inputs, ModelConfig, ModelError, Precision, Preset};
use rules::Variant;
use search::SearchConfig;
use selfplay::SelfplayConfig;
use settings::{choice, settings};
use store::WindowConfig;
use trainer::TrainConfig;
use types::MAX_SIMULATIONS;

settings! {
    /// Everything that determines a run, and the number of threads.
    pub struct RunConfig {
        /// Seed of everything random. The same seed and settings give the same games and the same
        /// weights, whatever the number of threads, on processors that have the numbers of model.precision and
        /// train.precision, or lack them.
        seed: u64 = 1, at_least(0);
        /// Threads of self-play, matches and training; 0 is one per core.
        threads: usize = 0, range(0, 1024), free();
        /// Where networks are computed. cpu is Crownhead's own code; wgpu is a GPU through Vulkan,
        /// Metal or DirectX and cuda one of NVIDIA, in builds with that feature; flex is burn on
        /// the processor, slow and on one thread, for comparisons.
        device: String = "cpu".to_owned(), one_of(&["cpu", "flex", "wgpu", "cuda"]);
    }
    sections {
        /// The network.
        model: ModelSection,
        /// How moves are searched, in self-play and in matches.
        search: SearchConfig,
        /// How games are made.
        selfplay: SelfplayConfig,
        /// What is learnt from.
        window: WindowConfig,
        /// How the network is trained.
        train: TrainConfig,
        /// How a new network is tested against the champion.
        gate: GateSection,
        /// How champions are rated against the fixed baselines.
        rating: RatingSection,
        /// The truth about endings: what networks are measured by, and who else may know it.
        endgame: EndgameSection,
        /// How machines that play for one run work together.
        fleet: FleetSection,
        /// How much the run may keep.
        disk: DiskSection,
    }
}

settings! {
    /// The network.
    pub struct ModelSection {
        /// Size of the network: a name for a shape, of which the keys below may replace parts. nano and
        /// small suit a CPU, medium and large a GPU.
        preset: String = "nano".to_owned(), one_of(&["nano", "small", "medium", "large"]);
        /// What the network sees: pieces, or exchanges, which adds where the moves start and end that win
        /// material, lose it or do neither once all captures are played out. A program that computes an
        /// exported network by itself finds that harder to give it.
        inputs: Inputs = Inputs::Exchanges, one_of(Inputs::NAMES), formerly(&"pieces");
        /// Channels of the trunk, a multiple of 32; 0 takes the preset's: 32, 64, 128, 192.
        channels: usize = 0, range(0, 1024);
        /// Residual blocks of two convolutions each; 0 takes the preset's: 4, 6 (4 on 10x10), 8, 12.
        blocks: usize = 0, range(0, 64);
        /// Length of the from and to vectors whose product scores a move; 0 takes the preset's: 16, 16,
        /// 32, 32.
        policy_dim: usize = 0, range(0, 256);
        /// Channels per square in front of the value head's hidden layer; 0 takes the preset's: 8.
        value_channels: usize = 0, range(0, 256);
        /// Width of the value head's hidden layer; 0 takes the preset's: 64.
        value_hidden: usize = 0, range(0, 1024);
        /// Numbers in which networks that play may be computed, in self-play and in matches;
        /// training has train.precision. A processor with AVX2 has int8, a GPU f16; what has no such
        /// numbers computes in f32.
        precision: Precision = Precision::Int8, one_of(Precision::NAMES);
    }
}

settings! {
    /// How a new network is tested against the champion.
    pub struct GateSection {
        /// Generations between tests of the newest network against the champion. The network
        /// that a run begins with is challenged in every one.
        every_generations: u32 = 2, range(1, 1_000_000), may_change();
        /// Pairs of games at most; each opening is played with both colours. AlphaGo Zero: 200.
        max_pairs: u32 = 100, range(1, 20_000), may_change();
        /// Simulations a move.
        simulations: u32 = 16, range(1, MAX_SIMULATIONS), may_change();
        /// The test decides between "the candidate is this much stronger" ...
        nelo0: f64 = 0.0, range(-1000, 1000), may_change();
        /// ... and "this much", both in normalised Elo.
        nelo1: f64 = 40.0, range(-1000, 1000), may_change();
        /// Probability of promoting a candidate that is only nelo0 stronger. Both errors hold under
        /// max_pairs; where so few pairs cannot hold them, all are played, and the gate's report
        /// has the errors that hold. 0.25 and 0.25 take 46 pairs on average; to follow a network
        /// that rises slowly, they do better than smaller errors: RESULTS.md.
        alpha: f64 = 0.25, range(0.0001, 0.5), may_change();
        /// Probability of refusing a candidate that is nelo1 stronger.
        beta: f64 = 0.25, range(0.0001, 0.5), may_change();
    }
}

settings! {
    /// How champions are rated against the fixed baselines.
    pub struct RatingSection {
        /// Generations between ratings of the champion.
        every_generations: u32 = 10, range(1, 1_000_000), may_change();
        /// Pairs of games of one rating, against baselines of known strength (random is 0 Elo, then
        /// players that play at random now and then, alphabeta and learned:depth=1 and deeper) and
        /// earlier champions of the run.
        pairs: usize = 40, range(1, 1_000_000), may_change();
        /// Pairs against one opponent before the next one is chosen, the most informative by then.
        pairs_per_step: usize = 10, range(1, 1_000_000), may_change();
        /// Simulations a move.
        simulations: u32 = 64, range(1, MAX_SIMULATIONS), may_change();
    }
}

settings! {
    /// The truth about endings: what networks are measured by, and who else may know it.
    pub struct EndgameSection {
        /// The run builds an endgame database of up to so many pieces when it starts, and keeps it.
        /// 3 take less than a second, 4 from 2 to 20, in frisian a minute, 5 minutes and much memory;
        /// 0 is no database.
        pieces: usize = 3, range(0, 5);
        /// Positions of the database on which every new network is measured: how wrong its values
        /// are, how often it throws away a win or a draw. 0 measures nothing.
        positions: usize = 600, range(0, 100_000), may_change();
        /// Simulations a position of the search that is measured beside the network.
        simulations: u32 = 16, range(1, MAX_SIMULATIONS), may_change();
        /// Share of the positions of a training step that come from the database and not from games: quiet endings
        /// with their exact values and the moves that keep them, but for those on which networks are measured. Networks
        /// then hardly blunder there, and are no weaker elsewhere: RESULTS.md. Without a database there are none.
        lessons: f64 = 0.03, range(0, 0.5), formerly(&0.0), may_change();
        /// Whether a game of self-play ends, with the true result, as soon as the database settles
        /// it. With 4 pieces thai gained a little, english nothing: RESULTS.md.
        adjudicate: bool = false;
    }
}

choice! {
    /// What machines may differ in.
    pub enum FleetMode {
        /// In nothing: all machines play the same games, byte for byte, on their processors.
        Exact = "exact",
        /// In last bits: some play on other devices, and what they find has to be nearly the same.
        Free = "free",
    }
}

settings! {
    /// How machines that play for one run work together.
    pub struct FleetSection {
        /// Whether all machines play the same games, byte for byte, on their processors ("exact"), or some play
        /// self-play on other devices, whose last bits differ ("free"). What they share is held against searches
        /// of the same positions then, and the run depends on who has played.
        mode: FleetMode = FleetMode::Exact, one_of(FleetMode::NAMES);
        /// Generations by which the network that plays is behind the newest. With 1 the games of a generation
        /// do not wait for what the one before has taught, so a fleet plays them while its trainer learns. It
        /// is the same without a fleet: what the games are does not depend on who plays.
        lag: u32 = 0, range(0, 1);
    }
}

settings! {
    /// How much the run may keep.
    pub struct DiskSection {
        /// Megabytes that the run's files may take; 0 is no limit. Between generations, as long as they
        /// take more, games are deleted that have left the window, oldest first, then models that lost
        /// their gate and none of whose games are left. The log says what; what goes on from the run
        /// needs none of it, but a window that is made larger later has only what is left.
        budget: u64 = 0, range(0, 1_000_000_000), free();
    }
}

impl ModelSection {
    /// The network of these settings for a game.
    ///
    /// # Errors
    /// When there is no such network; the message lists every fault.
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

    /// What the network is called: its preset, and what replaces parts of it.
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

/// The settings that give a network this shape, whatever its preset and game.
pub fn shape_settings(shape: &ModelConfig) -> [(&'static str, usize); 5] {
    [
        ("model.channels", shape.channels),
        ("model.blocks", shape.blocks),
        ("model.policy_dim", shape.policy_dim),
        ("model.value_channels", shape.value_channels),
        ("model.value_hidden", shape.value_hidden),
    ]
}

/// Evaluators that compute on one device: the second works while the first one's answers are copied
/// back. So many threads ask for each that is to be busy.
pub const DOUBLE_BUFFER: usize = 2;

/// The number of threads that is meant: 0 is one per core.
pub fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

impl RunConfig {
    /// Self-play where the networks of this configuration are computed.
    #[must_use]
    pub fn self_play(&self) -> SelfplayConfig {
        match self.device.as_str() {
            "cpu" => self.selfplay.clone(),
            _ => self
                .selfplay
                .on_device(DOUBLE_BUFFER * threads(self.threads)),
        }
    }

    /// What is wrong between keys; each key alone is within its range already.
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
        let endgame = &self.endgame;
        require(
            endgame.pieces != 1,
            "`endgame.pieces` must be 0 for no database, or at least 2",
        );
        require(
            endgame.pieces > 0 || !endgame.adjudicate,
            "`endgame.adjudicate` needs a database: set `endgame.pieces` to 2 or more",
        );
        faults
    }
}
