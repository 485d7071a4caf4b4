//! The network as a graph of standard operators.

use super::graph::{Attribute, Graph};
use crate::eight_bit::EightBit;
use crate::network::taps;
use crate::{GLOBALS, Model, ModelConfig, ModelError, PLANES, TensorSpec};

/// Squares stand on the second axis of all activations, `[batch, squares, channels]`.
const SQUARES: Attribute = Attribute::Ints("axes", &[1]);

/// The bytes of an ONNX file that computes the network for any batch.
///
/// Inputs are `planes` `[batch, squares, PLANES]` and `globals` `[batch, GLOBALS]`, as
/// [`encode`](crate::encoding::encode) writes them. Outputs are `f` and `t` `[batch, squares, d]`
/// and `k` `[batch, squares]`, which score moves, and `wdl` `[batch, 3]`, the probabilities of win,
/// draw and loss for the side to move. Constants have the names of
/// [`ModelConfig::tensors`](crate::ModelConfig::tensors); `properties` become the file's metadata.
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx(model: &Model, properties: &[(&str, String)]) -> Result<Vec<u8>, ModelError> {
    let mut graph = Graph::default();
    for TensorSpec { name, shape } in model.config.tensors() {
        graph.floats(&name, &shape, model.weights.values(&name, &shape)?);
    }
    Ok(file(graph, &model.config, properties))
}

/// The bytes of an ONNX file like that of [`to_onnx`], but with nearly all weights in 8 bits, which
/// makes it a third to a quarter of the size. It computes in f32, with the weights of
/// [`in_eight_bits`](super::in_eight_bits).
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx_int8(model: &Model, properties: &[(&str, String)]) -> Result<Vec<u8>, ModelError> {
    let mut graph = Graph::default();
    for tensor in model.config.tensors() {
        let (name, shape) = (&tensor.name, &tensor.shape);
        let values = model.weights.values(name, shape)?;
        if is_rounded(&tensor) {
            graph.bytes(name, shape, &EightBit::round(values, shape[1]));
        } else {
            graph.floats(name, shape, values);
        }
    }
    Ok(file(graph, &model.config, properties))
}

/// Whether a tensor is one of those in 8 bits: the matrices that are large enough to be worth a scale
/// for each output, all but the first and the last ones.
pub(super) fn is_rounded(tensor: &TensorSpec) -> bool {
    const MANY: usize = 1024;
    tensor.name.ends_with(".weight") && tensor.shape.iter().product::<usize>() >= MANY
}

fn file(mut graph: Graph, config: &ModelConfig, properties: &[(&str, String)]) -> Vec<u8> {
    add_shapes(&mut graph, config);
    add_input(&mut graph, config);
    let mut trunk = "input.output".to_owned();
    for index in 0..config.blocks {
        trunk = add_block(&mut graph, config, index, &trunk);
    }
    add_policy(&mut graph, config, &trunk);
    add_value(&mut graph, &trunk);
    graph.into_file("crownhead", properties)
}

/// Constants that shape tensors. A square beyond the edge is a ghost: a row of zeros behind the
/// last square.
fn add_shapes(graph: &mut Graph, config: &ModelConfig) {
    let [squares, taps, channels, flat] = [
        config.n_squares,
        config.n_taps * config.channels,
        config.channels,
        config.n_squares * config.value_channels,
    ]
    .map(|extent| extent as i64);
    let neighbors = taps::neighbors(config.n_squares, config.n_taps);
    let indices = neighbors.map(|square| square.unwrap_or(config.n_squares) as i64);
    graph.ints("taps", &indices.collect::<Vec<_>>());
    graph.ints("one_ghost", &[0, 0, 0, 0, 1, 0]);
    graph.ints("rows_of_taps", &[-1, taps]);
    graph.ints("boards_of_squares", &[-1, squares, channels]);
    graph.ints("rows_of_boards", &[-1, flat]);
    graph.ints("axis_of_squares", &[1]);
    graph.ints("axis_of_channels", &[2]);
    let dim = config.policy_dim as i64;
    graph.ints("policy_parts", &[dim, dim, 1]);
}

fn add_input(graph: &mut Graph, config: &ModelConfig) {
    let meaning = "what stands on each square, see manifest.json";
    graph.input("planes", &[config.n_squares, PLANES], meaning);
    graph.input("globals", &[GLOBALS], "what belongs to no square");
    graph.node("MatMul", &["planes", "input.weight"], "input.pieces");
    graph.node("Add", &["input.pieces", "input.position"], "input.squares");
    let shared = ["globals", "input.global", "input.bias"];
    graph.node("Gemm", &shared, "input.shared");
    graph.node(
        "Unsqueeze",
        &["input.shared", "axis_of_squares"],
        "input.board",
    );
    graph.node("Add", &["input.squares", "input.board"], "input.sum");
    graph.node("Relu", &["input.sum"], "input.output");
}

/// Adds a residual block and returns the name of its output.
fn add_block(graph: &mut Graph, config: &ModelConfig, index: usize, input: &str) -> String {
    let name = |part: &str| format!("blocks.{index}.{part}");
    let product = add_convolution(graph, &name("conv1"), input);
    let (relu, mut inner) = (name("conv1.relu"), name("conv1.output"));
    graph.node("Relu", &[&product], &relu);
    graph.node("Reshape", &[&relu, "boards_of_squares"], &inner);
    if config.is_pooled(index) {
        inner = add_pool(graph, &name("pool"), &inner);
    }
    let product = add_convolution(graph, &name("conv2"), &inner);
    let (squares, sum, output) = (name("conv2.output"), name("sum"), name("output"));
    graph.node("Reshape", &[&product, "boards_of_squares"], &squares);
    graph.node("Add", &[input, &squares], &sum);
    graph.node("Relu", &[&sum], &output);
    output
}

/// Adds each square's taps side by side and their product with the weights, `[batch * squares,
/// channels]`. One product with a bias over all squares is what runtimes do fastest.
fn add_convolution(graph: &mut Graph, name: &str, input: &str) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let (padded, taps, rows, product) =
        (part("padded"), part("taps"), part("rows"), part("product"));
    graph.node("Pad", &[input, "one_ghost"], &padded);
    let axis = [Attribute::Int("axis", 1)];
    graph.node_with("Gather", &[&padded, "taps"], &[&taps], &axis);
    graph.node("Reshape", &[&taps, "rows_of_taps"], &rows);
    graph.node("Gemm", &[&rows, &part("weight"), &part("bias")], &product);
    product
}

/// Adds the global pooling bias and returns the name of the squares with it.
fn add_pool(graph: &mut Graph, name: &str, input: &str) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let (mean, maximum, both) = (part("mean"), part("maximum"), part("both"));
    let (bias, output) = (part("bias"), part("output"));
    graph.node_with("ReduceMean", &[input], &[&mean], &[SQUARES]);
    graph.node_with("ReduceMax", &[input], &[&maximum], &[SQUARES]);
    let axis = [Attribute::Int("axis", 2)];
    graph.node_with("Concat", &[&mean, &maximum], &[&both], &axis);
    graph.node("MatMul", &[&both, &part("weight")], &bias);
    graph.node("Add", &[input, &bias], &output);
    output
}

fn add_policy(graph: &mut Graph, config: &ModelConfig, trunk: &str) {
    let (squares, dim) = (config.n_squares, config.policy_dim);
    graph.node("MatMul", &[trunk, "policy.weight"], "policy.product");
    graph.node("Add", &["policy.product", "policy.bias"], "policy.output");
    let (parts, axis) = (["f", "t", "policy.captured"], [Attribute::Int("axis", 2)]);
    graph.node_with("Split", &["policy.output", "policy_parts"], &parts, &axis);
    graph.node("Squeeze", &["policy.captured", "axis_of_channels"], "k");
    graph.output("f", &[squares, dim], "each square as the origin of a move");
    graph.output(
        "t",
        &[squares, dim],
        "each square as the destination of a move",
    );
    graph.output("k", &[squares], "each square as that of a captured piece");
}

fn add_value(graph: &mut Graph, trunk: &str) {
    graph.node(
        "MatMul",
        &[trunk, "value.square.weight"],
        "value.square.product",
    );
    let sum = ["value.square.product", "value.square.bias"];
    graph.node("Add", &sum, "value.square.sum");
    graph.node("Relu", &["value.square.sum"], "value.square.output");
    let flat = ["value.square.output", "rows_of_boards"];
    graph.node("Reshape", &flat, "value.hidden.input");
    let hidden = [
        "value.hidden.input",
        "value.hidden.weight",
        "value.hidden.bias",
    ];
    graph.node("Gemm", &hidden, "value.hidden.product");
    graph.node("Relu", &["value.hidden.product"], "value.hidden.output");
    let out = ["value.hidden.output", "value.out.weight", "value.out.bias"];
    graph.node("Gemm", &out, "value.out.product");
    let axis = [Attribute::Int("axis", 1)];
    graph.node_with("Softmax", &["value.out.product"], &["wdl"], &axis);
    graph.output(
        "wdl",
        &[3],
        "probabilities of win, draw and loss for the side to move",
    );
}
