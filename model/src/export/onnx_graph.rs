//! An ONNX graph, built node by node. Field and type numbers are from `onnx.proto`.

use super::protobuf::Message;
use crate::eight_bit::EightBit;

/// The version of the operator set, the first one in which all operators have the required meaning.
const OPSET: i64 = 13;
/// The file format version that belongs to the operator set.
const IR_VERSION: i64 = 7;

const FLOAT: i64 = 1;
const UINT8: i64 = 2;
const INT8: i64 = 3;
const INT64: i64 = 7;

/// Nodes are in the order of computation; a node is named after its first output.
#[derive(Debug, Default)]
pub(super) struct OnnxGraph {
    nodes: Vec<Message>,
    initializers: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
}

/// A node attribute that is not a tensor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attribute {
    /// One integer.
    Int(&'static str, i64),
    /// Several integers.
    Ints(&'static str, &'static [i64]),
}

/// The axis along which a node works.
pub(super) const AXIS_1: Option<Attribute> = Some(Attribute::Int("axis", 1));
/// See [`AXIS_1`].
pub(super) const AXIS_2: Option<Attribute> = Some(Attribute::Int("axis", 2));

impl Attribute {
    fn message(self) -> Message {
        const INT_TYPE: i64 = 2;
        const INTS_TYPE: i64 = 7;
        let named = |name| Message::default().text(1, name);
        match self {
            Self::Int(name, value) => named(name).int(3, value).int(20, INT_TYPE),
            Self::Ints(name, values) => {
                let start = named(name);
                let all = values
                    .iter()
                    .fold(start, |message, &value| message.int(8, value));
                all.int(20, INTS_TYPE)
            }
        }
    }
}

impl OnnxGraph {
    /// Adds a constant of f32 values in row-major order.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(name, shape, FLOAT, &bytes);
    }

    /// Adds a matrix stored in 8 bits; nodes see it in f32.
    ///
    /// It avoids `DequantizeLinear`: onnxruntime would fuse that with the following product into
    /// one operator that also rounds the other factor to 8 bits, so the outputs would differ from
    /// the measured ones. A product of constants is folded when the file is loaded.
    pub(super) fn bytes(&mut self, name: &str, shape: &[usize], matrix: &EightBit) {
        let (numbers, scale) = self.numbers(name, shape, matrix);
        let (whole, to) = (format!("{name}.whole"), Attribute::Int("to", FLOAT));
        self.node_with("Cast", &[&numbers], &[&whole], Some(to));
        self.node("Mul", &[&whole, &scale], name);
    }

    /// Adds a matrix in 8 bits that nodes see as bytes: its product with bytes is an integer
    /// product.
    pub(super) fn dequantized(&mut self, name: &str, shape: &[usize], matrix: &EightBit) {
        let (numbers, scale) = self.numbers(name, shape, matrix);
        self.node_with("DequantizeLinear", &[&numbers, &scale], &[name], AXIS_1);
    }

    /// Adds the constants of a matrix in 8 bits and returns the names of the values and of the
    /// scales.
    fn numbers(&mut self, name: &str, shape: &[usize], matrix: &EightBit) -> (String, String) {
        let (numbers, scale) = (format!("{name}.int8"), format!("{name}.scale"));
        let bytes: Vec<u8> = matrix.values.iter().map(|v| v.cast_unsigned()).collect();
        self.constant(&numbers, shape, INT8, &bytes);
        self.floats(&scale, &[matrix.scales.len()], &matrix.scales);
        (numbers, scale)
    }

    /// Adds a constant byte, the zero point.
    pub(super) fn byte(&mut self, name: &str, byte: u8) {
        self.constant(name, &[], UINT8, &[byte]);
    }

    /// Adds a constant vector of integers.
    pub(super) fn ints(&mut self, name: &str, values: &[i64]) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(name, &[values.len()], INT64, &bytes);
    }

    fn constant(&mut self, name: &str, shape: &[usize], data_type: i64, bytes: &[u8]) {
        let dims = shape.iter().fold(Message::default(), |message, &extent| {
            message.int(1, extent as i64)
        });
        let tensor = dims.int(2, data_type).text(8, name).data(9, bytes);
        self.initializers.push(tensor);
    }

    /// Adds an input of f32 values, `[batch, shape..]`.
    pub(super) fn input(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.inputs.push(value_info(name, shape, meaning));
    }

    /// Declares a node's output as an output of the graph, `[batch, shape..]`.
    pub(super) fn output(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.outputs.push(value_info(name, shape, meaning));
    }

    /// Adds a node with one output and returns the output's name.
    pub(super) fn node(&mut self, operator: &str, inputs: &[&str], output: &str) -> String {
        self.node_with(operator, inputs, &[output], None);
        output.to_owned()
    }

    /// Adds a node with several outputs or with an attribute.
    pub(super) fn node_with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        outputs: &[&str],
        attribute: Option<Attribute>,
    ) {
        let texts = |message: Message, field, texts: &[&str]| {
            let texts = texts.iter();
            texts.fold(message, |message, text| message.text(field, text))
        };
        let message = texts(texts(Message::default(), 1, inputs), 2, outputs);
        let message = message.text(3, outputs[0]).text(4, operator);
        let attributes: Vec<_> = attribute.into_iter().map(Attribute::message).collect();
        self.nodes.push(message.messages(5, &attributes));
    }

    /// Serializes the graph and these properties as an ONNX file.
    pub(super) fn into_file(self, name: &str, properties: &[(&str, String)]) -> Vec<u8> {
        let graph = Message::default()
            .messages(1, &self.nodes)
            .text(2, name)
            .messages(5, &self.initializers)
            .messages(11, &self.inputs)
            .messages(12, &self.outputs);
        let properties: Vec<_> = properties
            .iter()
            .map(|(key, value)| Message::default().text(1, key).text(2, value))
            .collect();
        Message::default()
            .int(1, IR_VERSION)
            .text(2, "crownhead")
            .text(3, env!("CARGO_PKG_VERSION"))
            .message(7, &graph)
            .message(8, &Message::default().text(1, "").int(2, OPSET))
            .messages(14, &properties)
            .into_bytes()
    }
}

fn value_info(name: &str, shape: &[usize], meaning: &str) -> Message {
    let batch = Message::default().text(2, "batch");
    let fixed = |&extent: &usize| Message::default().int(1, extent as i64);
    let dims: Vec<_> = std::iter::once(batch)
        .chain(shape.iter().map(fixed))
        .collect();
    let shape = Message::default().messages(1, &dims);
    let tensor = Message::default().int(1, FLOAT).message(2, &shape);
    Message::default()
        .text(1, name)
        .message(2, &Message::default().message(1, &tensor))
        .text(3, meaning)
}
