//! The CPU path and burn compute the same function from the same weights.

mod support;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use model::encoding::{encode, move_tokens};
use model::network::{MoveIndices, Network};
use model::{CpuEvaluator, GLOBALS, ModelConfig, PLANES, Preset, Weights};
use rules::Variant;
use search::{Batch, Evaluator};
use support::{Case, random_cases, random_weights, reference};

const TOLERANCE: f64 = 1e-4;
const N_CASES: usize = 12;

/// Win, draw, loss, then one logit per move: `[case][number]`.
type Answers = Vec<Vec<f64>>;

fn from_cpu(variant: Variant, config: &ModelConfig, weights: &Weights, cases: &[Case]) -> Answers {
    let mut evaluator = CpuEvaluator::new(variant, config, weights).expect("valid");
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

fn from_burn(config: &ModelConfig, weights: &Weights, cases: &[Case]) -> Answers {
    let device = Device::flex();
    let network = Network::new(config, weights, &device).expect("valid");
    let (n_cases, n_squares) = (cases.len(), config.n_squares);
    let n_moves = cases
        .iter()
        .map(|case| case.moves.len())
        .max()
        .expect("cases");
    let mut planes = vec![0.0; n_cases * n_squares * PLANES];
    let mut globals = vec![0.0; n_cases * GLOBALS];
    let mut pairs = vec![0; n_cases * n_moves];
    let mut captured = vec![0.0; n_cases * n_moves * n_squares];
    let inputs = planes
        .chunks_mut(n_squares * PLANES)
        .zip(globals.chunks_mut(GLOBALS));
    for (index, (case, (planes, globals))) in cases.iter().zip(inputs).enumerate() {
        encode(&case.position, case.repetitions, planes, globals);
        for (row, mv) in (index * n_moves..).zip(&case.moves) {
            let tokens = move_tokens(&case.position, *mv);
            pairs[row] = (tokens.from * n_squares + tokens.to) as i32;
            tokens
                .captured()
                .for_each(|token| captured[row * n_squares + token] = 1.0);
        }
    }
    let planes = TensorData::new(planes, [n_cases, n_squares, PLANES]);
    let globals = TensorData::new(globals, [n_cases, GLOBALS]);
    let heads = network.forward(
        Tensor::<3>::from_data(planes, &device),
        Tensor::<2>::from_data(globals, &device),
    );
    let moves = MoveIndices::new([n_cases, n_moves, n_squares], pairs, captured, &device);
    let wdl = numbers(softmax(heads.wdl, 1));
    let logits = numbers(heads.policy.logits(&moves));
    let answer = |(index, case): (usize, &Case)| {
        let logits = &logits[index * n_moves..][..case.moves.len()];
        [&wdl[index * 3..][..3], logits].concat()
    };
    cases.iter().enumerate().map(answer).collect()
}

fn numbers(tensor: Tensor<2>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
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
            let burn = from_burn(&config, &weights, &cases);
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

fn plain(config: &ModelConfig, weights: &Weights, case: &Case) -> Vec<f64> {
    let (wdl, logits) = reference(config, weights, case);
    [wdl.win, wdl.draw, wdl.loss]
        .into_iter()
        .map(f64::from)
        .chain(logits)
        .collect()
}
