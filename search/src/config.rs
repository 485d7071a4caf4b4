//! Settings of a search. The command line's configuration provides them and checks their ranges.

/// Settings of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchConfig {
    /// How moves are selected.
    pub mode: Mode,
    /// Utility of a draw for the player at the root, -1..=1 (its opponent gets the negative). Larger
    /// values make that player prefer draws. AlphaZero: 0.
    pub draw_score: f32,
}

/// How moves are selected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mode {
    /// Sequential halving at the root, deterministic selection below: strong with few simulations.
    Gumbel(GumbelConfig),
    /// Upper confidence bounds with a prior, as in AlphaZero and KataGo: strong with many simulations.
    Puct(PuctConfig),
}

/// Settings of Gumbel AlphaZero (Danihelka et al., "Policy improvement by planning with Gumbel",
/// 2022).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GumbelConfig {
    /// Visits added to the largest visit count in the weight of Q; larger values trust Q sooner. >= 0.
    pub c_visit: f32,
    /// Weight of Q, which is in 0..=1, against the logits. >= 0.
    pub c_scale: f32,
    /// Maximum of root moves that sequential halving starts with. >= 1.
    pub max_considered: u32,
    /// Simulations per considered move, at least: a small budget is spent on fewer moves, because a
    /// single visit each chooses no better than the prior. >= 1.
    pub considered_simulations: u32,
    /// Factor on the Gumbel noise: 1 for self-play, 0 for playing the best move found. >= 0.
    pub gumbel_scale: f32,
}

impl GumbelConfig {
    /// The paper's values for board games, as MiniZero uses them too.
    pub const PAPER: GumbelConfig = GumbelConfig {
        c_visit: 50.0,
        c_scale: 1.0,
        max_considered: 16,
        considered_simulations: 1,
        gumbel_scale: 1.0,
    };

    /// Root moves that sequential halving starts with when it has so many simulations: two at
    /// least, so that something is compared.
    pub(crate) fn considered(&self, simulations: u32) -> u32 {
        let affordable = (simulations / self.considered_simulations.max(1)).max(2);
        self.max_considered.min(affordable)
    }
}

impl Mode {
    /// What the policy's logits are divided by for priors.
    pub(crate) fn policy_temperature(&self) -> f32 {
        match self {
            Mode::Gumbel(_) => 1.0,
            Mode::Puct(config) => config.policy_temperature,
        }
    }
}

/// Settings of PUCT. Utilities are in -1..=1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctConfig {
    /// Exploration at few visits; larger values visit more moves. >= 0.
    pub exploration: f32,
    /// Growth of exploration with the logarithm of the visits. >= 0.
    pub exploration_log: f32,
    /// Visits at which that growth begins. > 0.
    pub exploration_base: f32,
    /// First-play urgency: reduction of an unvisited move's utility below that of its parent, times
    /// the square root of the visited policy mass; larger values visit fewer moves. >= 0.
    pub fpu_reduction: f32,
    /// The same for moves of the root.
    pub root_fpu_reduction: f32,
    /// Priors are the softmax of the policy's logits divided by this; larger values make them more even. > 0.
    pub policy_temperature: f32,
    /// Noise on the root's priors; none outside self-play.
    pub root_noise: Option<RootNoise>,
}

impl PuctConfig {
    /// KataGo's published values, without root noise.
    pub const KATAGO: PuctConfig = PuctConfig {
        exploration: 1.0,
        exploration_log: 0.45,
        exploration_base: 500.0,
        fpu_reduction: 0.2,
        root_fpu_reduction: 0.0,
        policy_temperature: 1.0,
        root_noise: None,
    };
}

/// Dirichlet noise on the root's priors, which makes PUCT try every move now and then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootNoise {
    /// Sum of the concentrations over the legal moves; larger values make the noise more even. > 0.
    pub total_alpha: f32,
    /// Weight of the noise in the prior, 0..=1.
    pub weight: f32,
}

impl RootNoise {
    /// KataGo's published values.
    pub const KATAGO: RootNoise = RootNoise {
        total_alpha: 10.83,
        weight: 0.25,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_budgets_consider_fewer_moves() {
        let config = GumbelConfig {
            considered_simulations: 2,
            ..GumbelConfig::PAPER
        };
        let considered = [1, 2, 4, 8, 32, 1000].map(|n| config.considered(n));
        assert_eq!(considered, [2, 2, 2, 4, 16, 16]);
        assert_eq!(GumbelConfig::PAPER.considered(8), 8);
    }
}
