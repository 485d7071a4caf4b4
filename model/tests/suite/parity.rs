//! Compares the CPU implementation and burn with the same weights.

use crate::support::{Case, random_cases, random_weights, reference};
use burn::tensor::Device;
use model::device::{BurnEvaluator, Convolution, DeviceInference};
use model::{CpuEvaluator, ModelConfig, ModelWeights, Precision, Preset};
use rules::Variant;
use search::{Batch, Evaluator};

/// The tolerance for logits and probabilities of networks in 32 bits.
const TOLERANCE: f64 = 1e-4;
/// The tolerance for probabilities in 16 bits.
const SIXTEEN_BITS: [(Precision, f64); 2] = [(Precision::F16, 5e-3), (Precision::Bf16, 2e-2)];
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
    from_device(on(Device::flex()), variant, config, weights, cases)
}

/// Inference in 32 bits. The last chunk is incomplete.
fn on(device: Device) -> DeviceInference {
    DeviceInference::new(device, 8)
}

fn from_device(
    inference: DeviceInference,
    variant: Variant,
    config: &ModelConfig,
    weights: &ModelWeights,
    cases: &[Case],
) -> Answers {
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

/// The maximum difference of a probability of a result or a move.
fn difference_of_probabilities(found: &Answers, expected: &Answers) -> f64 {
    let probabilities = |answers: &Answers| -> Answers {
        let of = |answer: &Vec<f64>| {
            let logits: Vec<f32> = answer[3..].iter().map(|&logit| logit as f32).collect();
            [&answer[..3], &types::softmax_f64(&logits)].concat()
        };
        answers.iter().map(of).collect()
    };
    difference(&probabilities(found), &probabilities(expected))
}

/// Compares a device with the processor in all precisions, with these ways of convolution.
fn assert_device_agrees(
    device: &Device,
    variant: Variant,
    preset: Preset,
    convolutions: &[Convolution],
) {
    let config = preset.for_variant(variant);
    let weights = random_weights(&config, 21);
    let cases = random_cases(variant, N_CASES, 9);
    let cpu = from_cpu(variant, &config, &weights, &cases);
    for &convolution in convolutions {
        let with = |precision| {
            let inference = DeviceInference {
                precision,
                convolution: Some(convolution),
                ..on(device.clone())
            };
            from_device(inference, variant, &config, &weights, &cases)
        };
        let name = format!("{variant} {preset} {convolution:?}");
        let exact = with(Precision::F32);
        assert_close(&name, &exact, &cpu);
        assert_eq!(with(Precision::Int8), exact, "burn has no 8 bits");
        for (precision, tolerance) in SIXTEEN_BITS {
            let rounding = difference_of_probabilities(&with(precision), &cpu);
            assert!(rounding < tolerance, "{name} {precision}: {rounding}");
        }
    }
}

#[test]
fn all_precisions_and_convolutions_agree_with_the_cpu() {
    for variant in Variant::GAMES {
        assert_device_agrees(&Device::flex(), variant, Preset::Nano, &Convolution::ALL);
    }
}

/// A device without a precision would pass the test above in 32 bits.
#[test]
fn sixteen_bits_are_used() {
    let variant = Variant::English;
    let config = Preset::Nano.for_variant(variant);
    let weights = random_weights(&config, 21);
    let cases = random_cases(variant, N_CASES, 9);
    let exact = from_burn(variant, &config, &weights, &cases);
    for ((precision, _), least) in SIXTEEN_BITS.into_iter().zip([1e-5, 1e-4]) {
        let inference = DeviceInference {
            precision,
            ..on(Device::flex())
        };
        let rounded = from_device(inference, variant, &config, &weights, &cases);
        let rounding = difference_of_probabilities(&rounded, &exact);
        assert!(rounding > least, "{precision}: {rounding}");
    }
}

/// The device that the environment names.
fn gpu() -> Device {
    let name = std::env::var("CROWNHEAD_TEST_DEVICE").expect("a device's name");
    model::device::device(&name).expect("a GPU")
}

#[test]
#[ignore = "needs a GPU, and its name in CROWNHEAD_TEST_DEVICE: wgpu or cuda"]
fn the_gpu_agrees() {
    for preset in [Preset::Nano, Preset::Medium] {
        for variant in Variant::GAMES {
            assert_device_agrees(&gpu(), variant, preset, &Convolution::ALL);
        }
    }
}

/// Boards, taps and channels of all sizes, in half a minute.
#[test]
#[ignore = "needs a GPU, and its name in CROWNHEAD_TEST_DEVICE: wgpu or cuda"]
fn the_gpu_agrees_with_our_kernel() {
    for (variant, preset) in [
        (Variant::English, Preset::Nano),
        (Variant::Frisian, Preset::Nano),
        (Variant::International, Preset::Small),
        (Variant::English, Preset::Large),
    ] {
        assert_device_agrees(&gpu(), variant, preset, &[Convolution::Fused]);
    }
}

#[test]
#[ignore = "needs a GPU, and its name in CROWNHEAD_TEST_DEVICE: wgpu or cuda"]
fn the_way_that_a_gpu_chooses_agrees() {
    let variant = Variant::English;
    let config = Preset::Nano.for_variant(variant);
    let weights = random_weights(&config, 21);
    let cases = random_cases(variant, N_CASES, 9);
    let cpu = from_cpu(variant, &config, &weights, &cases);
    let from_chosen = |inference| from_device(inference, variant, &config, &weights, &cases);
    let chosen = from_chosen(on(gpu()));
    assert_close("chosen", &chosen, &cpu);
    let again = from_chosen(on(gpu()));
    assert_eq!(again, chosen, "another evaluator of this process");
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
