//! Python functions as evaluators: networks of other libraries with Crownhead's search.

use std::sync::Arc;

use agent::environment::{Actions, observe};
use agent::{Batch, Evaluator, EvaluatorError, GLOBALS, PIECE_PLANES, Variant, Wdl};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Calls `function(planes, globals)` with the network input, `[n, squares, planes]` and `[n,
/// globals]`. It returns values `[n, 3]`, the probabilities of win, draw and loss for the side to
/// move, and logits `[n, actions]`.
pub(crate) struct PyEvaluator {
    /// The arguments of `Agent.from_evaluator`; the second is the function.
    arguments: Arc<Py<PyTuple>>,
    variant: Variant,
}

impl Evaluator for PyEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let answered = Python::attach(|py| self.ask(py, batch));
        answered.map_err(|error| EvaluatorError::Failed(Box::new(error)))
    }
}

impl PyEvaluator {
    pub(crate) fn new(arguments: Arc<Py<PyTuple>>, variant: Variant) -> PyEvaluator {
        PyEvaluator { arguments, variant }
    }

    fn ask(&self, py: Python<'_>, batch: &mut Batch) -> PyResult<()> {
        let (n, n_squares) = (batch.len(), self.variant.board().n_squares());
        let mut planes = vec![0.0f32; n * n_squares * PIECE_PLANES];
        let mut globals = vec![0.0f32; n * GLOBALS];
        let rows = planes
            .chunks_exact_mut(n_squares * PIECE_PLANES)
            .zip(globals.chunks_exact_mut(GLOBALS));
        for (index, (planes, globals)) in rows.enumerate() {
            let request = batch.request(index);
            observe(request.position, request.repetitions, planes, globals);
        }
        let planes = planes
            .into_pyarray(py)
            .reshape([n, n_squares, PIECE_PLANES])?;
        let globals: Bound<'_, PyArray1<f32>> = globals.into_pyarray(py);
        let globals = globals.reshape([n, GLOBALS])?;
        let function = self.arguments.bind(py).get_item(1)?;
        let answer = function.call1((planes, globals))?;
        let n_actions = Actions::new(self.variant).count();
        let Ok((values, logits)) = answer.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
            let found = answer.get_type().name()?;
            let text = format!("the evaluator returned {found}, not a tuple of values and logits");
            return Err(PyTypeError::new_err(text));
        };
        let values = matrix(&values, "values", [n, 3])?;
        let logits = matrix(&logits, "logits", [n, n_actions])?;
        let (values, logits) = (values.as_slice()?, logits.as_slice()?);
        let rows = values.chunks_exact(3).zip(logits.chunks_exact(n_actions));
        for (index, (value, row)) in rows.enumerate() {
            let (request, reply) = batch.entry_mut(index);
            *reply.value = probabilities(index, value)?;
            let actions = Actions::new(self.variant).of(request.position, request.moves);
            // The network cannot score a move without an action: it counts as unlikely.
            let least = row.iter().copied().fold(0.0, f32::min).max(f32::MIN);
            for (logit, action) in reply.logits.iter_mut().zip(actions) {
                *logit = match action {
                    None => least,
                    Some(action) if row[action].is_finite() => row[action],
                    Some(action) => {
                        let (found, fen) = (row[action], request.position.to_fen());
                        return Err(PyValueError::new_err(format!(
                            "the evaluator's logit of action {action} in row {index} is {found}, and the action is \
                             legal there, in {fen}"
                        )));
                    }
                };
            }
        }
        Ok(())
    }
}

/// Tolerance for the sum of probabilities: 16-bit numbers are rounded.
const ROUNDING: f32 = 0.02;

/// A row of the values.
fn probabilities(index: usize, value: &[f32]) -> PyResult<Wdl> {
    let sum: f32 = value.iter().sum();
    let is_probability = |p: &f32| (0.0..=1.0 + ROUNDING).contains(p);
    if value.iter().all(is_probability) && (sum - 1.0).abs() <= ROUNDING {
        return Ok(Wdl {
            win: value[0] / sum,
            draw: value[1] / sum,
            loss: value[2] / sum,
        });
    }
    Err(PyValueError::new_err(format!(
        "the evaluator's values of row {index} are {value:?}: they must be probabilities of win, draw and loss"
    )))
}

/// A result as f32 numbers of this shape.
fn matrix<'py>(
    answer: &Bound<'py, PyAny>,
    name: &str,
    shape: [usize; 2],
) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let numpy = answer.py().import("numpy")?;
    let array = numpy.call_method1("ascontiguousarray", (answer, "float32"))?;
    let array: PyReadonlyArrayDyn<'py, f32> = array.extract()?;
    if array.shape() != shape {
        let found = array.shape();
        let text = format!("the evaluator's {name} have shape {found:?}, not {shape:?}");
        return Err(PyValueError::new_err(text));
    }
    Ok(array)
}
