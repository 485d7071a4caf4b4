//! Targets of the heads.

use model::backend::LearnerShape;
use model::batch::{HeadTarget, TrainBatch};
use model::encoding::{MoveTokens, encode, move_tokens};
use model::heads::{Kind, Target};
use model::{GLOBALS, HeadId, PerHead};
use ndarray::{Array2, Array3};
use rayon::prelude::*;
use store::Sample;

use crate::TrainError;

/// Encodes samples and the targets of the network's heads. `root_fraction` is the share of the
/// searched value in the value target.
///
/// # Errors
/// [`TrainError::Sample`] for a sample from another board, or with targets for other moves.
pub(crate) fn batch(
    samples: &[Sample],
    shape: &LearnerShape,
    root_fraction: f32,
) -> Result<TrainBatch, TrainError> {
    let (n_squares, n_planes) = (shape.config.n_squares, shape.config.n_planes());
    let mut batch = TrainBatch {
        planes: Array3::zeros((samples.len(), n_squares, n_planes)),
        globals: Array2::zeros((samples.len(), GLOBALS)),
        ..TrainBatch::default()
    };
    let reason = "a new array's rows are adjacent";
    let planes = batch.planes.as_slice_mut().expect(reason);
    let globals = batch.globals.as_slice_mut().expect(reason);
    let inputs = planes.par_chunks_exact_mut(n_squares * n_planes);
    let inputs = inputs.zip(globals.par_chunks_exact_mut(GLOBALS));
    let lessons = inputs.zip(samples).map(|((planes, globals), sample)| {
        check(sample, shape)?;
        let (inputs, repetitions) = (shape.config.inputs, u32::from(sample.repetitions));
        encode(inputs, &sample.position, repetitions, planes, globals);
        Ok(Lesson::new(sample, shape, root_fraction))
    });
    for lesson in lessons.collect::<Result<Vec<_>, TrainError>>()? {
        let n_moves = lesson.moves.len();
        batch.moves.extend(lesson.moves);
        batch.ends.push(batch.moves.len());
        for head in HeadId::all().filter(|&head| shape.heads.has(head)) {
            let HeadTarget { values, present } = &mut batch.targets[head];
            let target = lesson.targets[head].as_deref();
            present.push(target.is_some());
            let width = match head.row().kind {
                Kind::Moves => n_moves,
                Kind::Result => shape.heads.n_outputs(head),
            };
            match target {
                Some(target) => values.extend_from_slice(target),
                None => values.resize(values.len() + width, 0.0),
            }
        }
    }
    Ok(batch)
}

/// The targets of one sample.
struct Lesson {
    moves: Vec<MoveTokens>,
    /// `None` if the network lacks the head, or the sample has no target for it.
    targets: PerHead<Option<Vec<f32>>>,
}

impl Lesson {
    fn new(sample: &Sample, shape: &LearnerShape, root_fraction: f32) -> Self {
        let tokens = |&mv| move_tokens(&sample.position, mv);
        let target = |head: HeadId| target(head.row().target, sample, root_fraction);
        Self {
            moves: sample.moves.iter().map(tokens).collect(),
            targets: PerHead::new(|head| shape.heads.has(head).then(|| target(head)).flatten()),
        }
    }
}

/// A sample's target, if it has one.
fn target(target: Target, sample: &Sample, root_fraction: f32) -> Option<Vec<f32>> {
    match target {
        Target::Policy => policy(sample),
        Target::SoftPolicy => policy(sample).map(soften),
        Target::Outcome => Some(value(sample, root_fraction).to_vec()),
    }
}

/// A probability for each move.
fn policy(sample: &Sample) -> Option<Vec<f32>> {
    let sum: f32 = sample.policy.iter().sum();
    let policy: Vec<f32> = sample.policy.iter().map(|p| p / sum).collect();
    (!policy.is_empty()).then_some(policy)
}

/// KataGo's soft policy target: probabilities to the power of 1/4, normalized. Rare moves get more
/// weight, so that the network also learns to rank moves that it would not play.
fn soften(mut policy: Vec<f32>) -> Vec<f32> {
    let mut sum = 0.0;
    for p in &mut policy {
        *p = p.sqrt().sqrt();
        sum += *p;
    }
    policy.iter_mut().for_each(|p| *p /= sum);
    policy
}

/// (1 - fraction) * the game's result + fraction * the searched value.
fn value(sample: &Sample, fraction: f32) -> [f32; 3] {
    std::array::from_fn(|index| {
        let (outcome, root) = (sample.outcome[index], sample.root[index]);
        outcome + fraction * (root - outcome)
    })
}

fn check(sample: &Sample, shape: &LearnerShape) -> Result<(), TrainError> {
    let fault = |fault: String| {
        let fen = sample.position.to_fen();
        Err(TrainError::Sample { fen, fault })
    };
    let n_squares = sample.position.board().n_squares();
    let (n_moves, n_targets) = (sample.moves.len(), sample.policy.len());
    if n_squares != shape.config.n_squares {
        return fault(format!(
            "it has {n_squares} squares, the network {}",
            shape.config.n_squares
        ));
    }
    if n_targets != 0 && n_targets != n_moves {
        return fault(format!("{n_targets} targets for {n_moves} moves"));
    }
    let sum: f32 = sample.policy.iter().sum();
    if n_targets > 0 && !(sum.is_finite() && sum > 0.0) {
        return fault(format!("the targets of its moves sum to {sum}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rules::{Position, Variant};

    use super::*;
    use crate::TrainConfig;
    use crate::tests::fixtures;

    fn encoded(samples: &[Sample], config: &TrainConfig) -> Result<TrainBatch, TrainError> {
        let shape = config.shape(&fixtures::model_config())?;
        batch(samples, &shape, 0.5)
    }

    #[test]
    fn samples_become_targets() {
        let mut samples = fixtures::samples(2, 1);
        samples[0].policy.fill(0.25);
        samples[0].outcome = [1.0, 0.0, 0.0];
        samples[0].root = [0.2, 0.4, 0.4];
        samples[1].policy.clear();
        let batch = encoded(&samples, &fixtures::config()).unwrap();
        let target = |name| &batch.targets[HeadId::named(name).unwrap()];
        let n_moves = samples[0].moves.len();
        assert_eq!(batch.len(), 2);
        assert_eq!(batch.moves_of(1), n_moves..n_moves + samples[1].moves.len());
        for name in ["policy", "soft_policy"] {
            assert_eq!(target(name).present, [true, false]);
            for p in &target(name).values[batch.moves_of(0)] {
                assert!((p - 1.0 / n_moves as f32).abs() < 1e-6);
            }
            let absent = &target(name).values[batch.moves_of(1)];
            assert_eq!(absent, vec![0.0; samples[1].moves.len()]);
        }
        assert_eq!(target("value").of(0), [0.6, 0.2, 0.2]);
    }

    #[test]
    fn heads_of_weight_0_have_no_targets() {
        let mut config = fixtures::config();
        config.soft_policy_weight = 0.0;
        let batch = encoded(&fixtures::samples(2, 1), &config).unwrap();
        let trained: Vec<_> = batch.heads().collect();
        assert_eq!(trained, [HeadId::POLICY, HeadId::VALUE]);
    }

    #[test]
    fn softened_targets_by_hand() {
        let soft = soften(vec![16.0 / 17.0, 1.0 / 17.0, 0.0]);
        assert!((soft[0] - 2.0 / 3.0).abs() < 1e-6 && (soft[1] - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(soft[2], 0.0);
    }

    #[test]
    fn damaged_samples_are_refused() {
        let samples = fixtures::samples(1, 1);
        let build = |change: fn(&mut Sample)| {
            let mut sample = samples[0].clone();
            change(&mut sample);
            let error = encoded(&[sample], &fixtures::config());
            error.unwrap_err().to_string()
        };
        let error = build(|sample| sample.policy.push(0.0));
        assert!(error.contains("targets for"), "{error}");
        let error = build(|sample| sample.policy.fill(0.0));
        assert!(error.contains("sum to 0"), "{error}");
        let error = build(|sample| sample.position = Position::start(Variant::Frisian));
        assert!(
            error.contains("it has 50 squares, the network 32"),
            "{error}"
        );
    }
}
