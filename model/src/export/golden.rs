//! Golden positions: examples with every intermediate result on the way to a move.

mod choose;

use burn::tensor::{Device, Tensor, TensorData};
use rand::Rng;
use rules::{Game, Move, Position, Square};
use serde::Serialize;

use types::softmax_f64;

use crate::device::{DeviceInference, DeviceNetwork};
use crate::encoding::{encode, move_tokens};
use crate::{GLOBALS, Inputs, Model, ModelError};

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
    let games = choose::games(model.variant, rng);
    let inputs: Vec<_> = games
        .iter()
        .map(|game| input(model.config.inputs, game))
        .collect();
    let answers = Answers::new(model, &inputs)?;
    let golden = games.iter().zip(inputs).enumerate();
    Ok(golden
        .map(|(index, (game, input))| answers.golden(index, game, input))
        .collect())
}

/// Planes and globals of one position.
type Input = (Vec<f32>, Vec<f32>);

fn input(inputs: Inputs, game: &Game) -> Input {
    let position = game.position();
    let mut planes = vec![0.0; position.board().n_squares() * inputs.planes().len()];
    let mut globals = vec![0.0; GLOBALS];
    encode(
        inputs,
        position,
        game.repetitions(),
        &mut planes,
        &mut globals,
    );
    (planes, globals)
}

/// The network's outputs for all positions, concatenated.
struct Answers {
    n_squares: usize,
    n_planes: usize,
    dim: usize,
    f: Vec<f32>,
    t: Vec<f32>,
    k: Vec<f32>,
    wdl: Vec<f32>,
}

impl Answers {
    fn new(model: &Model, inputs: &[Input]) -> Result<Self, ModelError> {
        let (config, device) = (&model.config, Device::flex());
        let (planes, globals): (Vec<_>, Vec<_>) = inputs.iter().cloned().unzip();
        let shape = [inputs.len(), config.n_squares, config.n_planes()];
        let planes = TensorData::new(planes.concat(), shape);
        let globals = TensorData::new(globals.concat(), [inputs.len(), GLOBALS]);
        let inference = DeviceInference::new(device.clone(), inputs.len());
        let network = DeviceNetwork::new(config, &model.weights, &inference)?;
        let (policy, wdl) = network.answer(
            Tensor::from_data(planes, &device),
            Tensor::from_data(globals, &device),
        );
        Ok(Self {
            n_squares: config.n_squares,
            n_planes: config.n_planes(),
            dim: config.policy_dim,
            f: read(policy.from)?,
            t: read(policy.to)?,
            k: read(policy.captured)?,
            wdl: read(burn::tensor::activation::softmax(wdl, 1))?,
        })
    }

    fn golden(&self, index: usize, game: &Game, (planes, globals): Input) -> GoldenPosition {
        let (position, size) = (game.position(), self.n_squares * self.dim);
        let rows = |values: &[f32]| values.chunks_exact(self.dim).map(<[f32]>::to_vec).collect();
        let mut golden = GoldenPosition {
            fen: position.to_fen(),
            turn: position.turn().letter(),
            repetitions: game.repetitions(),
            planes: planes
                .chunks_exact(self.n_planes)
                .map(<[f32]>::to_vec)
                .collect(),
            globals,
            moves: Vec::new(),
            wdl: self.wdl[3 * index..][..3].to_vec(),
            f: rows(&self.f[size * index..][..size]),
            t: rows(&self.t[size * index..][..size]),
            k: self.k[self.n_squares * index..][..self.n_squares].to_vec(),
        };
        golden.score_moves(position);
        golden
    }
}

fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    let data = tensor.into_data();
    data.try_into_vec_as::<f32>()
        .map_err(|error| ModelError::Device {
            message: error.to_string(),
        })
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
