//! Evaluators of networks on the configured device.

use std::sync::Arc;

use model::device::{BurnEvaluator, DeviceClock, DeviceInference, DeviceWork};
use model::{CpuEvaluator, Model, Precision};
use search::{Cached, Evaluator, SharedEvaluator};
use trainer::Compute;

use config::DOUBLE_BUFFER;
use engine::defaults::CACHE_MEMORY;
use engine::{SearchPlayer, SearchPlayerConfig};
use eval::PlayerFactory;

use crate::{Result, RunError};

/// Lower bound on the share of self-play positions that the cache answers: one in this many. Device
/// batches are smaller by that share.
const REMEMBERED: usize = 4;

/// Evaluator of one thread.
pub type ThreadEvaluator = Cached<Box<dyn Evaluator + Send>>;

/// Evaluators of one network for any number of threads.
pub enum Evaluators {
    /// On the CPU, one evaluator per thread.
    Cpu(Box<CpuEvaluator>),
    /// On a device shared by all threads.
    Device {
        /// The queue of the device.
        shared: SharedEvaluator,
        /// Its clock.
        clock: Arc<DeviceClock>,
    },
}

impl Evaluators {
    /// Evaluators of a model, with this numeric precision, for `threads` threads with batches of
    /// `batch_size` positions each.
    pub fn new(
        model: &Model,
        precision: Precision,
        compute: &Compute,
        threads: usize,
        batch_size: usize,
    ) -> Result<Self> {
        let (variant, config, weights) = (model.variant, &model.config, &model.weights);
        Ok(match compute {
            Compute::Cpu => Self::Cpu(Box::new(CpuEvaluator::with_precision(
                variant, config, weights, precision,
            )?)),
            Compute::Device(device) => {
                // If one thread's cache hit rate is low, its batch must still fit into one device
                // batch.
                let together = (threads * not_remembered(batch_size)).max(batch_size);
                let inference = DeviceInference {
                    precision,
                    ..DeviceInference::new(device.clone(), together)
                };
                let evaluator = BurnEvaluator::new(variant, config, weights, inference)?;
                let clock = evaluator.clock();
                let evaluators = vec![evaluator; DOUBLE_BUFFER];
                let shared = SharedEvaluator::start(evaluators, together);
                let shared = shared.map_err(|error| RunError::Threads {
                    source: error.into(),
                })?;
                Self::Device { shared, clock }
            }
        })
    }

    /// Number of threads that should send requests so that `threads` are always busy: threads that
    /// wait for a device need others to work meanwhile.
    pub fn askers(&self, threads: usize) -> usize {
        match self {
            Self::Cpu(_) => threads,
            Self::Device { .. } => DOUBLE_BUFFER * threads,
        }
    }

    /// Number of positions in a thread's batch of this size that the network computes; the device
    /// buffers are sized for that many.
    pub fn asked(&self, batch_size: usize) -> usize {
        match self {
            Self::Cpu(_) => batch_size,
            Self::Device { .. } => not_remembered(batch_size),
        }
    }

    /// The work of the device; `None` on the CPU.
    pub fn device_work(&self) -> Option<DeviceWork> {
        match self {
            Self::Cpu(_) => None,
            Self::Device { clock, .. } => Some(clock.read()),
        }
    }

    /// Evaluator for one thread.
    pub fn get(&self) -> ThreadEvaluator {
        Cached::new(self.uncached(), CACHE_MEMORY)
    }

    /// Evaluator for one thread without a cache, which recomputes repeated positions.
    pub fn uncached(&self) -> Box<dyn Evaluator + Send> {
        match self {
            Self::Cpu(evaluator) => evaluator.clone(),
            Self::Device { shared, .. } => Box::new(shared.clone()),
        }
    }

    /// The network as one side of a match.
    pub fn player_factory(
        self,
        name: String,
        config: SearchPlayerConfig,
    ) -> PlayerFactory<'static> {
        let player_name = name.clone();
        PlayerFactory::new(name, move || {
            let player = SearchPlayer::new(player_name.clone(), self.get(), config);
            Ok(Box::new(player))
        })
    }

    /// Evaluators of all threads that should send requests so that `threads` are always busy.
    pub fn all(&self, threads: usize) -> Vec<ThreadEvaluator> {
        (0..self.askers(threads)).map(|_| self.get()).collect()
    }
}

fn not_remembered(batch_size: usize) -> usize {
    batch_size - batch_size / REMEMBERED
}

#[cfg(test)]
mod tests {
    use model::{ModelMeta, ModelWeights, Preset};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rules::{Position, Variant};
    use search::Batch;

    use super::*;

    #[test]
    fn a_device_has_two_workers_for_each_thread_who_all_get_its_answers() {
        let variant = Variant::ALL[0];
        let config = Preset::Nano.for_variant(variant);
        let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        let model = Model::new(variant, config, ModelMeta::default(), weights).unwrap();
        let start = Position::start(variant);
        let wins = |device: &str| {
            let compute = Compute::named(device).unwrap();
            let evaluators = Evaluators::new(&model, Precision::F32, &compute, 3, 1).unwrap();
            let win = |mut evaluator: ThreadEvaluator| {
                let mut batch = Batch::new();
                batch.push(&start, 0, &start.legal_moves());
                evaluator.evaluate(&mut batch).unwrap();
                batch.wdl(0).win
            };
            let wins: Vec<_> = evaluators.all(3).into_iter().map(win).collect();
            (wins, evaluators.device_work())
        };
        let ((cpu, none), (device, work)) = (wins("cpu"), wins("flex"));
        assert_eq!(none, None);
        assert_eq!(
            work.map(|work| (work.batches, work.positions)),
            Some((6, 6))
        );
        assert_eq!((cpu.len(), device.len()), (3, 6));
        for win in device {
            assert!((win - cpu[0]).abs() < 1e-4, "{win} {cpu:?}");
        }
    }
}
