//! The network as an ONNX graph of standard operators.

use super::Calibration;
use super::onnx_graph::{AXIS_1, AXIS_2, Attribute, OnnxGraph};
use crate::cpu::ByteRange;
use crate::eight_bit::EightBit;
use crate::graph::{End, Op};
use crate::tensor::TensorSpec;
use crate::{GLOBALS, HeadId, Model, ModelConfig, ModelError, taps};

/// Squares are the second axis of all activations, `[batch, squares, channels]`.
const SQUARES: Option<Attribute> = Some(Attribute::Ints("axes", &[1]));

/// An ONNX file that evaluates the network for any batch size.
///
/// Inputs are `planes` `[batch, squares, planes]` and `globals` `[batch, GLOBALS]`, as written by
/// [`encode`](crate::encoding::encode). Outputs are `f` and `t` `[batch, squares, d]` and `k`
/// `[batch, squares]`, which score moves, and `wdl` `[batch, 3]`, the probabilities of win, draw
/// and loss for the side to move. Constants have the names of
/// [`ModelConfig::tensors`](crate::ModelConfig::tensors); `properties` become the file's metadata.
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx(model: &Model, properties: &[(&str, String)]) -> Result<Vec<u8>, ModelError> {
    file(model, &[], properties, |_| None)
}

/// An ONNX file like [`to_onnx`], but with convolutions in bytes: faster in runtimes with
/// instructions for byte products, and less precise.
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx_qdq(
    model: &Model,
    calibration: &Calibration,
    properties: &[(&str, String)],
) -> Result<Vec<u8>, ModelError> {
    let ops = model.config.graph();
    let convolutions = ops.iter().filter_map(|op| match op {
        Op::Conv { layer, .. } => Some(&layer.weight),
        _ => None,
    });
    let convolutions: Vec<&TensorSpec> = convolutions.collect();
    file(model, calibration.ranges(), properties, |tensor| {
        let is_convolution = convolutions.contains(&tensor);
        is_convolution.then_some(OnnxGraph::dequantized)
    })
}

/// An ONNX file like [`to_onnx`], but with nearly all weights in 8 bits, which reduces its size to
/// a third or a quarter. It computes in f32, with the weights of
/// [`in_eight_bits`](super::in_eight_bits).
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx_int8(model: &Model, properties: &[(&str, String)]) -> Result<Vec<u8>, ModelError> {
    file(model, &[], properties, |tensor| {
        is_rounded(tensor).then_some(OnnxGraph::bytes)
    })
}

/// True if a tensor is stored in 8 bits: matrices large enough to justify a scale per output,
/// except the first and the last layers.
pub(super) fn is_rounded(tensor: &TensorSpec) -> bool {
    const MANY: usize = 1024;
    tensor.decays && tensor.n_values() >= MANY
}

/// Adds a matrix in 8 bits of this name and shape.
type AddRounded = fn(&mut OnnxGraph, &str, &[usize], &EightBit);

/// Builds the file. Tensors for which `rounded` returns a function are in 8 bits; convolutions with
/// `ranges` read bytes.
fn file(
    model: &Model,
    ranges: &[ByteRange],
    properties: &[(&str, String)],
    rounded: impl Fn(&TensorSpec) -> Option<AddRounded>,
) -> Result<Vec<u8>, ModelError> {
    let (config, mut graph) = (&model.config, OnnxGraph::default());
    for tensor in &config.tensors() {
        let TensorSpec { name, shape, .. } = tensor;
        let values = model.weights.values(name, shape)?;
        match rounded(tensor) {
            Some(add) => add(&mut graph, name, shape, &EightBit::round(values, shape[1])),
            None => graph.floats(name, shape, values),
        }
    }
    add_shapes(&mut graph, config);
    let mut ranges = ranges.iter().copied();
    // The registers of the graph, by the names of the nodes that hold them.
    let (mut stream, mut branch, mut summary) = (String::new(), String::new(), String::new());
    for op in config.graph() {
        match op {
            Op::Embed { .. } => stream = add_input(&mut graph, config),
            Op::Conv { layer, end } => {
                let (name, range) = (&layer.name, ranges.next());
                match end {
                    End::Branch => branch = add_branch(&mut graph, name, &stream, range),
                    End::Residual => {
                        stream = add_residual(&mut graph, name, [&stream, &branch], range);
                    }
                }
            }
            Op::PoolBias { layer } => branch = add_pool(&mut graph, &layer.name, &branch),
            Op::Summary { squares, hidden } => {
                summary = add_summary(&mut graph, [&squares.name, &hidden.name], &stream);
            }
            Op::SquareHead { head, .. } if head == HeadId::POLICY => {
                add_policy(&mut graph, config, &stream);
            }
            Op::BoardHead { head, layer } if head == HeadId::VALUE => {
                add_value(&mut graph, &layer.name, &summary);
            }
            // Front ends do not use other heads.
            Op::SquareHead { .. } | Op::BoardHead { .. } => {}
        }
    }
    Ok(graph.into_file("crownhead", properties))
}

/// Adds constants that shape tensors. A square beyond the edge is a ghost: a row of zeros after the
/// last square.
fn add_shapes(graph: &mut OnnxGraph, config: &ModelConfig) {
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

/// Adds the input layer and returns the name of its output.
fn add_input(graph: &mut OnnxGraph, config: &ModelConfig) -> String {
    let meaning = "the contents of each square, see manifest.json";
    graph.input("planes", &[config.n_squares, config.n_planes()], meaning);
    graph.input("globals", &[GLOBALS], "values for the whole position");
    graph.node("MatMul", &["planes", "input.weight"], "input.contents");
    let squares = ["input.contents", "input.position"];
    graph.node("Add", &squares, "input.squares");
    let shared = ["globals", "input.global", "input.bias"];
    graph.node("Gemm", &shared, "input.shared");
    let board = ["input.shared", "axis_of_squares"];
    graph.node("Unsqueeze", &board, "input.board");
    graph.node("Add", &["input.squares", "input.board"], "input.sum");
    graph.node("Relu", &["input.sum"], "input.output")
}

/// Adds the beginning of a block and returns the name of its output.
fn add_branch(graph: &mut OnnxGraph, name: &str, stream: &str, range: Option<ByteRange>) -> String {
    let output = format!("{name}.output");
    if let Some(range) = range {
        let squares = add_byte_convolution(graph, name, stream, range);
        return graph.node("Relu", &[&squares], &output);
    }
    let product = add_convolution(graph, name, stream);
    let relu = graph.node("Relu", &[&product], &format!("{name}.relu"));
    graph.node("Reshape", &[&relu, "boards_of_squares"], &output)
}

/// Adds the end of a block and returns the name of the residual stream after it.
fn add_residual(
    graph: &mut OnnxGraph,
    name: &str,
    [stream, branch]: [&str; 2],
    range: Option<ByteRange>,
) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let squares = match range {
        Some(range) => add_byte_convolution(graph, name, branch, range),
        None => {
            let product = add_convolution(graph, name, branch);
            graph.node("Reshape", &[&product, "boards_of_squares"], &part("output"))
        }
    };
    let sum = graph.node("Add", &[stream, &squares], &part("sum"));
    graph.node("Relu", &[&sum], &part("stream"))
}

/// Adds the concatenated inputs of each square's taps and their product with the weights,
/// `[batch * squares, channels]`. Runtimes are fastest with one product with a bias over all
/// squares.
fn add_convolution(graph: &mut OnnxGraph, name: &str, input: &str) -> String {
    let padded = graph.node("Pad", &[input, "one_ghost"], &format!("{name}.padded"));
    let rows = add_taps(graph, name, &padded);
    add_product(graph, name, &rows)
}

/// Adds a convolution in bytes, `[batch, squares, channels]`. The bias is added separately:
/// onnxruntime computes a product with a bias in f32.
fn add_byte_convolution(
    graph: &mut OnnxGraph,
    name: &str,
    input: &str,
    range: ByteRange,
) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let (scale, zero) = (part("input_scale"), part("input_zero"));
    graph.floats(&scale, &[], &[range.scale]);
    graph.byte(&zero, range.zero);
    let bytes = graph.node("QuantizeLinear", &[input, &scale, &zero], &part("bytes"));
    let padded = graph.node("Pad", &[&bytes, "one_ghost", &zero], &part("padded"));
    let rows = add_taps(graph, name, &padded);
    let floats = graph.node("DequantizeLinear", &[&rows, &scale, &zero], &part("floats"));
    let sums = graph.node("MatMul", &[&floats, &part("weight")], &part("sums"));
    let boards = graph.node("Reshape", &[&sums, "boards_of_squares"], &part("boards"));
    graph.node("Add", &[&boards, &part("bias")], &part("squares"))
}

/// Adds the rows of a convolution, the concatenated inputs of each square's taps, and returns their
/// name.
fn add_taps(graph: &mut OnnxGraph, name: &str, padded: &str) -> String {
    let taps = format!("{name}.taps");
    graph.node_with("Gather", &[padded, "taps"], &[&taps], AXIS_1);
    graph.node("Reshape", &[&taps, "rows_of_taps"], &format!("{name}.rows"))
}

/// Adds the global pooling bias and returns the name of the resulting squares.
fn add_pool(graph: &mut OnnxGraph, name: &str, input: &str) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let (mean, maximum, both) = (part("mean"), part("maximum"), part("both"));
    graph.node_with("ReduceMean", &[input], &[&mean], SQUARES);
    graph.node_with("ReduceMax", &[input], &[&maximum], SQUARES);
    graph.node_with("Concat", &[&mean, &maximum], &[&both], AXIS_2);
    let bias = graph.node("MatMul", &[&both, &part("weight")], &part("bias"));
    graph.node("Add", &[input, &bias], &part("output"))
}

fn add_policy(graph: &mut OnnxGraph, config: &ModelConfig, trunk: &str) {
    let (squares, dim) = (config.n_squares, config.policy_dim);
    graph.node("MatMul", &[trunk, "policy.weight"], "policy.product");
    graph.node("Add", &["policy.product", "policy.bias"], "policy.output");
    let parts = ["f", "t", "policy.captured"];
    graph.node_with("Split", &["policy.output", "policy_parts"], &parts, AXIS_2);
    graph.node("Squeeze", &["policy.captured", "axis_of_channels"], "k");
    let meanings =
        ["origin", "destination"].map(|end| format!("each square as the {end} of a move"));
    graph.output("f", &[squares, dim], &meanings[0]);
    graph.output("t", &[squares, dim], &meanings[1]);
    let meaning = "each square as the square of a captured piece";
    graph.output("k", &[squares], meaning);
}

/// Adds the summary and returns its name.
fn add_summary(graph: &mut OnnxGraph, [squares, hidden]: [&str; 2], trunk: &str) -> String {
    let part = |part: &str| format!("{squares}.{part}");
    let product = graph.node("MatMul", &[trunk, &part("weight")], &part("product"));
    let sum = graph.node("Add", &[&product, &part("bias")], &part("sum"));
    let output = graph.node("Relu", &[&sum], &part("output"));
    let flat = format!("{hidden}.input");
    graph.node("Reshape", &[&output, "rows_of_boards"], &flat);
    let product = add_product(graph, hidden, &flat);
    graph.node("Relu", &[&product], &format!("{hidden}.output"))
}

/// Adds the value head after the summary.
fn add_value(graph: &mut OnnxGraph, name: &str, summary: &str) {
    let product = add_product(graph, name, summary);
    graph.node_with("Softmax", &[&product], &["wdl"], AXIS_1);
    let meaning = "probabilities of win, draw and loss for the side to move";
    graph.output("wdl", &[3], meaning);
}

/// Adds the product of rows with a layer's weights and its bias, and returns its name.
fn add_product(graph: &mut OnnxGraph, name: &str, rows: &str) -> String {
    let part = |part: &str| format!("{name}.{part}");
    graph.node(
        "Gemm",
        &[rows, &part("weight"), &part("bias")],
        &part("product"),
    )
}
