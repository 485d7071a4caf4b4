//! The CPU path and burn compute the same function from the same weights.

mod support;

use burn::tensor::Device;
use model::network::BurnEvaluator;
use model::{CpuEvaluator, ModelConfig, Preset, Weights};
use rules::Variant;
use search::{Batch, Evaluator};
use support::{Case, random_cases, random_weights, reference};

const TOLERANCE: f64 = 1e-4;
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

fn from_cpu(variant: Variant, config: &ModelConfig, weights: &Weights, cases: &[Case]) -> Answers {
    let mut evaluator = CpuEvaluator::new(variant, config, weights).expect("valid");
    answers(&mut evaluator, cases)
}

fn from_burn(variant: Variant, config: &ModelConfig, weights: &Weights, cases: &[Case]) -> Answers {
    from_device(Device::flex(), variant, config, weights, cases)
}

fn from_device(
    device: Device,
    variant: Variant,
    config: &ModelConfig,
    weights: &Weights,
    cases: &[Case],
) -> Answers {
    // The last chunk is not full.
    let evaluator = BurnEvaluator::new(variant, config, weights, device, 8);
    answers(&mut evaluator.expect("valid"), cases)
}

fn assert_close(name: &str, found: &Answers, expected: &Answers) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!(
            (found - expected).abs() < TOLERANCE,
            "{name}: {found} {expected}"
        );
    }
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
#[cfg(feature = "wgpu")]
#[ignore = "needs a device of Vulkan, Metal or DirectX"]
fn the_gpu_agrees() {
    for variant in Variant::GAMES {
        for preset in [Preset::Nano, Preset::Medium] {
            let config = preset.for_variant(variant);
            let weights = random_weights(&config, 21);
            let cases = random_cases(variant, N_CASES, 9);
            let device = model::network::device("wgpu").expect("a build with wgpu");
            let gpu = from_device(device, variant, &config, &weights, &cases);
            let cpu = from_cpu(variant, &config, &weights, &cases);
            assert_close(&format!("{variant} {preset}"), &gpu, &cpu);
        }
    }
}

fn plain(config: &ModelConfig, weights: &Weights, case: &Case) -> Vec<f64> {
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
