//! A simple interpreter for the ONNX operators that our files use.

use std::collections::HashMap;

/// The parts of a file used by tests.
pub(crate) struct OnnxFile {
    pub(crate) ir_version: i64,
    pub(crate) opset: i64,
    pub(crate) properties: HashMap<String, String>,
    /// [input or output] dimensions, by number or name.
    pub(crate) shapes: HashMap<String, Vec<String>>,
    nodes: Vec<Node>,
    floats: HashMap<String, Tensor>,
    ints: HashMap<String, Vec<i64>>,
    outputs: Vec<String>,
}

struct Node {
    operator: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Integers of every attribute.
    attributes: HashMap<String, Vec<i64>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

/// A message's fields by number, in order.
struct Message<'a>(Vec<(u64, Field<'a>)>);

enum Field<'a> {
    Int(i64),
    Bytes(&'a [u8]),
}

impl<'a> Message<'a> {
    fn read(mut bytes: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = varint(&mut bytes);
            let field = match key & 7 {
                0 => Field::Int(value.cast_signed()),
                2 => Field::Bytes(bytes.split_off(..value as usize).expect("whole")),
                kind => panic!("wire type {kind}"),
            };
            fields.push((key >> 3, field));
        }
        Self(fields)
    }

    fn all(&self, number: u64) -> impl Iterator<Item = &Field<'a>> {
        let fields = self.0.iter();
        fields
            .filter(move |(found, _)| *found == number)
            .map(|(_, field)| field)
    }

    fn ints(&self, number: u64) -> Vec<i64> {
        let int = |field: &Field| match field {
            Field::Int(value) => *value,
            Field::Bytes(_) => panic!("field {number} is no integer"),
        };
        self.all(number).map(int).collect()
    }

    fn bytes(&self, number: u64) -> Vec<&'a [u8]> {
        let bytes = |field: &Field<'a>| match field {
            Field::Bytes(bytes) => *bytes,
            Field::Int(_) => panic!("field {number} is an integer"),
        };
        self.all(number).map(bytes).collect()
    }

    fn texts(&self, number: u64) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        self.bytes(number).into_iter().map(text).collect()
    }

    fn text(&self, number: u64) -> String {
        self.texts(number).remove(0)
    }

    fn messages(&self, number: u64) -> Vec<Message<'a>> {
        self.bytes(number).into_iter().map(Message::read).collect()
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.split_off_first().expect("whole");
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a varint of more than ten bytes")
}

impl OnnxFile {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let file = Message::read(bytes);
        let graph = file.messages(7).remove(0);
        let property = |entry: &Message| (entry.text(1), entry.text(2));
        let mut read = Self {
            ir_version: file.ints(1)[0],
            opset: file.messages(8)[0].ints(2)[0],
            properties: file.messages(14).iter().map(property).collect(),
            shapes: HashMap::new(),
            nodes: graph.messages(1).iter().map(node).collect(),
            floats: HashMap::new(),
            ints: HashMap::new(),
            outputs: graph.messages(12).iter().map(|info| info.text(1)).collect(),
        };
        for info in graph.messages(11).iter().chain(&graph.messages(12)) {
            let tensor = info.messages(2)[0].messages(1).remove(0);
            assert_eq!(tensor.ints(1), [1], "f32");
            let extent = |dim: &Message| match dim.ints(1).first() {
                Some(extent) => extent.to_string(),
                None => dim.text(2),
            };
            let dims = tensor.messages(2)[0].messages(1);
            read.shapes
                .insert(info.text(1), dims.iter().map(extent).collect());
        }
        for tensor in graph.messages(5) {
            read.add_constant(&tensor);
        }
        read
    }

    fn add_constant(&mut self, tensor: &Message) {
        let (name, raw) = (tensor.text(8), tensor.bytes(9)[0]);
        let shape: Vec<usize> = tensor
            .ints(1)
            .iter()
            .map(|&extent| extent as usize)
            .collect();
        let n_values = shape.iter().product::<usize>();
        match tensor.ints(2)[0] {
            1 => {
                let values: Vec<f32> = raw
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&bytes| f32::from_le_bytes(bytes))
                    .collect();
                assert_eq!(
                    (values.len(), raw.len()),
                    (n_values, 4 * n_values),
                    "{name}"
                );
                self.floats.insert(name, Tensor { shape, values });
            }
            2 => {
                assert_eq!(raw.len(), n_values, "{name}");
                let values = raw.iter().copied().map(f32::from).collect();
                self.floats.insert(name, Tensor { shape, values });
            }
            3 => {
                assert_eq!(raw.len(), n_values, "{name}");
                let values = raw.iter().map(|byte| f32::from(byte.cast_signed()));
                let values = values.collect();
                self.floats.insert(name, Tensor { shape, values });
            }
            7 => {
                let values = raw
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&bytes| i64::from_le_bytes(bytes));
                self.ints.insert(name, values.collect());
            }
            other => panic!("{name} has type {other}"),
        }
    }

    /// All outputs of the graph.
    pub(crate) fn run(&self, inputs: [(&str, Tensor); 2]) -> HashMap<String, Tensor> {
        let mut values = self.floats.clone();
        values.extend(inputs.map(|(name, tensor)| (name.to_owned(), tensor)));
        for node in &self.nodes {
            let results = self.compute(node, &values);
            assert_eq!(results.len(), node.outputs.len());
            for (name, result) in node.outputs.iter().zip(results) {
                let earlier = values.insert(name.clone(), result);
                assert!(earlier.is_none(), "{name} is computed twice");
            }
        }
        let output = |name: &String| (name.clone(), values[name].clone());
        self.outputs.iter().map(output).collect()
    }

    fn compute(&self, node: &Node, values: &HashMap<String, Tensor>) -> Vec<Tensor> {
        let x = &values[&node.inputs[0]];
        let y = || &values[&node.inputs[1]];
        let ints = || self.ints[&node.inputs[1]].as_slice();
        let range = || (y().values[0], values[&node.inputs[2]].values[0]);
        let attribute = |name: &str| node.attributes[name].as_slice();
        let result = match node.operator.as_str() {
            "MatMul" => product(x, y()),
            "Gemm" => add(&product(x, y()), &values[&node.inputs[2]]),
            "Add" => add(x, y()),
            // 8-bit integers are represented as f32 here.
            "Cast" => {
                assert_eq!(attribute("to"), [1]);
                x.clone()
            }
            "Mul" => scaled(x, y()),
            "QuantizeLinear" => {
                let (scale, zero) = range();
                x.map(|value| ((value / scale).round_ties_even() + zero).clamp(0.0, 255.0))
            }
            "DequantizeLinear" if node.inputs.len() == 2 => {
                assert_eq!(attribute("axis"), [1]);
                scaled(x, y())
            }
            "DequantizeLinear" => x.map(|value| (value - range().1) * range().0),
            "Relu" => x.map(|value| value.max(0.0)),
            "Pad" => {
                assert_eq!(ints(), [0, 0, 0, 0, 1, 0]);
                padded(
                    x,
                    node.inputs
                        .get(2)
                        .map_or(0.0, |name| values[name].values[0]),
                )
            }
            "Gather" => {
                assert_eq!(attribute("axis"), [1]);
                gather(x, ints())
            }
            "Reshape" => x.reshaped(ints()),
            "Unsqueeze" => {
                let mut shape = x.shape.clone();
                shape.insert(ints()[0] as usize, 1);
                Tensor { shape, ..x.clone() }
            }
            "Squeeze" => {
                let mut shape = x.shape.clone();
                assert_eq!(shape.remove(ints()[0] as usize), 1);
                Tensor { shape, ..x.clone() }
            }
            "ReduceMean" | "ReduceMax" => {
                assert_eq!(attribute("axes"), [1]);
                reduce(x, node.operator == "ReduceMax")
            }
            "Concat" => {
                assert_eq!(attribute("axis"), [2]);
                let rows = x.rows().zip(y().rows()).flat_map(|(x, y)| [x, y].concat());
                let shape = vec![x.shape[0], x.shape[1], x.shape[2] + y().shape[2]];
                Tensor {
                    shape,
                    values: rows.collect(),
                }
            }
            "Split" => {
                assert_eq!(attribute("axis"), [2]);
                return split(x, ints());
            }
            "Softmax" => {
                assert_eq!((attribute("axis"), x.shape.len()), ([1].as_slice(), 2));
                let powers = x.map(f32::exp);
                let row = |row: &[f32]| {
                    let sum = row.iter().sum::<f32>();
                    row.iter().map(|power| power / sum).collect::<Vec<_>>()
                };
                Tensor {
                    values: powers.rows().flat_map(row).collect(),
                    ..powers.clone()
                }
            }
            other => panic!("operator {other}"),
        };
        vec![result]
    }
}

fn node(message: &Message) -> Node {
    let attribute = |attribute: &Message| {
        let ints = [attribute.ints(3), attribute.ints(8)].concat();
        (attribute.text(1), ints)
    };
    Node {
        operator: message.text(4),
        inputs: message.texts(1),
        outputs: message.texts(2),
        attributes: message.messages(5).iter().map(attribute).collect(),
    }
}

impl Tensor {
    fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values
            .chunks_exact(*self.shape.last().expect("no scalars"))
    }

    fn map(&self, change: impl Fn(f32) -> f32) -> Self {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Self {
            shape: self.shape.clone(),
            values,
        }
    }

    fn reshaped(&self, shape: &[i64]) -> Self {
        let known: i64 = shape.iter().filter(|&&extent| extent > 0).product();
        let rest = self.values.len() / known as usize;
        let extent = |&extent: &i64| if extent == -1 { rest } else { extent as usize };
        let shape: Vec<usize> = shape.iter().map(extent).collect();
        assert_eq!(shape.iter().product::<usize>(), self.values.len());
        Self {
            shape,
            values: self.values.clone(),
        }
    }
}

/// Every board with an additional last square that holds this value.
fn padded(x: &Tensor, ghost: f32) -> Tensor {
    let squares: Vec<i64> = (0..=x.shape[1] as i64).collect();
    gather(&x.map(|value| value - ghost), &squares).map(|value| value + ghost)
}

/// Every row times the scales of its columns.
fn scaled(x: &Tensor, scales: &Tensor) -> Tensor {
    assert_eq!(scales.shape, [x.shape[1]]);
    let row =
        |row: &[f32]| -> Vec<f32> { row.iter().zip(&scales.values).map(|(x, y)| x * y).collect() };
    Tensor {
        values: x.rows().flat_map(row).collect(),
        ..x.clone()
    }
}

/// Every row times a matrix.
fn product(x: &Tensor, matrix: &Tensor) -> Tensor {
    let [n_inputs, n_outputs] = matrix.shape[..] else {
        panic!("{:?} is no matrix", matrix.shape)
    };
    assert_eq!(x.shape.last(), Some(&n_inputs));
    let column = |row: &[f32], column: usize| {
        let weights = matrix.values[column..].iter().step_by(n_outputs);
        row.iter()
            .zip(weights)
            .map(|(x, w)| f64::from(x * w))
            .sum::<f64>() as f32
    };
    let values = x
        .rows()
        .flat_map(|row| (0..n_outputs).map(move |index| column(row, index)));
    let mut shape = x.shape.clone();
    shape.pop();
    shape.push(n_outputs);
    Tensor {
        shape,
        values: values.collect(),
    }
}

/// The sum of two tensors; `y` is broadcast along missing dimensions and dimensions of size 1.
fn add(x: &Tensor, y: &Tensor) -> Tensor {
    let missing = x.shape.len() - y.shape.len();
    let mut sum = x.clone();
    for (index, value) in sum.values.iter_mut().enumerate() {
        let (mut rest, mut place, mut stride) = (index, 0, 1);
        for (axis, extent) in x.shape.iter().enumerate().rev() {
            let at = rest % extent;
            rest /= extent;
            if axis >= missing {
                let own = y.shape[axis - missing];
                assert!(own == 1 || own == *extent, "{:?} {:?}", x.shape, y.shape);
                place += if own == 1 { 0 } else { at * stride };
                stride *= own;
            }
        }
        *value += y.values[place];
    }
    sum
}

/// Rows of the second axis by index; an index after the last row gives zeros.
fn gather(x: &Tensor, indices: &[i64]) -> Tensor {
    let [batch, n_rows, width] = x.shape[..] else {
        panic!("{:?}", x.shape)
    };
    let mut values = Vec::new();
    for board in x.values.chunks_exact(n_rows * width) {
        for &index in indices {
            match board.chunks_exact(width).nth(index as usize) {
                Some(row) => values.extend_from_slice(row),
                None => values.extend(vec![0.0; width]),
            }
        }
    }
    Tensor {
        shape: vec![batch, indices.len(), width],
        values,
    }
}

fn reduce(x: &Tensor, is_max: bool) -> Tensor {
    let [batch, n_rows, width] = x.shape[..] else {
        panic!("{:?}", x.shape)
    };
    let mut values = Vec::new();
    for board in x.values.chunks_exact(n_rows * width) {
        for channel in 0..width {
            let column = board[channel..].iter().step_by(width);
            values.push(match is_max {
                true => column.copied().fold(f32::NEG_INFINITY, f32::max),
                false => column.sum::<f32>() / n_rows as f32,
            });
        }
    }
    Tensor {
        shape: vec![batch, 1, width],
        values,
    }
}

fn split(x: &Tensor, widths: &[i64]) -> Vec<Tensor> {
    let mut first = 0;
    let part = |&width: &i64| {
        let range = first..first + width as usize;
        first = range.end;
        let mut shape = x.shape.clone();
        shape.pop();
        shape.push(width as usize);
        Tensor {
            shape,
            values: x
                .rows()
                .flat_map(|row| row[range.clone()].to_vec())
                .collect(),
        }
    };
    let parts = widths.iter().map(part).collect();
    assert_eq!(x.shape.last(), Some(&first));
    parts
}
