//! Throughput of a device, and the deviation of its answers from the processor's.
//!
//! `cargo bench -p crownhead-model --features vulkan --bench device -- wgpu medium f16 4096 fused
//! frisian`: the device, the preset, the precision, the positions per batch, the convolutions, and
//! the game. Convolutions are `gathered`, `fused` or the `fastest`. A device compiles or
//! tunes its kernels with the first batch.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod support;

use std::time::{Duration, Instant};

use burn::tensor::{Int, Tensor, TensorData, Transaction};
use model::device::{BurnEvaluator, Convolution, DeviceInference, DeviceNetwork, device};
use model::encoding::Features;
use model::{CpuEvaluator, GLOBALS, ModelConfig, ModelWeights, Precision, Preset};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Position, Variant};
use search::{Batch, Evaluator};

/// The time for which each step is repeated.
const TIME: Duration = Duration::from_secs(2);

fn main() {
    let asked = support::names();
    let argument = |index: usize, default| asked.get(index).map_or(default, String::as_str);
    let device = device(argument(0, "flex")).expect("one of the devices of this build");
    let preset: Preset = argument(1, "nano").parse().expect("a preset");
    let n_positions: usize = argument(3, "64").parse().expect("a number of positions");
    let inference = DeviceInference {
        device: device.clone(),
        precision: match argument(2, "f32") {
            "f16" => Precision::F16,
            "bf16" => Precision::Bf16,
            _ => Precision::F32,
        },
        convolution: match argument(4, "fastest") {
            "gathered" => Some(Convolution::Gathered),
            "fused" => Some(Convolution::Fused),
            _ => None,
        },
        batch_size: n_positions,
    };
    let variant: Variant = argument(5, "english").parse().expect("a game");
    let config = preset.for_variant(variant);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let weights = ModelWeights::initial(&config, &mut rng);
    let positions = support::random_positions(variant, n_positions, &mut rng);

    timed("encoding, one thread", n_positions, || {
        for position in &positions {
            std::hint::black_box(Features::new(config.inputs, position, 0));
        }
    });
    let network = DeviceNetwork::new(&config, &weights, &inference).expect("weights of this shape");
    let zeros = |shape: [usize; 3]| {
        let values = vec![0.0f32; shape.iter().product()];
        Tensor::<3>::from_data(TensorData::new(values, shape), &device)
    };
    let planes = zeros([n_positions, config.n_squares, config.n_planes()]);
    let globals = zeros([1, n_positions, GLOBALS]).squeeze_dim(0);
    let pairs = Tensor::<2, Int>::zeros([n_positions, 32], &device);
    timed("the network, to its answers", n_positions, || {
        let (policy, wdl) = network.answer(planes.clone(), globals.clone());
        let answers = Transaction::default()
            .register(wdl)
            .register(policy.captured.clone())
            .register(policy.scores(pairs.clone()));
        answers.try_execute().expect("a device that works");
    });
    let mut evaluator =
        BurnEvaluator::new(variant, &config, &weights, inference).expect("weights of this shape");
    let mut batch = batch_of(&positions);
    timed("all of an evaluation", n_positions, || {
        evaluator.evaluate(&mut batch).expect("a device that works");
    });
    println!(
        "greatest difference from the processor: {:.1e}",
        difference(&batch, &positions, &config, &weights)
    );
}

/// Repeats a step; prints the time of the first run and the mean of the others.
fn timed(name: &str, n_positions: usize, mut step: impl FnMut()) {
    let start = Instant::now();
    step();
    let first = start.elapsed().as_secs_f64();
    let (start, mut n_steps) = (Instant::now(), 0);
    while n_steps == 0 || start.elapsed() < TIME {
        step();
        n_steps += 1;
    }
    let each = start.elapsed().as_secs_f64() / f64::from(n_steps);
    println!(
        "{name:30} {:9.3} ms {:10.0} positions/s, the first {first:.2} s",
        1e3 * each,
        n_positions as f64 / each,
    );
}

fn batch_of(positions: &[Position]) -> Batch {
    let mut batch = Batch::new();
    for position in positions {
        batch.push(position, 0, &position.legal_moves());
    }
    batch
}

/// The largest difference of a probability or logit from the processor's f32 result.
///
/// # Panics
/// If an answer is not finite.
fn difference(
    found: &Batch,
    positions: &[Position],
    config: &ModelConfig,
    weights: &ModelWeights,
) -> f32 {
    let mut exact = batch_of(positions);
    let evaluator = CpuEvaluator::new(positions[0].variant(), config, weights);
    let mut evaluator = evaluator.expect("weights of this shape");
    evaluator.evaluate(&mut exact).expect("legal positions");
    let numbers = |batch: &Batch, index| {
        let wdl = batch.wdl(index);
        let mut numbers = vec![wdl.win, wdl.draw, wdl.loss];
        numbers.extend_from_slice(batch.logits(index));
        numbers
    };
    let differences = (0..positions.len()).flat_map(|index| {
        let pairs = numbers(found, index)
            .into_iter()
            .zip(numbers(&exact, index));
        pairs.map(|(found, exact)| {
            let difference = (found - exact).abs();
            assert!(difference.is_finite(), "{found} for {exact}");
            difference
        })
    });
    differences.fold(0.0, f32::max)
}
