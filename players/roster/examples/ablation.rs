//! Ablation of alpha-beta search settings: the bundled evaluation with a changed setting against
//! itself without the change.
//!
//! ```text
//! ablation VARIANT NODES PAIRS [SETTING=VALUE,SETTING=VALUE ...]
//! ```
//!
//! Each argument after the number of pairs is one change of [`Parameters::of`] the game; Elo is
//! positive if the change helps.

#![expect(clippy::print_stdout, reason = "its result is what it prints")]

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use alphabeta::{Parameters, Resources};
use engine::{AlphaBetaConfig, AlphaBetaPlayer};
use eval::{Arena, PlayerFactory, openings, play_match};
use nnue::Network;
use roster::EvaluationSource;
use rules::Variant;
use types::Seed;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, nodes, pairs, changes @ ..] = arguments.as_slice() else {
        return Err("usage: ablation VARIANT NODES PAIRS [SETTING=VALUE,... ...]".into());
    };
    let (variant, nodes): (Variant, u64) = (variant.parse()?, nodes.parse()?);
    let network = Arc::new(EvaluationSource::Bundled(None).load(variant)?);
    let openings = openings::sample(variant, pairs.parse()?, Seed::new(1));
    let never = AtomicBool::new(false);
    let arena = Arena {
        pairs_at_once: 1,
        ..Arena::new(Seed::new(1), available_parallelism()?.get(), &never)
    };
    let base = player(&network, Parameters::of(variant), nodes);
    for change in changes {
        let changed = player(&network, changed(variant, change)?, nodes);
        let result = play_match([&changed, &base], &openings, &arena, &mut |_| {
            ControlFlow::Continue(())
        })?;
        let counts = result.total();
        println!(
            "{change}: {} won, {} drawn, {} lost, Elo {}",
            counts.wins,
            counts.draws,
            counts.losses,
            result.elo()
        );
    }
    Ok(())
}

/// The settings of a game with some of them changed.
fn changed(variant: Variant, changes: &str) -> Result<Parameters, Box<dyn Error>> {
    let mut parameters = Parameters::of(variant);
    for change in changes.split(',') {
        let (name, value) = change
            .split_once('=')
            .ok_or_else(|| format!("`{change}` is not SETTING=VALUE"))?;
        let Parameters {
            table_cutoffs: _,
            aspiration,
            reduction_base,
            reduction_divisor,
            static_margin,
            static_depth,
            futility_margin,
            futility_depth,
            probcut_margin,
            probcut_reduction,
            unknown_move_depth,
            singular_depth,
            singular_margin,
            forced_extensions,
            threat_plies,
        } = &mut parameters;
        let setting = match name {
            "aspiration" => aspiration,
            "reduction_base" => reduction_base,
            "reduction_divisor" => reduction_divisor,
            "static_margin" => static_margin,
            "static_depth" => static_depth,
            "futility_margin" => futility_margin,
            "futility_depth" => futility_depth,
            "probcut_margin" => probcut_margin,
            "probcut_reduction" => probcut_reduction,
            "unknown_move_depth" => unknown_move_depth,
            "singular_depth" => singular_depth,
            "singular_margin" => singular_margin,
            "forced_extensions" => forced_extensions,
            "threat_plies" => threat_plies,
            _ => return Err(format!("there is no setting `{name}`").into()),
        };
        *setting = value.parse()?;
    }
    Ok(parameters)
}

fn player(network: &Arc<Network>, parameters: Parameters, nodes: u64) -> PlayerFactory<'static> {
    let network = Arc::clone(network);
    PlayerFactory::new("", move || {
        let config = AlphaBetaConfig {
            resources: Resources {
                table_bytes: 16 << 20,
                threads: 1,
            },
            depth: None,
            nodes: Some(nodes),
            usual_nodes: nodes,
        };
        let player = AlphaBetaPlayer::new("ab", Arc::clone(&network), config);
        Ok(Box::new(player.with_parameters(parameters)))
    })
}
