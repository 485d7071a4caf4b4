//! Compares CPU inference with the plain reference, for every instruction set of this machine.

use crate::support::{Case, random_cases, random_weights, reference};
use model::{CpuEvaluator, Inputs, InstructionSet, ModelConfig, ModelWeights, Precision, Preset};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use search::{Batch, Evaluator};
use types::Wdl;

fn push(batch: &mut Batch, case: &Case) -> usize {
    batch.push(&case.position, case.repetitions, &case.moves)
}

fn assert_agrees(variant: Variant, config: &ModelConfig, weights: &ModelWeights, cases: &[Case]) {
    let expected: Vec<_> = cases
        .iter()
        .map(|case| reference(config, weights, case))
        .collect();
    for instructions in InstructionSet::available() {
        let mut evaluator =
            CpuEvaluator::with_instructions(variant, config, weights, Precision::F32, instructions)
                .expect("valid");
        let mut batch = Batch::new();
        cases.iter().for_each(|case| _ = push(&mut batch, case));
        evaluator.evaluate(&mut batch).expect("the right variant");
        for (index, (wdl, logits)) in expected.iter().enumerate() {
            let name = format!("{variant} {instructions:?} {}", cases[index].position);
            let found = batch.wdl(index);
            for (found, wdl) in [(found.win, wdl.win), (found.draw, wdl.draw)] {
                assert!((found - wdl).abs() < 1e-4, "{name}: {found} {wdl}");
            }
            for (found, logit) in batch.logits(index).iter().zip(logits) {
                assert!(
                    (f64::from(*found) - logit).abs() < 1e-4,
                    "{name}: {found} {logit}"
                );
            }
        }
    }
}

#[test]
fn presets_agree_with_the_reference() {
    for variant in Variant::ALL {
        for preset in [Preset::Nano, Preset::Small] {
            let config = preset.for_variant(variant);
            let weights = random_weights(&config, 11);
            assert_agrees(variant, &config, &weights, &random_cases(variant, 11, 5));
        }
    }
}

#[test]
fn a_network_that_grows_computes_the_same() {
    for variant in [Variant::English, Variant::Frisian] {
        let small = ModelConfig {
            inputs: Inputs::Pieces,
            ..Preset::Nano.for_variant(variant)
        };
        let large = ModelConfig {
            inputs: Inputs::Exchanges,
            channels: 96,
            blocks: small.blocks + 2,
            value_channels: small.value_channels + 3,
            value_hidden: 96,
            ..small.clone()
        };
        let trained = random_weights(&small, 4);
        // All new parts compute something, as after some training.
        let grown = random_weights(&large, 5).grown_from(&large, &small, &trained);
        let mut grown = grown.expect("there is room");
        for block in small.blocks..large.blocks {
            for part in ["weight", "bias"] {
                let name = format!("blocks.{block}.conv2.{part}");
                let shape = grown.get(&name).expect("a tensor").shape.clone();
                let zeros = vec![0.0; shape.iter().product()];
                grown.insert(name, shape, zeros);
            }
        }
        grown.check(&large).expect("all tensors");
        for case in random_cases(variant, 6, 8) {
            let (before, after) = (
                reference(&small, &trained, &case),
                reference(&large, &grown, &case),
            );
            assert_eq!(before, after, "{variant} {}", case.position);
        }
        let again = random_weights(&small, 6).grown_from(&small, &small, &trained);
        assert_eq!(again.as_ref(), Some(&trained));
        let longer = Preset::Medium.for_variant(variant);
        let longer = random_weights(&longer, 7).grown_from(&longer, &small, &trained);
        assert_eq!(longer, None);
    }
}

/// Shapes other than the presets, which cover all edge cases of packing.
#[test]
fn odd_shapes_agree_with_the_reference() {
    let shapes = [
        (1, 1, 1, 1),
        (2, 17, 31, 33),
        (3, 32, 33, 40),
        (1, 50, 64, 65),
    ];
    for (blocks, policy_dim, value_channels, value_hidden) in shapes {
        for (variant, n_taps, channels) in [
            (Variant::English, 9, 32),
            (Variant::Thai, 5, 96),
            (Variant::Frisian, 5, 32),
        ] {
            let config = ModelConfig {
                n_taps,
                channels,
                blocks,
                policy_dim,
                value_channels,
                value_hidden,
                ..Preset::Nano.for_variant(variant)
            };
            let weights = random_weights(&config, 3);
            assert_agrees(variant, &config, &weights, &random_cases(variant, 3, 8));
        }
    }
}

fn replies(evaluator: &mut CpuEvaluator, cases: &[Case]) -> Vec<(Wdl, Vec<f32>)> {
    let mut batch = Batch::new();
    cases.iter().for_each(|case| _ = push(&mut batch, case));
    evaluator.evaluate(&mut batch).expect("the right variant");
    let reply = |index| (batch.wdl(index), batch.logits(index).to_vec());
    (0..cases.len()).map(reply).collect()
}

#[test]
fn a_reply_never_depends_on_the_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for variant in [Variant::English, Variant::Frisian] {
        let config = Preset::Nano.for_variant(variant);
        let weights = random_weights(&config, 4);
        let kinds = InstructionSet::available().flat_map(|i| Precision::OF_CPU.map(|p| (p, i)));
        for (precision, instructions) in kinds {
            let mut evaluator = CpuEvaluator::with_instructions(
                variant,
                &config,
                &weights,
                precision,
                instructions,
            )
            .expect("valid");
            let mut cases = random_cases(variant, 40, 6);
            let alone: Vec<_> = cases
                .chunks(1)
                .flat_map(|case| replies(&mut evaluator, case))
                .collect();
            let mut numbered: Vec<_> = cases.drain(..).zip(alone).collect();
            for n_cases in [40, 33, 7, 2] {
                numbered.shuffle(&mut rng);
                let (cases, expected): (Vec<_>, Vec<_>) = numbered.drain(..).unzip();
                let found = replies(&mut evaluator, &cases[..n_cases]);
                assert_eq!(found, expected[..n_cases], "{precision} {instructions:?}");
                numbered.extend(cases.into_iter().zip(expected));
            }
        }
    }
}

/// The tolerance of 8 bits with random weights, in probabilities and logits.
const INT8_TOLERANCE: f32 = 0.05;

#[test]
fn int8_is_close_to_f32_and_the_same_in_all_vector_instructions() {
    for variant in Variant::ALL {
        for preset in [Preset::Nano, Preset::Small] {
            let config = preset.for_variant(variant);
            let weights = random_weights(&config, 11);
            let cases = random_cases(variant, 11, 5);
            let with = |precision, instructions| {
                let evaluator = CpuEvaluator::with_instructions(
                    variant,
                    &config,
                    &weights,
                    precision,
                    instructions,
                );
                replies(&mut evaluator.expect("valid"), &cases)
            };
            let exact = with(Precision::F32, InstructionSet::best());
            let best = with(Precision::Int8, InstructionSet::best());
            for instructions in InstructionSet::available() {
                let found = with(Precision::Int8, instructions);
                let name = format!("{variant} {preset} {instructions:?}");
                for (found, expected) in found.iter().zip(&exact) {
                    assert_close(&name, found, expected);
                }
                // Portable code does not always use fused multiply-add.
                assert!(instructions.name() == "portable" || found == best, "{name}");
            }
        }
    }
}

fn assert_close(name: &str, found: &(Wdl, Vec<f32>), expected: &(Wdl, Vec<f32>)) {
    let numbers =
        |(wdl, logits): &(Wdl, Vec<f32>)| [&[wdl.win, wdl.draw], logits.as_slice()].concat();
    for (found, expected) in numbers(found).into_iter().zip(numbers(expected)) {
        let difference = (found - expected).abs();
        assert!(difference < INT8_TOLERANCE, "{name}: {found} {expected}");
    }
}

#[test]
fn another_variant_is_refused() {
    let config = Preset::Nano.for_variant(Variant::English);
    let weights = random_weights(&config, 4);
    let error = CpuEvaluator::new(Variant::Frisian, &config, &weights)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "a network of 32 squares cannot play frisian: its board has 50"
    );
    let mut evaluator = CpuEvaluator::new(Variant::English, &config, &weights).unwrap();
    let mut batch = Batch::new();
    push(&mut batch, &random_cases(Variant::Thai, 1, 1)[0]);
    let error = evaluator.evaluate(&mut batch).unwrap_err().to_string();
    assert!(
        error.contains("a model of english cannot play thai"),
        "{error}"
    );
}
