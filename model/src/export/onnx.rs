//! The network as an ONNX graph of standard operators.

use super::Calibration;
use super::onnx_graph::{Attribute, OnnxGraph};
use crate::cpu::ByteRange;
use crate::eight_bit::EightBit;
use crate::graph::{End, Op};
use crate::tensor::TensorSpec;
use crate::{GLOBALS, HeadId, Model, ModelConfig, ModelError, taps};

/// Squares are the second axis of all activations, `[batch, squares, channels]`.
const SQUARES: Attribute = Attribute::Ints("axes", &[1]);

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
    let mut graph = OnnxGraph::default();
    for TensorSpec { name, shape, .. } in model.config.tensors() {
        graph.floats(&name, &shape, model.weights.values(&name, &shape)?);
    }
    Ok(file(graph, &model.config, &[], properties))
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
    let mut graph = OnnxGraph::default();
    let convolutions: Vec<String> = model
        .config
        .graph()
        .into_iter()
        .filter_map(|op| match op {
            Op::Conv { layer, .. } => Some(layer.weight.name),
            _ => None,
        })
        .collect();
    for TensorSpec { name, shape, .. } in model.config.tensors() {
        let values = model.weights.values(&name, &shape)?;
        if convolutions.contains(&name) {
            graph.dequantized(&name, &shape, &EightBit::round(values, shape[1]));
        } else {
            graph.floats(&name, &shape, values);
        }
    }
    Ok(file(graph, &model.config, calibration.ranges(), properties))
}

/// An ONNX file like [`to_onnx`], but with nearly all weights in 8 bits, which reduces its size to
/// a third or a quarter. It computes in f32, with the weights of
/// [`in_eight_bits`](super::in_eight_bits).
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn to_onnx_int8(model: &Model, properties: &[(&str, String)]) -> Result<Vec<u8>, ModelError> {
    let mut graph = OnnxGraph::default();
    for tensor in model.config.tensors() {
        let (name, shape) = (&tensor.name, &tensor.shape);
        let values = model.weights.values(name, shape)?;
        if is_rounded(&tensor) {
            graph.bytes(name, shape, &EightBit::round(values, shape[1]));
        } else {
            graph.floats(name, shape, values);
        }
    }
    Ok(file(graph, &model.config, &[], properties))
}

/// True if a tensor is stored in 8 bits: matrices large enough to justify a scale per output,
/// except the first and the last layers.
pub(super) fn is_rounded(tensor: &TensorSpec) -> bool {
    const MANY: usize = 1024;
    tensor.decays && tensor.n_values() >= MANY
}

/// Builds the graph after its constants. Convolutions with `ranges` read bytes.
fn file(
    mut graph: OnnxGraph,
    config: &ModelConfig,
    ranges: &[ByteRange],
    properties: &[(&str, String)],
) -> Vec<u8> {
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
    graph.into_file("crownhead", properties)
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
    graph.node(
        "Add",
        &["input.contents", "input.position"],
        "input.squares",
    );
    let shared = ["globals", "input.global", "input.bias"];
    graph.node("Gemm", &shared, "input.shared");
    graph.node(
        "Unsqueeze",
        &["input.shared", "axis_of_squares"],
        "input.board",
    );
    graph.node("Add", &["input.squares", "input.board"], "input.sum");
    graph.node("Relu", &["input.sum"], "input.output");
    "input.output".to_owned()
}

/// Adds the beginning of a block and returns the name of its output.
fn add_branch(graph: &mut OnnxGraph, name: &str, stream: &str, range: Option<ByteRange>) -> String {
    let (relu, output) = (format!("{name}.relu"), format!("{name}.output"));
    if let Some(range) = range {
        let squares = add_byte_convolution(graph, name, stream, range);
        graph.node("Relu", &[&squares], &output);
        return output;
    }
    let product = add_convolution(graph, name, stream);
    graph.node("Relu", &[&product], &relu);
    graph.node("Reshape", &[&relu, "boards_of_squares"], &output);
    output
}

/// Adds the end of a block and returns the name of the residual stream after it.
fn add_residual(
    graph: &mut OnnxGraph,
    name: &str,
    [stream, branch]: [&str; 2],
    range: Option<ByteRange>,
) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let (sum, output) = (part("sum"), part("stream"));
    let squares = match range {
        Some(range) => add_byte_convolution(graph, name, branch, range),
        None => {
            let (product, squares) = (add_convolution(graph, name, branch), part("output"));
            graph.node("Reshape", &[&product, "boards_of_squares"], &squares);
            squares
        }
    };
    graph.node("Add", &[stream, &squares], &sum);
    graph.node("Relu", &[&sum], &output);
    output
}

/// Adds the concatenated inputs of each square's taps and their product with the weights,
/// `[batch * squares, channels]`. Runtimes are fastest with one product with a bias over all
/// squares.
fn add_convolution(graph: &mut OnnxGraph, name: &str, input: &str) -> String {
    let padded = format!("{name}.padded");
    graph.node("Pad", &[input, "one_ghost"], &padded);
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
    let (bytes, padded, floats) = (part("bytes"), part("padded"), part("floats"));
    graph.node("QuantizeLinear", &[input, &scale, &zero], &bytes);
    graph.node("Pad", &[&bytes, "one_ghost", &zero], &padded);
    let rows = add_taps(graph, name, &padded);
    graph.node("DequantizeLinear", &[&rows, &scale, &zero], &floats);
    let (sums, boards, squares) = (part("sums"), part("boards"), part("squares"));
    graph.node("MatMul", &[&floats, &part("weight")], &sums);
    graph.node("Reshape", &[&sums, "boards_of_squares"], &boards);
    graph.node("Add", &[&boards, &part("bias")], &squares);
    squares
}

/// Adds the rows of a convolution, the concatenated inputs of each square's taps, and returns their
/// name.
fn add_taps(graph: &mut OnnxGraph, name: &str, padded: &str) -> String {
    let (taps, rows) = (format!("{name}.taps"), format!("{name}.rows"));
    let axis = [Attribute::Int("axis", 1)];
    graph.node_with("Gather", &[padded, "taps"], &[&taps], &axis);
    graph.node("Reshape", &[&taps, "rows_of_taps"], &rows);
    rows
}

/// Adds the global pooling bias and returns the name of the resulting squares.
fn add_pool(graph: &mut OnnxGraph, name: &str, input: &str) -> String {
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

fn add_policy(graph: &mut OnnxGraph, config: &ModelConfig, trunk: &str) {
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
    graph.output(
        "k",
        &[squares],
        "each square as the square of a captured piece",
    );
}

/// Adds the summary and returns its name.
fn add_summary(graph: &mut OnnxGraph, [squares, hidden]: [&str; 2], trunk: &str) -> String {
    let part = |name: &str, part: &str| format!("{name}.{part}");
    let (product, sum) = (part(squares, "product"), part(squares, "sum"));
    graph.node("MatMul", &[trunk, &part(squares, "weight")], &product);
    graph.node("Add", &[&product, &part(squares, "bias")], &sum);
    let (output, flat) = (part(squares, "output"), part(hidden, "input"));
    graph.node("Relu", &[&sum], &output);
    graph.node("Reshape", &[&output, "rows_of_boards"], &flat);
    let product = add_product(graph, hidden, &flat);
    let output = part(hidden, "output");
    graph.node("Relu", &[&product], &output);
    output
}

/// Adds the value head after the summary.
fn add_value(graph: &mut OnnxGraph, name: &str, summary: &str) {
    let product = add_product(graph, name, summary);
    let axis = [Attribute::Int("axis", 1)];
    graph.node_with("Softmax", &[&product], &["wdl"], &axis);
    graph.output(
        "wdl",
        &[3],
        "probabilities of win, draw and loss for the side to move",
    );
}

/// Adds the product of rows with a layer's weights and its bias, and returns its name.
fn add_product(graph: &mut OnnxGraph, name: &str, rows: &str) -> String {
    let part = |part: &str| format!("{name}.{part}");
    let product = part("product");
    graph.node("Gemm", &[rows, &part("weight"), &part("bias")], &product);
    product
}
