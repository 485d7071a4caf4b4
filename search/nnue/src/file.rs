//! The file format of learned evaluations: safetensors with a description in the metadata.

use std::collections::HashMap;

use rules::Variant;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use types::Strength;

use crate::error::NetworkError;
use crate::network::{ACTIVATION_ONE, Network, Row, Tail, WEIGHT_BITS, transposed};
use crate::shape::{BUCKETS, HIDDEN, LAST, Shape, WIDTH};

/// The metadata entry that describes the network.
const METADATA_KEY: &str = "crownhead-evaluation";
/// Incremented when programs that read older files would misread new ones.
const FORMAT_VERSION: u32 = 1;

/// The maximum size of an evaluation file, ten times the largest real one.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The description of a network in its file, strict enough to reject files that would be misread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    format_version: u32,
    variant: String,
    rules_version: u32,
    inputs: usize,
    width: usize,
    hidden: usize,
    last: usize,
    buckets: usize,
    activation_one: usize,
    weight_bits: usize,
    #[serde(default, skip_serializing_if = "Strength::is_empty")]
    strength: Strength,
}

impl Description {
    pub(crate) fn of(variant: Variant) -> Description {
        Description {
            format_version: FORMAT_VERSION,
            variant: variant.name().to_owned(),
            rules_version: variant.rules_version(),
            inputs: Shape::of(variant).n_inputs(),
            width: WIDTH,
            hidden: HIDDEN,
            last: LAST,
            buckets: BUCKETS,
            activation_one: ACTIVATION_ONE as usize,
            weight_bits: WEIGHT_BITS as usize,
            strength: Strength::default(),
        }
    }

    /// The variant, if this program supports networks of this description.
    fn variant(&self) -> Result<Variant, NetworkError> {
        let field = |field, found: &dyn ToString, expected: &dyn ToString| NetworkError::Field {
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        };
        if self.format_version != FORMAT_VERSION {
            return Err(field(
                "format_version",
                &self.format_version,
                &FORMAT_VERSION,
            ));
        }
        let variant: Variant = self
            .variant
            .parse()
            .map_err(|error| field("variant", &self.variant, &format!("a game: {error}")))?;
        let expected = Description::of(variant);
        if self.rules_version != expected.rules_version {
            return Err(NetworkError::Rules {
                variant,
                found: self.rules_version,
                expected: expected.rules_version,
            });
        }
        for ((name, found), (_, expected)) in self.extents().into_iter().zip(expected.extents()) {
            if found != expected {
                return Err(field(name, &found, &expected));
            }
        }
        Ok(variant)
    }
}

impl Description {
    fn extents(&self) -> [(&'static str, usize); 7] {
        [
            ("inputs", self.inputs),
            ("width", self.width),
            ("hidden", self.hidden),
            ("last", self.last),
            ("buckets", self.buckets),
            ("activation_one", self.activation_one),
            ("weight_bits", self.weight_bits),
        ]
    }
}

impl Network {
    /// Serializes the network as a safetensors file.
    ///
    /// # Errors
    /// Never fails for a valid network.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let text = serde_json::to_string(&Description {
            strength: self.strength.clone(),
            ..Description::of(self.variant())
        })?;
        let tensors = self.tensors();
        let views: Result<Vec<_>, _> = tensors
            .iter()
            .map(|tensor| {
                TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes)
                    .map(|view| (tensor.name, view))
            })
            .collect();
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), text)]);
        Ok(safetensors::serialize(views?, Some(metadata))?)
    }

    /// Reads a network from a file of [`Network::to_bytes`], at most [`MAX_FILE_BYTES`] long.
    ///
    /// # Errors
    /// If the bytes are not a valid evaluation file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let header = bytes.first_chunk().copied().map(u64::from_le_bytes);
        if header.is_some_and(|n_bytes| n_bytes > MAX_FILE_BYTES) {
            return Err(SafeTensorError::HeaderTooLarge.into());
        }
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let text = header
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(METADATA_KEY))
            .ok_or(NetworkError::NoManifest { key: METADATA_KEY })?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(NetworkError::TooLarge {
                found: bytes.len() as u64,
                limit: MAX_FILE_BYTES,
            });
        }
        let description: Description = serde_json::from_str(text)?;
        let variant = description.variant()?;
        let file = File(SafeTensors::deserialize(bytes)?);
        let inputs = Shape::of(variant).n_inputs();
        let first = file.short("first.weight", &[inputs, WIDTH])?;
        let first_bias = file.short("first.bias", &[WIDTH])?;
        let hidden = file.short("hidden.weight", &[BUCKETS, HIDDEN, 2 * WIDTH])?;
        let hidden_bias = file.wide("hidden.bias", &[BUCKETS, HIDDEN])?;
        let last = file.short("last.weight", &[BUCKETS, LAST, HIDDEN])?;
        let last_bias = file.wide("last.bias", &[BUCKETS, LAST])?;
        let output = file.short("output.weight", &[BUCKETS, LAST])?;
        let output_bias = file.wide("output.bias", &[BUCKETS])?;
        let tail = |bucket| Tail {
            hidden: matrix(&hidden, bucket),
            hidden_bias: row(&hidden_bias, bucket),
            last: transposed(matrix(&last, bucket)),
            last_bias: row(&last_bias, bucket),
            output: row(&output, bucket),
            output_bias: output_bias[bucket],
        };
        let first = (0..inputs).map(|input| Row(row(&first, input))).collect();
        let network = Network::from_parts(
            variant,
            first,
            Row(row(&first_bias, 0)),
            (0..BUCKETS).map(tail).collect(),
        )?;
        Ok(network.with_strength(description.strength))
    }

    fn tensors(&self) -> Vec<Tensor> {
        let rows = self.first.iter().flat_map(|row| row.0);
        let mut tensors = vec![
            Tensor::short("first.weight", &[self.first.len(), WIDTH], rows),
            Tensor::short("first.bias", &[WIDTH], self.first_bias.0),
        ];
        tensors.extend(self.tail_tensors());
        tensors
    }

    fn tail_tensors(&self) -> [Tensor; 6] {
        let short = |name, shape: &[usize], values: fn(&Tail) -> Vec<i16>| {
            let shape = [&[BUCKETS], shape].concat();
            Tensor::short(name, &shape, self.tails.iter().flat_map(values))
        };
        let wide = |name, shape: &[usize], values: fn(&Tail) -> Vec<i32>| {
            let shape = [&[BUCKETS], shape].concat();
            Tensor::wide(name, &shape, self.tails.iter().flat_map(values))
        };
        let last = |tail: &Tail| transposed(tail.last).concat();
        [
            short("hidden.weight", &[HIDDEN, 2 * WIDTH], |t| t.hidden.concat()),
            wide("hidden.bias", &[HIDDEN], |t| t.hidden_bias.to_vec()),
            short("last.weight", &[LAST, HIDDEN], last),
            wide("last.bias", &[LAST], |t| t.last_bias.to_vec()),
            short("output.weight", &[LAST], |t| t.output.to_vec()),
            wide("output.bias", &[], |t| vec![t.output_bias]),
        ]
    }
}

/// A tensor to write.
struct Tensor {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn short(name: &'static str, shape: &[usize], values: impl IntoIterator<Item = i16>) -> Tensor {
        Tensor {
            name,
            dtype: Dtype::I16,
            shape: shape.to_vec(),
            bytes: values.into_iter().flat_map(i16::to_le_bytes).collect(),
        }
    }

    fn wide(name: &'static str, shape: &[usize], values: impl IntoIterator<Item = i32>) -> Tensor {
        Tensor {
            name,
            dtype: Dtype::I32,
            shape: shape.to_vec(),
            bytes: values.into_iter().flat_map(i32::to_le_bytes).collect(),
        }
    }
}

/// The `N` values of row `index`.
fn row<T: Copy + Default, const N: usize>(values: &[T], index: usize) -> [T; N] {
    let mut row = [T::default(); N];
    row.copy_from_slice(&values[index * N..][..N]);
    row
}

fn matrix<const N: usize, const M: usize>(values: &[i16], index: usize) -> [[i16; N]; M] {
    std::array::from_fn(|number| row(values, index * M + number))
}

/// An open safetensors file.
struct File<'a>(SafeTensors<'a>);

impl File<'_> {
    fn bytes(
        &self,
        name: &'static str,
        dtype: Dtype,
        shape: &[usize],
    ) -> Result<&[u8], NetworkError> {
        let missing = |_| NetworkError::Missing { tensor: name };
        let view = self.0.tensor(name).map_err(missing)?;
        if view.dtype() != dtype || view.shape() != shape {
            return Err(NetworkError::Tensor {
                tensor: name,
                found: format!("{} {:?}", view.dtype(), view.shape()),
                expected: format!("{dtype} {shape:?}"),
            });
        }
        Ok(view.data())
    }

    fn short(&self, name: &'static str, shape: &[usize]) -> Result<Vec<i16>, NetworkError> {
        let (values, _) = self.bytes(name, Dtype::I16, shape)?.as_chunks();
        Ok(values
            .iter()
            .map(|bytes| i16::from_le_bytes(*bytes))
            .collect())
    }

    fn wide(&self, name: &'static str, shape: &[usize]) -> Result<Vec<i32>, NetworkError> {
        let (values, _) = self.bytes(name, Dtype::I32, shape)?.as_chunks();
        Ok(values
            .iter()
            .map(|bytes| i32::from_le_bytes(*bytes))
            .collect())
    }
}
