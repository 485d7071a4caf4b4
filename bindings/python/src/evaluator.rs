//! A function of Python as an evaluator: a network of another library in our search.

use agent::environment::Actions;
use agent::{Batch, Evaluator, EvaluatorError, GLOBALS, PLANES, Variant, Wdl, encode};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Calls `function(planes, globals)`: what networks see, `[n, squares, planes]` and `[n, globals]`. It
/// answers with values `[n, 3]`, the probabilities of win, draw and loss for the side to move, and logits
/// `[n, actions]`.
pub(crate) struct PyEvaluator {
    pub(crate) function: Py<PyAny>,
    pub(crate) variant: Variant,
}

impl Evaluator for PyEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let answered = Python::attach(|py| self.ask(py, batch));
        answered.map_err(|error| EvaluatorError::Failed(Box::new(error)))
    }
}

impl PyEvaluator {
    fn ask(&self, py: Python<'_>, batch: &mut Batch) -> PyResult<()> {
        let (n, n_squares) = (batch.len(), self.variant.board().n_squares());
        let mut planes = vec![0.0f32; n * n_squares * PLANES];
        let mut globals = vec![0.0f32; n * GLOBALS];
        let rows = planes
            .chunks_exact_mut(n_squares * PLANES)
            .zip(globals.chunks_exact_mut(GLOBALS));
        for (index, (planes, globals)) in rows.enumerate() {
            let request = batch.request(index);
            encode(request.position, request.repetitions, planes, globals);
        }
        let planes = planes.into_pyarray(py).reshape([n, n_squares, PLANES])?;
        let globals: Bound<'_, PyArray1<f32>> = globals.into_pyarray(py);
        let globals = globals.reshape([n, GLOBALS])?;
        let answer = self.function.bind(py).call1((planes, globals))?;
        let n_actions = Actions::new(self.variant).count();
        let (values, logits): (Bound<'_, PyAny>, Bound<'_, PyAny>) = answer.extract()?;
        let values = matrix(&values, "values", [n, 3])?;
        let logits = matrix(&logits, "logits", [n, n_actions])?;
        let (values, logits) = (values.as_slice()?, logits.as_slice()?);
        let rows = values.chunks_exact(3).zip(logits.chunks_exact(n_actions));
        for (index, (value, row)) in rows.enumerate() {
            let (request, reply) = batch.entry_mut(index);
            *reply.value = Wdl {
                win: value[0],
                draw: value[1],
                loss: value[2],
            };
            let actions = Actions::new(self.variant).of(request.position, request.moves);
            // A move without an action is one that the network knows nothing of: unlikely.
            let least = row.iter().copied().fold(f32::INFINITY, f32::min);
            for (logit, action) in reply.logits.iter_mut().zip(actions) {
                *logit = action.map_or(least, |action| row[action]);
            }
        }
        Ok(())
    }
}

/// An answer as f32 numbers of this shape.
fn matrix<'py>(
    answer: &Bound<'py, PyAny>,
    name: &str,
    shape: [usize; 2],
) -> PyResult<PyReadonlyArray2<'py, f32>> {
    let numpy = answer.py().import("numpy")?;
    let array = numpy.call_method1("ascontiguousarray", (answer, "float32"))?;
    let array: PyReadonlyArray2<'py, f32> = array.extract().map_err(|_| {
        PyValueError::new_err(format!(
            "the evaluator's {name} are not an array of shape {shape:?}"
        ))
    })?;
    if array.shape() != shape {
        let found = array.shape();
        let text = format!("the evaluator's {name} have shape {found:?}, not {shape:?}");
        return Err(PyValueError::new_err(text));
    }
    Ok(array)
}
