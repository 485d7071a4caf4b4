//! Golden positions: examples with every intermediate result on the way to a move.

mod choose;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use rand::Rng;
use rules::{Move, Position, Square};
use serde::Serialize;
use types::softmax_f64;

use crate::device::{DeviceInference, DeviceNetwork, device_error};
use crate::encoding::{encode, move_tokens};
use crate::{GLOBALS, Model, ModelError};

/// A position with the network's inputs and outputs and the resulting move probabilities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldenPosition {
    /// The position.
    pub fen: String,
    /// The side to move, `W` or `B`.
    pub turn: char,
    /// Earlier occurrences of the position, which a FEN does not record.
    pub repetitions: u32,
    /// `[token][plane]`
    pub planes: Vec<Vec<f32>>,
    /// `[global]`
    pub globals: Vec<f32>,
    /// Every legal move.
    pub moves: Vec<GoldenMove>,
    /// Win, draw and loss for the side to move.
    pub wdl: Vec<f32>,
    /// `[token][d]`
    pub f: Vec<Vec<f32>>,
    /// `[token][d]`
    pub t: Vec<Vec<f32>>,
    /// `[token]`
    pub k: Vec<f32>,
}

/// A legal move. Squares are numbered as in the notation, from 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldenMove {
    /// The move in notation.
    pub notation: String,
    /// The origin.
    pub from: usize,
    /// The destination.
    pub to: usize,
    /// The captured squares, ascending.
    pub captured: Vec<usize>,
    /// Its score.
    pub logit: f32,
    /// The softmax of the scores: the policy.
    pub probability: f32,
}

/// Twenty positions from random games that cover everything the encodings distinguish: kings,
/// captures, forced moves, repetitions, counters. For a given `rng` they are the same for every
/// model of a variant. The outputs are computed by burn on the processor.
///
/// # Errors
/// When the weights do not fit the configuration, or the device fails.
pub fn golden_positions(
    model: &Model,
    rng: &mut impl Rng,
) -> Result<Vec<GoldenPosition>, ModelError> {
    let (config, device) = (&model.config, Device::flex());
    let (n_squares, n_planes, dim) = (config.n_squares, config.n_planes(), config.policy_dim);
    let games = choose::games(model.variant, rng);
    let mut planes = vec![0.0; games.len() * n_squares * n_planes];
    let mut globals = vec![0.0; games.len() * GLOBALS];
    let inputs = planes.chunks_exact_mut(n_squares * n_planes);
    for (game, (planes, globals)) in games
        .iter()
        .zip(inputs.zip(globals.chunks_exact_mut(GLOBALS)))
    {
        let (position, repetitions) = (game.position(), game.repetitions());
        encode(config.inputs, position, repetitions, planes, globals);
    }
    let inference = DeviceInference::new(device.clone(), games.len());
    let network = DeviceNetwork::new(config, &model.weights, &inference)?;
    let shape = [games.len(), n_squares, n_planes];
    let (policy, wdl) = network.answer(
        Tensor::from_data(TensorData::new(planes.clone(), shape), &device),
        Tensor::from_data(
            TensorData::new(globals.clone(), [games.len(), GLOBALS]),
            &device,
        ),
    );
    let (f, t, k) = (read(policy.from)?, read(policy.to)?, read(policy.captured)?);
    let wdl = read(softmax(wdl, 1))?;
    let golden = games.iter().enumerate().map(|(index, game)| {
        let of = |values: &[f32], n_values: usize| values[index * n_values..][..n_values].to_vec();
        let rows = |values: &[f32], width: usize| {
            let rows = of(values, n_squares * width);
            rows.chunks_exact(width).map(<[f32]>::to_vec).collect()
        };
        let mut golden = GoldenPosition {
            fen: game.position().to_fen(),
            turn: game.position().turn().letter(),
            repetitions: game.repetitions(),
            planes: rows(&planes, n_planes),
            globals: of(&globals, GLOBALS),
            moves: Vec::new(),
            wdl: of(&wdl, 3),
            f: rows(&f, dim),
            t: rows(&t, dim),
            k: of(&k, n_squares),
        };
        golden.score_moves(game.position());
        golden
    });
    Ok(golden.collect())
}

fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    let data = tensor.into_data();
    data.try_into_vec_as::<f32>().map_err(device_error)
}

impl GoldenPosition {
    /// Adds the legal moves in canonical order.
    fn score_moves(&mut self, position: &Position) {
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let logits: Vec<f32> = legal.iter().map(|&mv| self.logit(position, mv)).collect();
        let policy = softmax_f64(&logits);
        let number = |square: Square| position.board().number(square);
        self.moves = legal
            .iter()
            .zip(logits.into_iter().zip(policy))
            .map(|(&mv, (logit, probability))| GoldenMove {
                notation: position.move_text_among(mv, &legal),
                from: number(mv.from),
                to: number(mv.to),
                captured: mv.captured.iter().map(number).collect(),
                logit,
                probability: probability as f32,
            })
            .collect();
    }

    /// f\[from\] . t\[to\] / sqrt(d) + the sum of k over the captured squares.
    fn logit(&self, position: &Position, mv: Move) -> f32 {
        let tokens = move_tokens(position, mv);
        let (f, t) = (&self.f[tokens.from], &self.t[tokens.to]);
        let product: f32 = f.iter().zip(t).map(|(f, t)| f * t).sum();
        let captures: f32 = tokens.captured().map(|token| self.k[token]).sum();
        product / (f.len() as f32).sqrt() + captures
    }
}
