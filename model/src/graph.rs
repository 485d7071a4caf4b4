//! The network as a list of operations, from which everything else follows: the names and shapes of
//! its tensors ([`shape`](crate::shape)), and what each backend computes.
//!
//! Operations work on four registers: the *stream* `x` and the *branch* `y`, `[square][channel]`, the
//! *summary* `h`, `[hidden]`, and the outputs of the heads.

use crate::heads::{HeadId, Kind, NetworkHeads};
use crate::tensor::TensorSpec;
use crate::{GLOBALS, ModelConfig};

/// One operation. `L` is what a backend makes of a [`Layer`].
///
/// A new kind of block is a new operation here; the compiler then asks every backend for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<L = Layer> {
    /// `x[s] = relu(planes[s] . W + squares[s] + globals . G + bias)`; begins the trunk. The weights of
    /// `squares` are a table with a row for each square, the bias is that of `globals`.
    Embed {
        /// From the planes of a square.
        planes: L,
        /// What each square adds, whatever stands on it.
        squares: L,
        /// From the values that belong to no square.
        globals: L,
    },
    /// A convolution over the lattice; [`End`] says from which register to which.
    Conv {
        /// Its weights.
        layer: L,
        /// What follows the sums.
        end: End,
    },
    /// `y[s] += [mean over squares of y, maximum over squares of y] . W`: KataGo's global pooling bias.
    PoolBias {
        /// Its weights, without a bias.
        layer: L,
    },
    /// `h = relu(flatten(relu(x . squares)) . hidden)`: what the heads of the whole board read.
    Summary {
        /// From the channels of a square.
        squares: L,
        /// From those of all squares side by side.
        hidden: L,
    },
    /// `output[s] = x[s] . W + b`: a head that speaks of squares.
    SquareHead {
        /// Which one.
        head: HeadId,
        /// Its weights.
        layer: L,
    },
    /// `output = h . W + b`: a head that speaks of the position.
    BoardHead {
        /// Which one.
        head: HeadId,
        /// Its weights.
        layer: L,
    },
}

/// How a convolution ends, and with that what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `y = relu(conv(x))`: begins a block.
    Branch,
    /// `x = relu(x + conv(y))`: ends it.
    Residual,
}

/// A product with a matrix, and with most of them a bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name; those of its tensors begin so.
    pub name: String,
    /// `[n_taps * inputs, outputs]`
    pub weight: TensorSpec,
    /// `[outputs]`
    pub bias: Option<TensorSpec>,
    /// Squares whose channels stand side by side in its input.
    pub n_taps: usize,
}

impl Layer {
    /// Columns of its matrix.
    pub fn n_outputs(&self) -> usize {
        self.weight.shape[1]
    }

    /// Rows of its matrix.
    pub fn n_rows(&self) -> usize {
        self.weight.shape[0]
    }

    /// Weights first.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorSpec> {
        std::iter::once(&self.weight).chain(&self.bias)
    }

    /// A layer `NAME.weight`, `NAME.bias`, whose weights begin with this standard deviation.
    fn new(name: &str, [n_rows, n_outputs]: [usize; 2], n_taps: usize, deviation: f32) -> Self {
        let weight = TensorSpec::matrix(format!("{name}.weight"), [n_rows, n_outputs], deviation);
        let bias = TensorSpec::bias(format!("{name}.bias"), n_outputs);
        Self {
            name: name.to_owned(),
            weight,
            bias: Some(bias),
            n_taps,
        }
    }

    fn without_bias(self) -> Self {
        Self { bias: None, ..self }
    }

    /// A table of the input layer, of which few rows are added up, each of about the same size.
    fn table(part: &str, shape: [usize; 2]) -> Self {
        const DEVIATION: f32 = 0.5;
        let name = format!("input.{part}");
        Self {
            weight: TensorSpec::matrix(name, shape, DEVIATION),
            name: "input".to_owned(),
            bias: None,
            n_taps: 1,
        }
    }
}

impl<L> Op<L> {
    /// The layers, in the order of their tensors.
    pub fn layers(&self) -> Vec<&L> {
        match self {
            Self::Embed {
                planes,
                squares,
                globals,
            } => vec![planes, squares, globals],
            Self::Summary { squares, hidden } => vec![squares, hidden],
            Self::Conv { layer, .. }
            | Self::PoolBias { layer }
            | Self::SquareHead { layer, .. }
            | Self::BoardHead { layer, .. } => vec![layer],
        }
    }

    /// The same operation with other layers.
    #[must_use]
    pub fn map<M>(&self, mut pack: impl FnMut(&L) -> M) -> Op<M> {
        match self {
            Self::Embed {
                planes,
                squares,
                globals,
            } => Op::Embed {
                planes: pack(planes),
                squares: pack(squares),
                globals: pack(globals),
            },
            Self::Conv { layer, end } => Op::Conv {
                layer: pack(layer),
                end: *end,
            },
            Self::PoolBias { layer } => Op::PoolBias { layer: pack(layer) },
            Self::Summary { squares, hidden } => Op::Summary {
                squares: pack(squares),
                hidden: pack(hidden),
            },
            Self::SquareHead { head, layer } => Op::SquareHead {
                head: *head,
                layer: pack(layer),
            },
            Self::BoardHead { head, layer } => Op::BoardHead {
                head: *head,
                layer: pack(layer),
            },
        }
    }
}

/// The operations of a network with these heads.
pub fn graph(config: &ModelConfig, heads: &NetworkHeads) -> Vec<Op> {
    let mut ops = vec![embed(config)];
    (0..config.blocks).for_each(|index| push_block(&mut ops, config, index));
    let mut summary = Some(summary(config));
    for (head, n_outputs) in heads.iter() {
        let row = head.row();
        let layer = |n_rows: usize| {
            let deviation = row.gain / (n_rows as f32).sqrt();
            Layer::new(row.layer, [n_rows, n_outputs], 1, deviation)
        };
        match row.kind {
            Kind::Square => ops.push(Op::SquareHead {
                head,
                layer: layer(config.channels),
            }),
            Kind::Board => {
                ops.extend(summary.take());
                ops.push(Op::BoardHead {
                    head,
                    layer: layer(config.value_hidden),
                });
            }
        }
    }
    ops
}

fn embed(config: &ModelConfig) -> Op {
    let channels = config.channels;
    Op::Embed {
        planes: Layer::table("weight", [config.n_planes(), channels]),
        squares: Layer::table("position", [config.n_squares, channels]).without_decay(),
        globals: Layer {
            bias: Some(TensorSpec::bias("input.bias".to_owned(), channels)),
            ..Layer::table("global", [GLOBALS, channels]).without_decay()
        },
    }
}

impl Layer {
    fn without_decay(mut self) -> Self {
        self.weight.decays = false;
        self
    }

    fn between_hidden_layers(mut self) -> Self {
        self.weight.is_hidden = true;
        self
    }
}

/// Two convolutions, and in every second block the global pooling bias between them. The last one
/// begins at zero, so that every block begins as the identity and no normalisation is needed (Fixup,
/// Zhang et al. 2019).
fn push_block(ops: &mut Vec<Op>, config: &ModelConfig, index: usize) {
    let (channels, taps) = (config.channels, config.n_taps);
    let conv = |part: &str, deviation| {
        let shape = [taps * channels, channels];
        let name = format!("blocks.{index}.{part}");
        Layer::new(&name, shape, taps, deviation).between_hidden_layers()
    };
    ops.push(Op::Conv {
        layer: conv("conv1", relu_deviation(taps * channels)),
        end: End::Branch,
    });
    let last = Op::Conv {
        layer: conv("conv2", 0.0),
        end: End::Residual,
    };
    if !index.is_multiple_of(2) {
        let deviation = 0.5 / ((2 * channels) as f32).sqrt();
        let name = format!("blocks.{index}.pool");
        let layer = Layer::new(&name, [2 * channels, channels], 1, deviation);
        ops.push(Op::PoolBias {
            layer: layer.without_bias().between_hidden_layers(),
        });
    }
    ops.push(last);
}

fn summary(config: &ModelConfig) -> Op {
    let (channels, width) = (config.channels, config.value_channels);
    let n_rows = config.n_squares * width;
    Op::Summary {
        squares: Layer::new(
            "value.square",
            [channels, width],
            1,
            relu_deviation(channels),
        ),
        hidden: Layer::new(
            "value.hidden",
            [n_rows, config.value_hidden],
            config.n_squares,
            relu_deviation(n_rows),
        )
        .between_hidden_layers(),
    }
}

/// Keeps the variance through a ReLU (He et al. 2015).
fn relu_deviation(n_rows: usize) -> f32 {
    (2.0 / n_rows as f32).sqrt()
}
