//! Games of PDN, good and bad.

#![expect(
    clippy::too_many_arguments,
    reason = "the constructor of PdnGame takes its fields"
)]

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

use agent::games::{GameInText, PdnSource, PdnStream};
use pyo3::exceptions::{PyOSError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::errors::{PdnError, checked};
use crate::games::{PyGame, variant};

/// A game of PDN, as far as it can be read, with all that the text says about it.
#[pyclass(module = "crownhead", frozen, get_all, new = "from_fields")]
pub(crate) struct PdnGame {
    /// The game: of one with a fault, the moves before it; `None` if the start position is unknown.
    game: Option<Py<PyGame>>,
    /// Its number in the text, from 1.
    number: usize,
    /// Its first line, from 1.
    line: usize,
    /// The tags; of a repeated one the first value.
    tags: Py<PyDict>,
    /// `white`, `black` or `draw`, or `ongoing` if the text does not say who won.
    result: String,
    /// The comment before the first move.
    comment: String,
    /// The comment after each move of `game`, or an empty text.
    comments: Vec<String>,
    /// The mark of each move of `game`, such as `!?`, or an empty text.
    glyphs: Vec<String>,
    /// The commands in the comments after each move of `game`, such as `clk` with a time.
    data: Vec<Py<PyDict>>,
    /// All moves as the text has them, including those after a fault.
    written: Vec<String>,
    /// The fault, a `PdnError`; `None` if the game is complete.
    error: Option<Py<PyAny>>,
}

#[pymethods]
impl PdnGame {
    /// The fields, from which a copy is made.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (
            &self.game,
            self.number,
            self.line,
            &self.tags,
            &self.result,
            &self.comment,
            &self.comments,
            &self.glyphs,
            &self.data,
            &self.written,
            &self.error,
        );
        parts.into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (number, line) = (self.number, self.line);
        let error = self.error.as_ref().map(|error| error.bind(py).str());
        Ok(match error.transpose()? {
            Some(error) => format!("<PdnGame {number} of line {line}: {error}>"),
            None => format!("<PdnGame {number} of line {line}>"),
        })
    }
}

/// An iterator of `PdnGame`, see `Game.read_pdn`.
#[pyclass(module = "crownhead")]
pub(crate) struct PdnReader {
    stream: PdnStream,
    has_warned: bool,
}

#[pymethods]
impl PdnReader {
    /// The encoding of the part read so far.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.stream.encoding().name()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PdnGame>> {
        let stream = &mut self.stream;
        let Some(read) = py.detach(|| stream.next()) else {
            return Ok(None);
        };
        if self.stream.is_guessed() && !self.has_warned {
            self.has_warned = true;
            let found = self.encoding();
            let text = format!("the PDN is not UTF-8: read as {found}; encoding= states another");
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1)?;
        }
        PdnGame::new(py, read).map(Some)
    }
}

impl PdnReader {
    pub(crate) fn open(
        source: &Bound<'_, PyAny>,
        usual: Option<&str>,
        encoding: Option<&str>,
    ) -> PyResult<PdnReader> {
        let usual = usual.map(variant).transpose()?;
        let encoding = checked(encoding.map(str::parse).transpose())?;
        let utf8 = checked("utf-8".parse().map(Some));
        let open = |path: PathBuf| {
            let source = PdnSource::File(path.clone());
            PdnStream::open(source, usual, encoding).map_err(|error| not_opened(&error, &path))
        };
        let of_bytes = |bytes: &[u8], encoding| {
            PdnStream::open(PdnSource::Bytes(bytes.into()), usual, encoding)
        };
        let stream = if let Ok(bytes) = source.cast::<PyBytes>() {
            of_bytes(bytes.as_bytes(), encoding)?
        } else if let Ok(text) = source.cast::<PyString>() {
            let text = text.to_str()?;
            match is_path(text) {
                true => open(text.into())?,
                false => of_bytes(text.as_bytes(), utf8?)?,
            }
        } else if let Ok(path) = source.extract::<PathBuf>() {
            open(path)?
        } else {
            return Err(PyTypeError::new_err(format!(
                "the source is {}: give a path, a PDN text, or the bytes of one",
                source.get_type().name()?
            )));
        };
        Ok(PdnReader {
            stream,
            has_warned: false,
        })
    }
}

/// Tells a path from a PDN text: one line that ends like `games.pdn`, or names a file.
fn is_path(text: &str) -> bool {
    if text.contains(['\n', '\r', '\0']) {
        return false;
    }
    let extension = Path::new(text).extension().and_then(|end| end.to_str());
    let is_name = |end: &str| {
        let letters = end.chars().take_while(char::is_ascii_alphabetic).count();
        letters >= 2 && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    extension.is_some_and(is_name) || Path::new(text).is_file()
}

/// `FileNotFoundError` and its like, with the path.
fn not_opened(error: &io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        Some(code) => {
            let words = error.to_string();
            let words = words.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((code, words.to_owned(), path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

impl PdnGame {
    fn new(py: Python<'_>, read: GameInText) -> PyResult<PdnGame> {
        let tags = PyDict::new(py);
        for (name, value) in &read.tags {
            if !tags.contains(name)? {
                tags.set_item(name, value)?;
            }
        }
        let commands = |commands: Vec<(String, String)>| {
            let known = PyDict::new(py);
            for (name, value) in commands {
                known.set_item(name, value)?;
            }
            Ok(known.unbind())
        };
        let fault = |fault: agent::PdnError| {
            let message = fault.to_string();
            let error = PdnError::new_err(message.clone()).into_value(py);
            error.setattr(py, "game", read.number)?;
            error.setattr(py, "line", fault.line())?;
            error.setattr(py, "message", message)?;
            PyResult::Ok(error.into_any())
        };
        let game = read.game.map(|game| Py::new(py, PyGame(game)));
        Ok(PdnGame {
            game: game.transpose()?,
            number: read.number,
            line: read.line,
            tags: tags.unbind(),
            result: read.result.to_owned(),
            comment: read.comment,
            comments: read.comments,
            glyphs: read.glyphs,
            data: read
                .data
                .into_iter()
                .map(commands)
                .collect::<PyResult<_>>()?,
            written: read.written,
            error: read.fault.map(fault).transpose()?,
        })
    }
}
