//! Training examples.

use std::collections::HashSet;

use alphabeta::LOGIT;
use nnue::{BUCKETS, Pieces, Shape};
use rules::{Bitboard, Color, Position, Setup, Variant};
use store::{Record, RecordedSearch};

use crate::config::Config;
use crate::quiet::is_quiet;

/// A position as the network's inputs, with its results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example {
    /// The inputs in the view of the side to move, one bit each, followed by those in the
    /// opponent's view.
    inputs: [u64; 4],
    /// The mean result for the side to move, from 0 to 1, over all games through this position.
    pub(crate) result: f32,
    /// The mean searched value likewise; negative if unknown.
    value: f32,
    /// The training target.
    pub(crate) target: f32,
    /// The weight in the loss.
    pub(crate) weight: f32,
}

/// Distinct positions, for training and held out.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// The variant.
    pub variant: Variant,
    /// Training examples.
    pub training: Vec<Example>,
    /// Positions from other games that do not occur in `training`.
    pub held_out: Vec<Example>,
    /// Statistics of the collection.
    pub summary: Summary,
}

/// Statistics of the collected positions.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// Finished games.
    pub games: usize,
    /// Quiet positions in them.
    pub positions: usize,
    /// Distinct training positions.
    pub training: usize,
    /// Distinct held-out positions.
    pub held_out: usize,
    /// Distinct training positions by bucket.
    pub by_bucket: [usize; BUCKETS],
    /// The mean excess of the searched values over the results, by bucket.
    pub value_bias: [f32; BUCKETS],
}

impl Example {
    /// The inputs in the view of the side to move and in the opponent's, as numbers.
    #[inline]
    pub(crate) fn for_each_input(&self, n_squares: usize, mut take: impl FnMut(usize, usize)) {
        for (kind, set) in self.inputs.into_iter().enumerate() {
            let mut rest = set;
            while rest != 0 {
                let square = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let other = (kind ^ 2) * n_squares + n_squares - 1 - square;
                take(kind * n_squares + square, other);
            }
        }
    }

    /// The number of pieces on the board.
    #[inline]
    pub(crate) fn n_pieces(&self) -> usize {
        self.inputs
            .iter()
            .map(|set| set.count_ones() as usize)
            .sum()
    }

    /// The position without history, with White to move.
    pub(crate) fn position(&self, variant: Variant) -> Position {
        let board = variant.board();
        let squares = |set: u64| {
            let tokens = (0..board.n_squares()).filter(|token| set >> token & 1 == 1);
            tokens.fold(Bitboard::EMPTY, |squares, token| {
                squares | board.token_square(token).bit()
            })
        };
        let [own_men, own_kings, enemy_men, enemy_kings] = self.inputs.map(squares);
        let setup = Setup {
            men: [enemy_men, own_men],
            kings: [enemy_kings, own_kings],
            ..Setup::empty(Color::White)
        };
        Position::new(variant, &setup).expect("the pieces of a position, or of a turned one")
    }

    pub(crate) fn new(position: &Position, result: f32, value: f32) -> Example {
        let board = position.board();
        let mut inputs = [0; 4];
        for input in Pieces::of(position).inputs(board, position.turn()) {
            inputs[input / board.n_squares()] |= 1 << (input % board.n_squares());
        }
        Example {
            inputs,
            result,
            value,
            target: 0.0,
            weight: 1.0,
        }
    }
}

/// Collects positions game by game.
pub struct Collector {
    held_out_every: u32,
    examples: Examples,
}

impl Collector {
    /// An empty collection.
    pub fn new(variant: Variant, config: &Config) -> Collector {
        Collector {
            held_out_every: config.held_out_every.max(2),
            examples: Examples {
                variant,
                training: Vec::new(),
                held_out: Vec::new(),
                summary: Summary::default(),
            },
        }
    }

    /// The number of positions collected.
    pub fn n_positions(&self) -> usize {
        self.examples.n_positions()
    }

    /// Adds the quiet positions of a finished game. A position before a randomly drawn move is
    /// skipped, because the result says little about it.
    pub fn add(&mut self, record: &Record) {
        let Some(outcome) = record.result else {
            return;
        };
        let result = |color: Color| outcome.half_points(color) as f32 / 2.0;
        let is_held_out = record.header.id.number.is_multiple_of(self.held_out_every);
        let examples = match is_held_out {
            true => &mut self.examples.held_out,
            false => &mut self.examples.training,
        };
        let mut position = record.start;
        for ply in &record.plies {
            if !matches!(ply.search, RecordedSearch::Opening) && is_quiet(&position) {
                let value = ply.search.value().map_or(-1.0, |value| {
                    let [win, draw, _] = value.probabilities();
                    win + draw / 2.0
                });
                examples.push(Example::new(&position, result(position.turn()), value));
            }
            position = position.play(ply.mv);
        }
        self.examples.summary.games += 1;
    }

    /// The examples, with targets and weights.
    pub fn finish(self, config: &Config) -> Examples {
        let mut examples = self.examples;
        examples.summary.positions = examples.n_positions();
        examples.training = merged(examples.training);
        let training = examples.training.iter();
        let known: HashSet<[u64; 4]> = training.map(|example| example.inputs).collect();
        examples.held_out = merged(examples.held_out);
        let held_out = &mut examples.held_out;
        held_out.retain(|example| !known.contains(&example.inputs));
        examples.weigh(config);
        examples
    }
}

impl Examples {
    /// The training examples, then the held-out ones.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Example> {
        self.training.iter().chain(&self.held_out)
    }

    /// The total number of positions.
    pub fn n_positions(&self) -> usize {
        self.training.len() + self.held_out.len()
    }

    /// The inputs of all positions, in the order of
    /// [`Teacher::search_scores`](crate::Teacher::search_scores).
    pub fn inputs(&self) -> impl Iterator<Item = [u64; 4]> {
        self.all().map(|example| example.inputs)
    }

    /// Everything that training depends on: the inputs, targets and weights of its examples.
    pub fn lessons(&self) -> impl Iterator<Item = [u64; 5]> {
        self.training.iter().map(|example| {
            let [a, b, c, d] = example.inputs;
            let [target, weight] = [example.target, example.weight].map(f32::to_bits);
            [a, b, c, d, u64::from(target) << 32 | u64::from(weight)]
        })
    }

    /// Replaces the recorded values by search scores, one per position.
    pub fn relabel(&mut self, scores: &[i16], config: &Config) {
        debug_assert_eq!(scores.len(), self.n_positions());
        let all = self.training.iter_mut().chain(&mut self.held_out);
        for (example, score) in all.zip(scores) {
            let logit = f32::from(*score) / LOGIT as f32;
            example.value = 1.0 / (1.0 + libm::expf(-logit));
        }
        self.weigh(config);
    }

    /// Computes targets, weights and the summary from results and values.
    fn weigh(&mut self, config: &Config) {
        let shape = Shape::of(self.variant);
        let bucket = |example: &Example| shape.bucket(example.n_pieces());
        let summary = &mut self.summary;
        summary.training = self.training.len();
        summary.held_out = self.held_out.len();
        summary.by_bucket = [0; BUCKETS];
        for example in &self.training {
            summary.by_bucket[bucket(example)] += 1;
        }
        summary.value_bias = value_bias(&self.training, bucket);
        let mean = self.training.len() as f32 / BUCKETS as f32;
        for example in self.training.iter_mut().chain(&mut self.held_out) {
            let bucket = bucket(example);
            let rarity = mean / summary.by_bucket[bucket].max(1) as f32;
            example.weight = libm::powf(rarity, config.phase_power);
            let value = (example.value - summary.value_bias[bucket]).clamp(0.0, 1.0);
            let share = if example.value < 0.0 {
                0.0
            } else {
                config.value_share
            };
            example.target = share * value + (1.0 - share) * example.result;
        }
    }
}

/// Merges equal positions and averages their results.
fn merged(mut examples: Vec<Example>) -> Vec<Example> {
    // A stable sort, so that averages are summed in game order.
    examples.sort_by_key(|example| example.inputs);
    let merged = examples.chunk_by(|a, b| a.inputs == b.inputs).map(|same| {
        let mean = |values: &mut dyn Iterator<Item = f32>| {
            let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
            (n > 0.0).then(|| sum / n)
        };
        let known = &mut same
            .iter()
            .map(|example| example.value)
            .filter(|value| *value >= 0.0);
        Example {
            value: mean(known).unwrap_or(-1.0),
            result: mean(&mut same.iter().map(|example| example.result)).unwrap_or(0.5),
            ..same[0]
        }
    });
    merged.collect()
}

fn value_bias(examples: &[Example], bucket: impl Fn(&Example) -> usize) -> [f32; BUCKETS] {
    let mut sums = [(0.0_f64, 0.0_f64); BUCKETS];
    for example in examples.iter().filter(|example| example.value >= 0.0) {
        let (sum, n) = &mut sums[bucket(example)];
        *sum += f64::from(example.value - example.result);
        *n += 1.0;
    }
    sums.map(|(sum, n)| (sum / n.max(1.0)) as f32)
}
