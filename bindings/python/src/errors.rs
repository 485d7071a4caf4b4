//! Errors as exceptions.

use std::error::Error as _;

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(
    crownhead,
    CrownheadError,
    PyValueError,
    "What could not be done, and how to mend it."
);

/// An error as the exception that it is; one that an evaluator raised comes out as it went in.
pub(crate) fn raised(error: agent::Error) -> PyErr {
    pyo3::Python::attach(|py| {
        let mut cause = error.source();
        while let Some(error) = cause {
            if let Some(raised) = error.downcast_ref::<PyErr>() {
                return raised.clone_ref(py);
            }
            cause = error.source();
        }
        // A transparent error hides itself: what is inside is asked too.
        if let agent::Error::Player(player) = &error
            && let Some(raised) = inside(player)
        {
            return raised.clone_ref(py);
        }
        CrownheadError::new_err(error.to_string())
    })
}

fn inside<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a PyErr> {
    match error.downcast_ref::<PyErr>() {
        Some(raised) => Some(raised),
        None => inside(error.source()?),
    }
}

/// What an [`agent::Error`] may come from.
pub(crate) fn checked<T, E: Into<agent::Error>>(result: Result<T, E>) -> Result<T, PyErr> {
    result.map_err(|error| raised(error.into()))
}
