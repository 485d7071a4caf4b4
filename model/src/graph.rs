//! The network as a list of operations, from which everything else is derived: the names and shapes
//! of its tensors ([`shape`](crate::shape)), and the computation of each backend.
//!
//! Operations work on four registers: the *stream* `x` and the *branch* `y`, `[square][channel]`, the
//! *summary* `h`, `[hidden]`, and the outputs of the heads.

use crate::heads::{HeadId, Kind, NetworkHeads};
use crate::tensor::TensorSpec;
use crate::{GLOBALS, ModelConfig};

/// One operation. `L` is a backend's representation of a [`Layer`].
///
/// To add a kind of block, add an operation here; the compiler then requires it in every backend.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<L = Layer> {
    /// `x[s] = relu(planes[s] . W + squares[s] + globals . G + bias)`; the first operation of the
    /// trunk. The weights of `squares` are a table with one row per square; the bias belongs to
    /// `globals`.
    Embed {
        /// The weights of a square's planes.
        planes: L,
        /// The constant contribution of each square.
        squares: L,
        /// The weights of the global inputs.
        globals: L,
    },
    /// A convolution over the lattice; [`End`] determines its input and output registers.
    Conv {
        /// Its weights.
        layer: L,
        /// The operation after the sums.
        end: End,
    },
    /// `y[s] += [mean over squares of y, maximum over squares of y] . W`: KataGo's global pooling bias.
    PoolBias {
        /// Its weights, without a bias.
        layer: L,
    },
    /// `h = relu(flatten(relu(x . squares)) . hidden)`: the input of the heads of the whole board.
    Summary {
        /// The weights of a square's channels.
        squares: L,
        /// The weights of the concatenated channels of all squares.
        hidden: L,
    },
    /// `output[s] = x[s] . W + b`: a per-square head.
    SquareHead {
        /// The head.
        head: HeadId,
        /// Its weights.
        layer: L,
    },
    /// `output = h . W + b`: a head for the whole position.
    BoardHead {
        /// The head.
        head: HeadId,
        /// Its weights.
        layer: L,
    },
}

/// The input and the end of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `y = relu(conv(x))`: the first convolution of a block.
    Branch,
    /// `x = relu(x + conv(y))`: the last convolution of a block.
    Residual,
}

/// A matrix product, usually with a bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The name, which is the prefix of its tensors' names.
    pub name: String,
    /// `[n_taps * inputs, outputs]`
    pub weight: TensorSpec,
    /// `[outputs]`
    pub bias: Option<TensorSpec>,
    /// The number of squares whose channels are concatenated in its input.
    pub n_taps: usize,
}

impl Layer {
    /// The number of columns of its matrix.
    pub fn n_outputs(&self) -> usize {
        self.weight.shape[1]
    }

    /// The number of rows of its matrix.
    pub fn n_rows(&self) -> usize {
        self.weight.shape[0]
    }

    /// The tensors, weights first.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorSpec> {
        std::iter::once(&self.weight).chain(&self.bias)
    }

    /// A layer `NAME.weight`, `NAME.bias`, whose weights are initialized with this standard
    /// deviation.
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

    /// A table of the input layer. Few of its rows are summed, each of similar magnitude.
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
            Kind::Moves => ops.push(Op::SquareHead {
                head,
                layer: layer(config.channels),
            }),
            Kind::Result => {
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

/// Adds two convolutions, and in every second block the global pooling bias between them. The last
/// convolution is initialized with zero, so that every block starts as the identity and no
/// normalization is needed (Fixup, Zhang et al. 2019).
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
        let mut layer = Layer::new(&name, [2 * channels, channels], 1, deviation);
        layer.bias = None;
        ops.push(Op::PoolBias {
            layer: layer.between_hidden_layers(),
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

/// The deviation that preserves variance through a ReLU (He et al. 2015).
fn relu_deviation(n_rows: usize) -> f32 {
    (2.0 / n_rows as f32).sqrt()
}
