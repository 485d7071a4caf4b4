//! Construction of agents.

use std::sync::Arc;

use ::alphabeta::{Evaluation, MaterialBalance, Resources};
use engine::defaults::{CACHE_MEMORY, USUAL_NODES};
use engine::{AlphaBetaConfig, AlphaBetaPlayer, SearchPlayer, WithEvaluation};
use model::{CpuEvaluator, InstructionSet, Model};
use rules::Variant;
use search::{Cached, Evaluator};
use types::{Seed, Strength};

use super::{Member, PlayerKind, Tree, TreeSearch};
use crate::shared::Shared;
use crate::{Error, Options};

impl Member {
    /// Tree search with a network.
    ///
    /// # Errors
    /// If the network cannot be computed, or the requested strength is out of range.
    pub(crate) fn network(
        name: String,
        model: &Model,
        options: &Options,
        search: TreeSearch,
    ) -> Result<Self, Error> {
        let config = search.config;
        // The last instruction set is the one that all processors have.
        let portable = InstructionSet::available()
            .last()
            .filter(|_| options.portable);
        let instructions = portable.unwrap_or_else(InstructionSet::best);
        let evaluator = CpuEvaluator::with_instructions(
            model.variant,
            &model.config,
            &model.weights,
            options.precision,
            instructions,
        );
        let evaluator = evaluator.map_err(|source| Error::Model {
            name: name.clone(),
            source,
        })?;
        let agent = Self::tree(name, model.variant, Box::new(evaluator), search);
        agent.with_strength(&model.strength, options, |handicap, agent| {
            let PlayerKind::Tree(tree) = &agent.kind else {
                return None;
            };
            // Limited strengths were measured with the network alone.
            let cached = Cached::new(tree.network.clone(), CACHE_MEMORY);
            let player = SearchPlayer::new(agent.name.clone(), cached, config);
            Some(Box::new(player.with_handicap(Some(handicap))))
        })
    }

    /// Tree search with any evaluator, such as another program's network.
    pub(crate) fn tree(
        name: String,
        variant: Variant,
        network: Box<dyn Evaluator + Send>,
        search: TreeSearch,
    ) -> Self {
        let network = Shared::new(network);
        let evaluator = match search.evaluation {
            None => network.clone(),
            Some(evaluation) => {
                Shared::new(Box::new(WithEvaluation::new(network.clone(), evaluation)))
            }
        };
        let cached = Cached::new(evaluator.clone(), CACHE_MEMORY);
        let tree = Tree {
            player: SearchPlayer::new(name.clone(), cached, search.config),
            network,
            evaluator,
            search: search.config,
        };
        Self::new(name, variant, PlayerKind::Tree(Box::new(tree)))
    }

    /// Alpha-beta search with a learned evaluation.
    ///
    /// # Errors
    /// If the requested strength is out of range.
    pub(crate) fn evaluation(
        name: String,
        network: Arc<nnue::Network>,
        options: &Options,
    ) -> Result<Self, Error> {
        let variant = network.variant();
        let agent = Self::alpha_beta(name, variant, Arc::clone(&network), options);
        agent.with_strength(network.strength(), options, |handicap, agent| {
            let config = alpha_beta_config(&Options {
                threads: 1,
                ..*options
            });
            let player = AlphaBetaPlayer::new(agent.name.clone(), Arc::clone(&network), config);
            Some(Box::new(player.with_handicap(Some(handicap))))
        })
    }

    /// Alpha-beta search that counts material: it plays every variant without training.
    pub(crate) fn material(name: String, variant: Variant, options: &Options) -> Self {
        Self::alpha_beta(name, variant, MaterialBalance, options)
    }

    fn alpha_beta<E: Evaluation + 'static>(
        name: String,
        variant: Variant,
        evaluation: E,
        options: &Options,
    ) -> Self {
        let player = AlphaBetaPlayer::new(name.clone(), evaluation, alpha_beta_config(options));
        Self::new(name, variant, PlayerKind::AlphaBeta(Box::new(player)))
    }

    pub(crate) fn new(name: String, variant: Variant, kind: PlayerKind) -> Self {
        Self {
            name,
            variant,
            kind,
            strength: Strength::default(),
            limited: None,
            seed: Seed::new(0),
        }
    }
}

fn alpha_beta_config(options: &Options) -> AlphaBetaConfig {
    AlphaBetaConfig {
        resources: Resources {
            table_bytes: options.hash.max(1) << 20,
            threads: options.threads.max(1),
        },
        depth: None,
        nodes: None,
        usual_nodes: USUAL_NODES,
    }
}
