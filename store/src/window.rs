//! The replay window: the newest samples of a run, from which the trainer draws its batches.
//!
//! A sample takes about 70 bytes: the position and the targets in eight bits. Legal moves are
//! generated again when the sample is drawn. A million samples of english take 73 MB.

mod config;
mod endgame_samples;
mod game;
mod targets;

use std::collections::VecDeque;

use rand::RngExt;
use rules::{Move, Position};
use types::Seed;

pub use config::WindowConfig;
pub use endgame_samples::EndgameSamples;
use game::GameSamples;

use crate::error::Result;
use crate::games::Games;
use crate::record::Record;
use crate::segment::Damage;

/// A position with its training targets. All values are for the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// Number of earlier occurrences of the position in the game.
    pub repetitions: u8,
    /// The legal moves in canonical order.
    pub moves: Vec<Move>,
    /// The policy target, one number per legal move; empty if there is none.
    pub policy: Vec<f32>,
    /// Win, draw, loss: the result of the game, or the last known value if it was truncated.
    pub outcome: [f32; 3],
    /// Win, draw, loss: the value after the search.
    pub root: [f32; 3],
}

/// The samples of the newest games: at least W(N) of them, where N is the total number of samples
/// seen.
#[derive(Clone, Debug)]
pub struct ReplayWindow {
    config: WindowConfig,
    games: VecDeque<WindowGame>,
    n_samples: u64,
    n_seen: u64,
    /// Total weight of the games that have left the window: the start of the first game.
    weight_left: u64,
}

/// The place of a sample in a window: a point of its cumulative weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePlace(u64);

/// A game in the window.
#[derive(Clone, Debug)]
struct WindowGame {
    game: GameSamples,
    /// The generation of the game.
    generation: u32,
    /// Total weight of all games up to this one, including those that have left. An integer, so
    /// that a reloaded window draws the same samples as the original.
    weight_end: u64,
}

impl ReplayWindow {
    /// An empty window.
    pub fn new(config: WindowConfig) -> ReplayWindow {
        ReplayWindow {
            config,
            games: VecDeque::new(),
            n_samples: 0,
            n_seen: 0,
            weight_left: 0,
        }
    }

    /// The window after `generation` had been pushed and `n_seen` samples seen, and the damage
    /// found in the files.
    pub fn load(
        config: WindowConfig,
        games: &Games,
        generation: u32,
        n_seen: u64,
    ) -> Result<(ReplayWindow, Vec<Damage>)> {
        let capacity = config.capacity(n_seen);
        let mut damage = Vec::new();
        let mut newest_first = Vec::new();
        let mut n_samples = 0;
        let mut generations = games.generations()?;
        generations.retain(|&other| other <= generation);
        for generation in generations.into_iter().rev() {
            if n_samples >= capacity {
                break;
            }
            let read = games.read(generation)?;
            damage.extend(read.damage);
            let learned = |record: &&Record| !config.holds_out(record.header.id.number);
            for record in read.records.iter().rev().filter(learned) {
                if n_samples >= capacity {
                    break;
                }
                let game = GameSamples::new(record, &config);
                n_samples += game.len() as u64;
                newest_first.push((game, generation));
            }
        }
        let mut window = ReplayWindow::new(config);
        newest_first
            .into_iter()
            .rev()
            .for_each(|(game, generation)| window.add(game, generation));
        window.n_seen = n_seen;
        Ok((window, damage))
    }

    /// Adds a game unless it is held out, and drops the oldest ones that exceed the window's size.
    /// Games must be pushed in the order of their ids, each once, and must be valid records.
    pub fn push(&mut self, record: &Record) {
        if self.config.holds_out(record.header.id.number) {
            return;
        }
        let game = GameSamples::new(record, &self.config);
        self.n_seen += game.len() as u64;
        self.add(game, record.header.id.generation);
        self.shrink();
    }

    /// Samples in the window.
    pub fn len(&self) -> usize {
        self.n_samples as usize
    }

    /// Returns `true` if the window has no samples.
    pub fn is_empty(&self) -> bool {
        self.n_samples == 0
    }

    /// Number of samples that the run has produced so far: the N of W(N).
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// The generation of the oldest game; `None` without samples.
    pub fn first_generation(&self) -> Option<u32> {
        self.games.front().map(|slot| slot.generation)
    }

    /// Mean age of the samples in generations, counted back from `generation`; 0 without samples.
    pub fn mean_age(&self, generation: u32) -> f64 {
        let age = |slot: &WindowGame| f64::from(generation.saturating_sub(slot.generation));
        let sum: f64 = self
            .games
            .iter()
            .map(|slot| age(slot) * slot.game.len() as f64)
            .sum();
        sum / self.n_samples.max(1) as f64
    }

    /// Memory used by the samples, in bytes.
    pub fn size_bytes(&self) -> usize {
        let slots = self.games.capacity() * size_of::<WindowGame>();
        slots
            + self
                .games
                .iter()
                .map(|slot| slot.game.size_bytes())
                .sum::<usize>()
    }

    /// The batch of a training step: drawn with replacement in proportion to the weights,
    /// stratified over the window. It only depends on the window's content, the seed and the step.
    /// An empty window gives an empty batch.
    pub fn batch(&self, seed: u64, step: u64, n_samples: usize) -> Vec<Sample> {
        let places = self.draw(seed, step, n_samples);
        places.into_iter().map(|at| self.sample(at)).collect()
    }

    /// The places of the samples of [`ReplayWindow::batch`], to generate them on many threads.
    pub fn draw(&self, seed: u64, step: u64, n_samples: usize) -> Vec<SamplePlace> {
        let mut rng = Seed::new(seed).derive("window", &[step]).rng();
        let total = self.weight_end() - self.weight_left;
        if total == 0 {
            return Vec::new();
        }
        let boundary = |k: usize| (u128::from(total) * k as u128 / n_samples as u128) as u64;
        let draw = |k| {
            let (first, end) = (boundary(k), boundary(k + 1));
            rng.random_range(first..end.max(first + 1))
        };
        let places = (0..n_samples).map(draw);
        places
            .map(|at| SamplePlace(self.weight_left + at))
            .collect()
    }

    /// The sample at a place drawn from this window, with its legal moves.
    ///
    /// # Panics
    /// If the place's game has left the window. A place of another window gives some other sample,
    /// or panics.
    pub fn sample(&self, SamplePlace(at): SamplePlace) -> Sample {
        let index = self.games.partition_point(|slot| slot.weight_end <= at);
        let slot = &self.games[index];
        let start = slot.weight_end - u64::from(slot.game.weight());
        slot.game.sample((at - start) as u32)
    }

    fn add(&mut self, game: GameSamples, generation: u32) {
        if game.len() == 0 {
            return;
        }
        self.n_samples += game.len() as u64;
        let weight_end = self.weight_end() + u64::from(game.weight());
        self.games.push_back(WindowGame {
            game,
            generation,
            weight_end,
        });
    }

    fn weight_end(&self) -> u64 {
        self.games
            .back()
            .map_or(self.weight_left, |slot| slot.weight_end)
    }

    fn shrink(&mut self) {
        let capacity = self.config.capacity(self.n_seen);
        while let Some(oldest) = self.games.front() {
            let rest = self.n_samples - oldest.game.len() as u64;
            if rest < capacity {
                break;
            }
            self.n_samples = rest;
            self.weight_left = oldest.weight_end;
            self.games.pop_front();
        }
    }
}
