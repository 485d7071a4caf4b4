//! Compares the CPU implementation and burn with the same weights.

use crate::support::{Case, random_cases, random_weights, reference};
use burn::tensor::Device;
use model::device::{BurnEvaluator, DeviceInference};
use model::{CpuEvaluator, ModelConfig, ModelWeights, Precision, Preset};
use rules::Variant;
use search::{Batch, Evaluator};

const TOLERANCE: f64 = 1e-4;
/// The tolerance for probabilities and logits, in random networks whose logits are a few units
/// wide.
const TOLERANCE_16_BITS: f64 = 5e-3;
const N_CASES: usize = 12;

/// Win, draw, loss, then one logit per move: `[case][number]`.
type Answers = Vec<Vec<f64>>;

fn answers(evaluator: &mut dyn Evaluator, cases: &[Case]) -> Answers {
    let mut batch = Batch::new();
    for case in cases {
        batch.push(&case.position, case.repetitions, &case.moves);
    }
    evaluator.evaluate(&mut batch).expect("the right variant");
    let answer = |index| {
        let wdl = batch.wdl(index);
        let logits = batch.logits(index).iter().copied();
        [wdl.win, wdl.draw, wdl.loss]
            .into_iter()
            .chain(logits)
            .map(f64::from)
            .collect()
    };
    (0..cases.len()).map(answer).collect()
}

fn from_cpu(
    variant: Variant,
    config: &ModelConfig,
    weights: &ModelWeights,
    cases: &[Case],
) -> Answers {
    let mut evaluator = CpuEvaluator::new(variant, config, weights).expect("valid");
    answers(&mut evaluator, cases)
}

fn from_burn(
    variant: Variant,
    config: &ModelConfig,
    weights: &ModelWeights,
    cases: &[Case],
) -> Answers {
    from_device(
        Device::flex(),
        Precision::F32,
        variant,
        config,
        weights,
        cases,
    )
}

fn from_device(
    device: Device,
    precision: Precision,
    variant: Variant,
    config: &ModelConfig,
    weights: &ModelWeights,
    cases: &[Case],
) -> Answers {
    // The last chunk is incomplete.
    let inference = DeviceInference {
        device,
        precision,
        batch_size: 8,
    };
    let evaluator = BurnEvaluator::new(variant, config, weights, inference);
    answers(&mut evaluator.expect("valid"), cases)
}

fn assert_close(name: &str, found: &Answers, expected: &Answers) {
    let difference = difference(found, expected);
    assert!(difference < TOLERANCE, "{name}: {difference}");
}

/// The maximum difference between two answers.
fn difference(found: &Answers, expected: &Answers) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().flatten().zip(expected.iter().flatten());
    let differences = pairs.map(|(found, expected)| (found - expected).abs());
    differences.fold(0.0, |max, difference| {
        assert!(difference.is_finite());
        f64::max(max, difference)
    })
}

#[test]
fn cpu_burn_and_reference_agree() {
    for variant in Variant::ALL {
        for preset in [Preset::Nano, Preset::Small] {
            let config = preset.for_variant(variant);
            let weights = random_weights(&config, 21);
            let cases = random_cases(variant, N_CASES, 9);
            let cpu = from_cpu(variant, &config, &weights, &cases);
            let burn = from_burn(variant, &config, &weights, &cases);
            let name = format!("{variant} {preset}");
            assert_close(&name, &cpu, &burn);
            let plain: Answers = cases
                .iter()
                .map(|case| plain(&config, &weights, case))
                .collect();
            assert_close(&name, &burn, &plain);
        }
    }
}

#[test]
fn in_16_bits_burn_differs_little() {
    for variant in Variant::GAMES {
        let config = Preset::Nano.for_variant(variant);
        let weights = random_weights(&config, 21);
        let cases = random_cases(variant, N_CASES, 9);
        let exact = from_burn(variant, &config, &weights, &cases);
        let halved = |precision| {
            let found = from_device(
                Device::flex(),
                precision,
                variant,
                &config,
                &weights,
                &cases,
            );
            difference(&found, &exact)
        };
        let rounding = halved(Precision::F16);
        assert!((1e-5..TOLERANCE_16_BITS).contains(&rounding), "{rounding}");
        assert_eq!(halved(Precision::Int8), 0.0, "burn has no 8 bits");
    }
}

#[test]
#[ignore = "needs a GPU, and its name in CROWNHEAD_TEST_DEVICE: wgpu or cuda"]
fn the_gpu_agrees() {
    let name = std::env::var("CROWNHEAD_TEST_DEVICE").expect("a device's name");
    let device = model::device::device(&name).expect("a GPU");
    for preset in [Preset::Nano, Preset::Medium] {
        for variant in Variant::GAMES {
            let config = preset.for_variant(variant);
            let weights = random_weights(&config, 21);
            let cases = random_cases(variant, N_CASES, 9);
            let cpu = from_cpu(variant, &config, &weights, &cases);
            let on_gpu = |precision| {
                let device = device.clone();
                let gpu = from_device(device, precision, variant, &config, &weights, &cases);
                difference(&gpu, &cpu)
            };
            let (exact, halved) = (on_gpu(Precision::F32), on_gpu(Precision::F16));
            println!("{variant} {preset}: {exact:.1e} in f32, {halved:.1e} in f16");
            assert!(exact < TOLERANCE && halved < TOLERANCE_16_BITS);
        }
    }
}

fn plain(config: &ModelConfig, weights: &ModelWeights, case: &Case) -> Vec<f64> {
    let (wdl, logits) = reference(config, weights, case);
    [wdl.win, wdl.draw, wdl.loss]
        .into_iter()
        .map(f64::from)
        .chain(logits)
        .collect()
}

#[test]
fn replies_of_burn_do_not_depend_on_the_batch() {
    let variant = Variant::Frisian;
    let config = Preset::Nano.for_variant(variant);
    let weights = random_weights(&config, 4);
    let cases = random_cases(variant, 5, 3);
    let together = from_burn(variant, &config, &weights, &cases);
    for (case, expected) in cases.chunks(1).zip(together) {
        assert_eq!(from_burn(variant, &config, &weights, case), [expected]);
    }
}
