//! Errors as exceptions.

use std::error::Error;

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(
    crownhead,
    CrownheadError,
    PyValueError,
    "An error, with a message that says how to fix it."
);

create_exception!(
    crownhead,
    PdnError,
    CrownheadError,
    "The fault in a game of PDN: `game` is the game's number in the text, from 1, `line` the line of \
     the fault, and `message` says how to fix it."
);

/// Converts an error to the matching exception; an exception raised by an evaluator is passed
/// through.
pub(crate) fn raised(error: &(dyn Error + 'static)) -> PyErr {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(raised) = error.downcast_ref::<PyErr>() {
            return pyo3::Python::attach(|py| raised.clone_ref(py));
        }
        cause = error.source();
    }
    CrownheadError::new_err(error.to_string())
}

/// Converts errors that an [`agent::Error`] can wrap.
pub(crate) fn checked<T, E: Into<agent::Error>>(result: Result<T, E>) -> Result<T, PyErr> {
    result.map_err(|error| raised(&error.into()))
}
