//! Positions, games and moves.

use agent::environment::{Actions, Environment};
use agent::{GLOBALS, Game, LegalMove, PIECE_PLANES, Position, Variant, games, legal_moves};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::Array1;
use crate::errors::checked;
use crate::pdn::PdnReader;

/// The variant with that name.
pub(crate) fn variant(name: &str) -> PyResult<Variant> {
    checked(name.parse::<Variant>())
}

/// A legal move. `play` accepts the move or its text.
#[pyclass(name = "Move", module = "crownhead", frozen, eq, get_all)]
#[derive(PartialEq, Eq)]
pub(crate) struct PyMove {
    /// Its notation: `11-15`, or the whole path if several captures share start and end.
    text: String,
    /// Number of its start square.
    start: usize,
    /// Number of its end square.
    end: usize,
    /// Numbers of the squares whose pieces it captures.
    captured: Vec<usize>,
    /// Numbers of the squares it visits, start and end included.
    path: Vec<usize>,
}

#[pymethods]
impl PyMove {
    #[new]
    fn new(text: String, start: usize, end: usize, captured: Vec<usize>, path: Vec<usize>) -> Self {
        Self {
            text,
            start,
            end,
            captured,
            path,
        }
    }

    fn __getnewargs__(&self) -> (&str, usize, usize, &[usize], &[usize]) {
        (&self.text, self.start, self.end, &self.captured, &self.path)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Move({:?})", self.text)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        (&self.text, &self.captured).hash(&mut hasher);
        hasher.finish()
    }
}

impl From<LegalMove> for PyMove {
    fn from(legal: LegalMove) -> PyMove {
        let LegalMove { text, from, to, .. } = legal;
        PyMove::new(text, from, to, legal.captured, legal.path)
    }
}

/// A move argument: its text, or a `Move`.
pub(crate) struct MoveText(String);

impl<'py> FromPyObject<'_, 'py> for MoveText {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<MoveText> {
        if let Ok(mv) = given.cast::<PyMove>() {
            return Ok(MoveText(mv.get().text.clone()));
        }
        match given.cast::<PyString>() {
            Ok(text) => Ok(MoveText(text.to_str()?.to_owned())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a move is {}: give a Move, or its text",
                given.get_type().name()?
            ))),
        }
    }
}

fn moves_of(position: &Position) -> Vec<PyMove> {
    let legal = legal_moves(position).into_iter();
    legal.map(PyMove::from).collect()
}

/// An immutable position.
///
/// >>> import crownhead
/// >>> position = crownhead.Position("frisian", "W:W28:B29")
/// >>> position.turn, len(position.legal_moves)
/// ('white', 1)
/// >>> print(crownhead.Position("english").play("11-15"))
/// W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15:H0:F1
#[pyclass(name = "Position", module = "crownhead", frozen, eq)]
#[derive(PartialEq, Eq)]
pub(crate) struct PyPosition(pub(crate) Position);

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (variant, fen=None))]
    fn new(variant: &str, fen: Option<&str>) -> PyResult<Self> {
        let variant = self::variant(variant)?;
        Ok(Self(checked(games::position(variant, fen))?))
    }

    /// Name of the variant.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.variant().name()
    }

    /// The position as FEN.
    #[getter]
    fn fen(&self) -> String {
        self.0.to_fen()
    }

    /// `white` or `black`, the side to move.
    #[getter]
    fn turn(&self) -> String {
        self.0.turn().to_string()
    }

    /// The legal moves, sorted by squares.
    #[getter]
    fn legal_moves(&self) -> Vec<PyMove> {
        moves_of(&self.0)
    }

    /// The position after a move.
    fn play(&self, r#move: MoveText) -> PyResult<PyPosition> {
        let mv = checked(self.0.parse_move(&r#move.0))?;
        Ok(PyPosition(self.0.play(mv)))
    }

    /// The board row by row from the top: `w`, `b`, `W` and `B` for men and kings, `.` for empty
    /// squares and a space for squares that are never used.
    ///
    /// >>> import crownhead
    /// >>> crownhead.Position("english", "W:WK1,5:B9").rows[:3]
    /// [' W . . .', 'w . . . ', ' b . . .']
    #[getter]
    fn rows(&self) -> Vec<String> {
        games::diagram(&self.0)
    }

    /// The board as text, with the names of the first and last square of each row, and the side to
    /// move.
    fn diagram(&self) -> String {
        games::board_text(&self.0)
    }

    fn __getnewargs__(&self) -> (&'static str, String) {
        (self.variant(), self.fen())
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __str__(&self) -> String {
        self.0.to_fen()
    }

    fn __repr__(&self) -> String {
        format!("Position({:?}, {:?})", self.variant(), self.fen())
    }

    fn __hash__(&self) -> u64 {
        self.0.hash()
    }
}

/// A game: a position and the moves that led to it, from a FEN or the start position. Copies and
/// pickled games keep the moves, so that repetitions and draw rules count on.
///
/// >>> import crownhead
/// >>> game = crownhead.Game("english")
/// >>> game.play("11-15")
/// Move("11-15")
/// >>> game.moves, game.turn, game.status
/// (['11-15'], 'white', 'ongoing')
/// >>> game.play("1-5")
/// Traceback (most recent call last):
/// ...
/// crownhead.CrownheadError: `1-5` is not a legal move here: try 21-17, 22-17, 22-18, 23-18, 23-19, 24-19, 24-20
/// >>> game.take_back()
/// >>> game.moves
/// []
#[pyclass(name = "Game", module = "crownhead", from_py_object)]
#[derive(Clone)]
pub(crate) struct PyGame(pub(crate) Game);

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (variant, fen=None, moves=Vec::new()))]
    fn new(variant: &str, fen: Option<&str>, moves: Vec<MoveText>) -> PyResult<Self> {
        let variant = self::variant(variant)?;
        let mut game = Game::new(checked(games::position(variant, fen))?);
        for r#move in moves {
            checked(games::play(&mut game, &r#move.0))?;
        }
        Ok(Self(game))
    }

    /// Reads the games of PDN one by one, good and bad: `source` is a path, a PDN text, or the
    /// bytes of one. A `str` is a path if it is one line that ends like `games.pdn`, or names a
    /// file.
    ///
    /// Games without a variant tag are games of `variant`; without it their moves must tell. The
    /// encoding is guessed, with a warning if it is not UTF-8, unless `encoding` states it, such as
    /// `windows-1251`.
    ///
    /// >>> import crownhead
    /// >>> text = '[White "Ann"] 1. 11-15 {sharp} 23-19 1-0 [White "Bob"] 1. 9-14 1-2 *'
    /// >>> for read in crownhead.Game.read_pdn(text, "english"):
    /// ...     print(read.number, read.tags["White"], read.result, read.game.moves, read.comments)
    /// ...     if read.error is not None:
    /// ...         print(read.error.message[:50])
    /// 1 Ann black ['11-15', '23-19'] ['sharp', '']
    /// 2 Bob ongoing ['9-14'] ['']
    /// line 1: ply 2: `1-2` is not a legal move here: try
    #[staticmethod]
    #[pyo3(signature = (source, variant=None, encoding=None))]
    fn read_pdn(
        source: &Bound<'_, PyAny>,
        variant: Option<&str>,
        encoding: Option<&str>,
    ) -> PyResult<PdnReader> {
        PdnReader::open(source, variant, encoding)
    }

    /// The games of a PDN text without faults, see `read_pdn` for others. Games without a variant
    /// tag use `variant`.
    #[staticmethod]
    #[pyo3(signature = (text, variant=None))]
    fn from_pdn(text: &str, variant: Option<&str>) -> PyResult<Vec<PyGame>> {
        let variant = variant.map(self::variant).transpose()?;
        let read = checked(games::read_pdn(text, variant))?;
        Ok(read.into_iter().map(PyGame).collect())
    }

    /// The game as PDN; keyword arguments are tags.
    #[pyo3(signature = (**tags))]
    fn pdn(&self, tags: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let tags: Vec<(String, String)> = match tags {
            Some(tags) => tags.items().extract()?,
            None => Vec::new(),
        };
        let tags: Vec<(&str, &str)> = tags
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        Ok(games::write_pdn(&self.0, &tags))
    }

    /// Name of the variant.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.position().variant().name()
    }

    /// The current position.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(*self.0.position())
    }

    /// The current position as FEN.
    #[getter]
    fn fen(&self) -> String {
        self.0.position().to_fen()
    }

    /// `white` or `black`, the side to move.
    #[getter]
    fn turn(&self) -> String {
        self.0.position().turn().to_string()
    }

    /// The legal moves, sorted by squares.
    #[getter]
    fn legal_moves(&self) -> Vec<PyMove> {
        moves_of(self.0.position())
    }

    /// The moves played so far.
    #[getter]
    fn moves(&self) -> Vec<String> {
        games::move_texts(&self.0)
    }

    /// `ongoing`, the color of the winner, or `draw`.
    #[getter]
    fn status(&self) -> &'static str {
        games::status(self.0.outcome())
    }

    /// The reason why the game ended; empty while it is ongoing.
    #[getter]
    fn reason(&self) -> &'static str {
        self.0.outcome().map_or("", |outcome| outcome.reason())
    }

    /// Plays a move.
    fn play(&mut self, r#move: MoveText) -> PyResult<PyMove> {
        let legal = legal_moves(self.0.position());
        let mv = checked(games::play(&mut self.0, &r#move.0))?;
        let played = legal.into_iter().find(|legal| legal.mv == mv);
        played.map(PyMove::from).ok_or_else(|| {
            pyo3::exceptions::PyRuntimeError::new_err("the move played is not among the legal ones")
        })
    }

    /// Takes the last move back.
    fn take_back(&mut self) -> PyResult<()> {
        checked(games::take_back(&mut self.0)).map(drop)
    }

    /// A copy of the game.
    fn copy(&self) -> PyGame {
        self.clone()
    }

    fn __copy__(&self) -> PyGame {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyGame {
        self.copy()
    }

    fn __getnewargs__(&self) -> (&'static str, String, Vec<String>) {
        (self.variant(), self.0.start().to_fen(), self.moves())
    }

    /// Observation of the board: planes `[squares, planes]` and globals `[globals]`, as the side to
    /// move sees the board, row by row from the far side.
    ///
    /// The planes are 1 at men and kings of the side to move, then men and kings of the other side;
    /// the last two are the consecutive moves of the king on that square, of the side to move or of
    /// the other, as a fraction of the limit. The globals are the plies without progress as a
    /// fraction of the limit, whether the position occurred before, whether it occurred twice
    /// before, and 0.
    ///
    /// >>> import crownhead
    /// >>> planes, globals_ = crownhead.Game("english").observation()
    /// >>> planes.sum(axis=0).tolist(), globals_.tolist()
    /// ([12.0, 0.0, 12.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
    fn observation<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, Array1<'py, f32>)> {
        let n_squares = self.0.position().board().n_squares();
        let (mut planes, mut globals) = (vec![0.0; n_squares * PIECE_PLANES], vec![0.0; GLOBALS]);
        self.alone().observe(&mut planes, &mut globals);
        let planes = planes.into_pyarray(py).reshape([n_squares, PIECE_PLANES])?;
        Ok((planes, globals.into_pyarray(py)))
    }

    /// Mask with 1 for each legal action.
    ///
    /// >>> import crownhead
    /// >>> int(crownhead.Game("english").action_mask().sum())
    /// 7
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let mut mask = vec![0; Actions::new(self.0.position().variant()).count()];
        self.alone().mask(&mut mask);
        mask.into_pyarray(py)
    }

    /// The text of an action's move.
    fn move_of(&self, action: i64) -> PyResult<String> {
        let mv = checked(self.alone().find(0, action))?;
        Ok(self.0.position().move_text(mv))
    }

    /// The number of a legal move, the same in every position: `(rank * squares + from) * squares +
    /// to`, with squares as in `observation`. The rank distinguishes captures that share both
    /// squares; it is 0 for other moves. `None` for the fifth such capture, which is very rare.
    ///
    /// >>> import crownhead
    /// >>> game = crownhead.Game("english")
    /// >>> game.action_of("11-15"), game.move_of(game.action_of("11-15"))
    /// (689, '11-15')
    fn action_of(&self, r#move: MoveText) -> PyResult<Option<usize>> {
        let position = self.0.position();
        let mv = checked(position.parse_move(&r#move.0))?;
        let legal = position.legal_moves();
        let mut actions = Actions::new(position.variant()).of(position, &legal);
        let at = legal.iter().position(|other| *other == mv);
        Ok(at.and_then(|at| actions.nth(at).flatten()))
    }

    fn __str__(&self) -> String {
        self.fen()
    }

    fn __repr__(&self) -> String {
        format!("<Game of {}: {}>", self.variant(), self.fen())
    }
}

impl PyGame {
    fn alone(&self) -> Environment {
        let mut environment = Environment::new(self.0.position().variant(), 1);
        environment.set(0, self.0.clone());
        environment
    }
}
