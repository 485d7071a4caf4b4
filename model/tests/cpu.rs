//! CPU inference against the plain reference, in every instruction set of this machine.

mod support;

use model::{CpuEvaluator, Instructions, ModelConfig, Preset, Weights};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use search::{Batch, Evaluator};
use support::{Case, random_cases, random_weights, reference};

fn push(batch: &mut Batch, case: &Case) -> usize {
    batch.push(&case.position, case.repetitions, &case.moves)
}

fn assert_agrees(variant: Variant, config: &ModelConfig, weights: &Weights, cases: &[Case]) {
    let expected: Vec<_> = cases
        .iter()
        .map(|case| reference(config, weights, case))
        .collect();
    for instructions in Instructions::available() {
        let mut evaluator =
            CpuEvaluator::with_instructions(variant, config, weights, instructions).expect("valid");
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

/// Shapes that are no preset: every edge of the packing.
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

#[test]
fn a_reply_never_depends_on_the_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for variant in [Variant::English, Variant::Frisian] {
        let config = Preset::Nano.for_variant(variant);
        let weights = random_weights(&config, 4);
        for instructions in Instructions::available() {
            let mut evaluator =
                CpuEvaluator::with_instructions(variant, &config, &weights, instructions)
                    .expect("valid");
            let mut cases = random_cases(variant, 40, 6);
            let mut alone = Vec::new();
            let mut batch = Batch::new();
            for (number, case) in cases.iter().enumerate() {
                batch.clear();
                push(&mut batch, case);
                evaluator.evaluate(&mut batch).unwrap();
                alone.push((number, batch.wdl(0), batch.logits(0).to_vec()));
            }
            for n_cases in [40, 33, 7, 2] {
                let mut order: Vec<usize> = (0..cases.len()).collect();
                order.shuffle(&mut rng);
                order.truncate(n_cases);
                batch.clear();
                order
                    .iter()
                    .for_each(|&number| _ = push(&mut batch, &cases[number]));
                evaluator.evaluate(&mut batch).unwrap();
                for (index, number) in order.into_iter().enumerate() {
                    assert_eq!(batch.wdl(index), alone[number].1);
                    assert_eq!(batch.logits(index), alone[number].2);
                }
            }
            cases.clear();
        }
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
        "play frisian with a network of 32 squares: its board has 50"
    );
    let mut evaluator = CpuEvaluator::new(Variant::English, &config, &weights).unwrap();
    let mut batch = Batch::new();
    push(&mut batch, &random_cases(Variant::Thai, 1, 1)[0]);
    let error = evaluator.evaluate(&mut batch).unwrap_err().to_string();
    assert!(
        error.contains("play thai with a model of english"),
        "{error}"
    );
}
