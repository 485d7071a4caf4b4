//! Settings of a search.

use settings::{choice, settings};
use types::MAX_SIMULATIONS;

choice! {
    /// The search algorithms.
    pub enum Mode {
        /// Gumbel AlphaZero (Danihelka et al., "Policy improvement by planning with Gumbel", 2022): sequential
        /// halving at the root, deterministic selection below. Strong with few simulations.
        Gumbel = "gumbel",
        /// PUCT (upper confidence bounds with a prior) as in AlphaZero and KataGo: strong with many
        /// simulations.
        Puct = "puct",
    }
}

settings! {
    /// Tree search, in self-play and in matches.
    ///
    /// Settings of PUCT begin with `puct_`; all others except `mode`, `simulations` and
    /// `draw_score` belong to Gumbel AlphaZero ([`SearchConfig::depends_on`]). Utilities are in
    /// -1..=1.
    #[derive(Copy)]
    pub struct SearchConfig {
        /// gumbel plans well with few simulations and always improves the policy (Danihelka et al.
        /// 2022); puct is AlphaZero's search with KataGo's refinements.
        mode: Mode = Mode::Gumbel, one_of(Mode::NAMES);
        /// Simulations of a full search, which produces a training target. Danihelka et al. train
        /// with as few as 2; AlphaZero used 800.
        simulations: u32 = 32, range(1, MAX_SIMULATIONS), may_change();
        /// Value of a draw for the searching player, between a loss (-1) and a win (1). AlphaZero:
        /// 0.
        draw_score: f32 = 0.0, range(-1, 1);
        /// gumbel: constant added to the largest visit count in the weight of Q; a larger one
        /// trusts Q sooner. Danihelka et al.: 50.
        c_visit: f32 = 50.0, range(0, 10_000);
        /// gumbel: weight of Q (in 0..1) relative to the policy logits. Danihelka et al.: 1 for
        /// board games.
        c_scale: f32 = 1.0, range(0, 100);
        /// gumbel: maximum number of root moves at the start of sequential halving. Danihelka et
        /// al.: 16.
        max_considered: u32 = 16, range(1, 128);
        /// gumbel: minimum number of simulations per considered move; a small budget then compares
        /// fewer moves, but at least two. Danihelka et al.: 1.
        considered_simulations: u32 = 2, range(1, 64);
        /// gumbel: scale of the noise at the root in self-play; matches use none. Danihelka et al.:
        /// 1.
        gumbel_scale: f32 = 1.0, range(0, 10);
        /// puct: exploration constant; a larger one spreads visits over more moves. KataGo: 1.
        puct_exploration: f32 = 1.0, range(0, 100);
        /// puct: growth of exploration with the logarithm of the visits. KataGo: 0.45.
        puct_exploration_log: f32 = 0.45, range(0, 100);
        /// puct: number of visits at which that growth sets in. KataGo: 500.
        puct_exploration_base: f32 = 500.0, range(1, 1_000_000);
        /// puct: first-play urgency: initial value of an unvisited move below its parent, times the
        /// square root of the policy mass visited; a larger one concentrates visits on fewer moves.
        /// KataGo: 0.2.
        puct_fpu_reduction: f32 = 0.2, range(0, 2);
        /// puct: the same for moves of the root. KataGo: 0.
        puct_root_fpu_reduction: f32 = 0.0, range(0, 2);
        /// puct: temperature of the policy, by which its logits are divided; a higher one flattens
        /// the priors. AlphaZero: 1, Leela Chess Zero: 1.36.
        puct_policy_temperature: f32 = 2.5, range(0.1, 10);
        /// puct: sum of the concentrations of the Dirichlet noise at the root in self-play; a
        /// larger one gives more even noise. KataGo: 10.83.
        puct_noise_alpha: f32 = 10.83, range(0.01, 1000);
        /// puct: share of that noise in the root priors; matches use none. KataGo: 0.25.
        puct_noise_weight: f32 = 0.25, range(0, 1);
    }
}

impl SearchConfig {
    /// Danihelka et al.'s values for board games, also used by MiniZero.
    pub const PAPER: SearchConfig = SearchConfig {
        mode: Mode::Gumbel,
        simulations: 32,
        draw_score: 0.0,
        c_visit: 50.0,
        c_scale: 1.0,
        max_considered: 16,
        considered_simulations: 1,
        gumbel_scale: 1.0,
        puct_exploration: 1.0,
        puct_exploration_log: 0.45,
        puct_exploration_base: 500.0,
        puct_fpu_reduction: 0.2,
        puct_root_fpu_reduction: 0.0,
        puct_policy_temperature: 1.0,
        puct_noise_alpha: 10.83,
        puct_noise_weight: 0.0,
    };

    /// KataGo's published values for PUCT, without noise at the root.
    pub const KATAGO: SearchConfig = SearchConfig {
        mode: Mode::Puct,
        ..SearchConfig::PAPER
    };

    /// The same search with another mode.
    #[must_use]
    pub fn in_mode(self, mode: Mode) -> SearchConfig {
        SearchConfig { mode, ..self }
    }

    /// The same search without exploration noise.
    #[must_use]
    pub fn without_noise(self) -> SearchConfig {
        SearchConfig {
            gumbel_scale: 0.0,
            puct_noise_weight: 0.0,
            ..self
        }
    }

    /// True if the search depends on the setting of this name. The number of simulations is an
    /// argument of each search, not a setting.
    #[must_use]
    pub fn depends_on(&self, name: &str) -> bool {
        match name {
            "mode" | "simulations" => false,
            "draw_score" => true,
            "puct_noise_alpha" => self.mode == Mode::Puct && self.has_root_noise(),
            _ => name.starts_with("puct_") == (self.mode == Mode::Puct),
        }
    }

    /// True if PUCT mixes Dirichlet noise into the root priors.
    pub(crate) fn has_root_noise(&self) -> bool {
        self.puct_noise_weight > 0.0
    }

    /// The number of root moves that sequential halving starts with for this many simulations: at
    /// least two, so that it compares something.
    pub(crate) fn considered(&self, simulations: u32) -> u32 {
        let affordable = (simulations / self.considered_simulations.max(1)).max(2);
        self.max_considered.min(affordable)
    }

    /// The temperature by which policy logits are divided to obtain priors.
    pub(crate) fn policy_temperature(&self) -> f32 {
        match self.mode {
            Mode::Gumbel => 1.0,
            Mode::Puct => self.puct_policy_temperature,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_budgets_consider_fewer_moves() {
        let config = SearchConfig {
            considered_simulations: 2,
            ..SearchConfig::PAPER
        };
        let considered = [1, 2, 4, 8, 32, 1000].map(|n| config.considered(n));
        assert_eq!(considered, [2, 2, 2, 4, 16, 16]);
        assert_eq!(SearchConfig::PAPER.considered(8), 8);
    }

    #[test]
    fn the_usual_search_is_that_of_the_papers_with_two_changes() {
        let papers = SearchConfig {
            considered_simulations: 2,
            puct_policy_temperature: 2.5,
            ..SearchConfig::PAPER
        };
        assert_eq!(
            SearchConfig::usual().without_noise(),
            papers.without_noise()
        );
    }

    #[test]
    fn every_setting_but_two_counts_in_a_mode() {
        let noisy = SearchConfig::usual();
        for key in SearchConfig::keys() {
            let counts = |mode| noisy.in_mode(mode).depends_on(&key.name);
            let [gumbel, puct] = [Mode::Gumbel, Mode::Puct].map(counts);
            let expected = match key.name.as_str() {
                "mode" | "simulations" => (false, false),
                "draw_score" => (true, true),
                _ => (
                    key.doc.starts_with(" gumbel:"),
                    key.doc.starts_with(" puct:"),
                ),
            };
            assert_eq!((gumbel, puct), expected, "{}", key.name);
        }
        let quiet = noisy.without_noise().in_mode(Mode::Puct);
        assert!(!quiet.depends_on("puct_noise_alpha"));
    }
}
