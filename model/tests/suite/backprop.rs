//! The gradients of a training step, with all instruction sets.

use crate::support::{Case, random_cases, random_weights};
use model::cpu::backprop::{Layers, Tape};
use model::encoding::{encode, move_tokens};
use model::{GLOBALS, HeadId, InstructionSet, ModelConfig, ModelWeights, Preset, StepPrecision};
use ndarray::{Array2, Array3, Axis};
use rules::Variant;

/// The gradients of an artificial loss.
fn gradients(
    instructions: InstructionSet,
    precision: StepPrecision,
    config: &ModelConfig,
    weights: &ModelWeights,
    cases: &[Case],
) -> ModelWeights {
    let layers = Layers::new(config, weights, instructions, precision).expect("valid");
    let mut planes = Array3::zeros((cases.len(), config.n_squares, config.n_planes()));
    let mut globals = Array2::zeros((cases.len(), GLOBALS));
    let inputs = planes
        .axis_iter_mut(Axis(0))
        .zip(globals.axis_iter_mut(Axis(0)));
    for (case, (planes, globals)) in cases.iter().zip(inputs) {
        let planes = planes.into_slice().expect("adjacent");
        let globals = globals.into_slice().expect("adjacent");
        encode(
            config.inputs,
            &case.position,
            case.repetitions,
            planes,
            globals,
        );
    }
    let (mut tape, mut gradient) = (Tape::new(&layers), layers.zero_gradient());
    tape.forward(&layers, planes.view(), globals.view());
    for (position, case) in cases.iter().enumerate() {
        let tokens = |&mv| move_tokens(&case.position, mv);
        let moves: Vec<_> = case.moves.iter().map(tokens).collect();
        let mut logits = vec![0.0; moves.len()];
        tape.score(&layers, HeadId::POLICY, position, &moves, &mut logits);
        tape.score_back(&layers, HeadId::POLICY, position, &moves, &logits);
        let value = tape.outputs(&layers, HeadId::VALUE, position).to_vec();
        tape.set_outputs_gradient(&layers, HeadId::VALUE, position, &value);
    }
    tape.backward(&layers, &mut gradient);
    layers.sum([&gradient])
}

#[test]
fn instruction_sets_agree() {
    for (variant, preset) in [
        (Variant::English, Preset::Nano),
        (Variant::Ringboard, Preset::Small),
    ] {
        let config = preset.for_variant(variant);
        let weights = random_weights(&config, 5);
        let cases = random_cases(variant, 7, 2);
        let results: Vec<_> = InstructionSet::available()
            .map(|instructions| {
                let f32 = StepPrecision::F32;
                let gradient = gradients(instructions, f32, &config, &weights, &cases);
                (instructions.name(), gradient)
            })
            .collect();
        for pair in results.windows(2) {
            let [(first, expected), (second, found)] = pair else {
                unreachable!("windows of two");
            };
            for ((name, expected), (_, found)) in expected.iter().zip(found.iter()) {
                let largest = expected
                    .values
                    .iter()
                    .fold(0.0f32, |max, g| max.max(g.abs()));
                for (expected, found) in expected.values.iter().zip(&found.values) {
                    let error = (expected - found).abs();
                    assert!(error <= 1e-4 * largest, "{name}: {first} {second} {error}");
                    // Both use fused multiply-add and the same order of summation.
                    assert!(error == 0.0 || *second == "portable", "{name}: {error}");
                }
            }
        }
    }
}

/// Without bf16 instructions, both are the same.
#[test]
fn gradients_in_bf16_point_the_same_way() {
    for variant in [Variant::English, Variant::Frisian] {
        let config = Preset::Nano.for_variant(variant);
        let weights = random_weights(&config, 5);
        let cases = random_cases(variant, 8, 2);
        let [exact, rounded] = [StepPrecision::F32, StepPrecision::Bf16].map(|precision| {
            let best = InstructionSet::best();
            gradients(best, precision, &config, &weights, &cases)
        });
        for ((name, exact), (_, rounded)) in exact.iter().zip(rounded.iter()) {
            let product = |a: &[f32], b: &[f32]| -> f64 {
                let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
                products.sum()
            };
            let (exact, rounded) = (&exact.values, &rounded.values);
            let lengths = product(exact, exact) * product(rounded, rounded);
            let cosine = product(exact, rounded) / lengths.sqrt();
            assert!(
                lengths == 0.0 || cosine > 0.999,
                "{variant} {name}: {cosine}"
            );
        }
    }
}
