//! Agents: they choose, analyse and evaluate without holding the interpreter's lock.

use std::sync::{Arc, Condvar, Mutex};

use agent::games::move_texts;
use agent::view;
use agent::{Agent, Game, Limits, Options, Precision};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::analyses::{Analysis, Triple, triple};
use crate::errors::{CrownheadError, checked};
use crate::evaluator::PyEvaluator;
use crate::games::{PyGame, variant};

/// An agent, which plays one variant or several.
///
/// >>> import crownhead
/// >>> agent = crownhead.Agent.load("english")
/// >>> game = crownhead.Game("english")
/// >>> agent.choose(game, nodes=1000) in [move.text for move in game.legal_moves]
/// True
/// >>> analysis = agent.analyse(game, nodes=10_000, lines=3)
/// >>> [line.moves[0] for line in analysis.lines][0] == agent.play(game, nodes=10_000)
/// True
/// >>> win, draw, loss = agent.value(game)
/// >>> policy = crownhead.Agent.load("bundled:english").policy(game)
/// >>> round(sum(policy.values()), 3)
/// 1.0
#[pyclass(name = "Agent", module = "crownhead", frozen)]
pub(crate) struct PyAgent {
    pub(crate) agent: Mutex<Agent>,
    /// `true` while a thread uses the agent, and the signal for others that wait.
    pub(crate) is_taken: Mutex<bool>,
    pub(crate) freed: Condvar,
    pub(crate) name: String,
    variants: Vec<&'static str>,
    elo_range: Option<(f64, f64)>,
    /// The function that made the agent, its arguments and its keywords, for pickles.
    function: &'static str,
    /// Shared with the evaluator, so that the collector of garbage sees all references to it.
    arguments: Arc<Py<PyTuple>>,
    keywords: Py<PyDict>,
}

#[pymethods]
impl PyAgent {
    /// Loads a player, written as on the command line: `english` is the strongest bundled player,
    /// `bundled:english` its network with tree search, `ab:bundled` the alpha-beta engine for every
    /// variant, `material:russian` counts pieces, `run:runs/x@40` is a model of a run; a path is a
    /// file or a folder. `precision` is that of a network, `f32` or `int8`, by default the faster
    /// one on this processor. `elo` limits its strength to this rating in Elo above random, see
    /// `elo_range`; `seed` is the seed of its random choices then.
    #[staticmethod]
    #[pyo3(signature = (source, *, hash=64, threads=1, precision=None, elo=None, seed=0))]
    fn load(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        hash: usize,
        threads: usize,
        precision: Option<&str>,
        elo: Option<f64>,
        seed: u64,
    ) -> PyResult<Self> {
        let Ok(path) = py.import("os")?.call_method1("fspath", (source,)) else {
            let found = source.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "the source is {found}: give the name of a player, or a path"
            )));
        };
        let source: String = path.extract()?;
        let options = options(hash, threads, precision, elo, seed)?;
        let agent = checked(py.detach(|| Agent::load(&source, &options)))?;
        let keywords = keywords(py, &options, precision)?;
        let arguments = Arc::new((source,).into_pyobject(py)?.unbind());
        Ok(Self::new(agent, "load", arguments, keywords))
    }

    /// An agent from the bytes of a safetensors file.
    #[staticmethod]
    #[pyo3(signature = (bytes, *, name="bytes", hash=64, threads=1, precision=None, elo=None, seed=0))]
    fn from_bytes(
        bytes: &Bound<'_, PyBytes>,
        name: &str,
        hash: usize,
        threads: usize,
        precision: Option<&str>,
        elo: Option<f64>,
        seed: u64,
    ) -> PyResult<Self> {
        let py = bytes.py();
        let options = options(hash, threads, precision, elo, seed)?;
        let agent = checked(Agent::from_bytes(name, bytes.as_bytes(), &options))?;
        let keywords = keywords(py, &options, precision)?;
        keywords.set_item("name", name)?;
        let arguments = Arc::new((bytes,).into_pyobject(py)?.unbind());
        Ok(Self::new(agent, "from_bytes", arguments, keywords))
    }

    /// Tree search with your own evaluator: `evaluator(planes, globals)` receives arrays `[n,
    /// squares, planes]` and `[n, globals]`, and returns values `[n, 3]` (probabilities of win,
    /// draw and loss for the side to move) and logits `[n, actions]`.
    #[staticmethod]
    #[pyo3(signature = (variant, evaluator, *, name="evaluator"))]
    fn from_evaluator(variant: &str, evaluator: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let (py, variant) = (evaluator.py(), self::variant(variant)?);
        let arguments = Arc::new((variant.name(), evaluator).into_pyobject(py)?.unbind());
        let evaluator = PyEvaluator::new(Arc::clone(&arguments), variant);
        let agent = Agent::with_evaluator(name, variant, Box::new(evaluator));
        let keywords = PyDict::new(py);
        keywords.set_item("name", name)?;
        Ok(Self::new(agent, "from_evaluator", arguments, keywords))
    }

    /// Name of the agent.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The variant it plays; the first of several.
    #[getter]
    fn variant(&self) -> &'static str {
        self.variants[0]
    }

    /// The variants it plays.
    #[getter]
    fn variants(&self) -> Vec<&'static str> {
        self.variants.clone()
    }

    /// The range of ratings for `elo`, up to its full strength; `None` if they were not measured.
    #[getter]
    fn elo_range(&self) -> Option<(f64, f64)> {
        self.elo_range
    }

    /// Chooses a move. Without limits it searches a default number of nodes; without `seconds` the
    /// choice only depends on the game and the limits.
    #[pyo3(signature = (game, *, nodes=None, depth=None, seconds=None))]
    fn choose(
        &self,
        py: Python<'_>,
        game: PyGame,
        nodes: Option<u64>,
        depth: Option<u32>,
        seconds: Option<f64>,
    ) -> PyResult<String> {
        let limits = Limits {
            nodes,
            depth,
            seconds,
            lines: None,
        };
        let game = game.0;
        let choice = self.search(py, None, |agent, control, _| {
            agent.choose_until(&game, &limits, control)
        })?;
        Ok(game.position().move_text(choice.mv))
    }

    /// Chooses a move and plays it.
    #[pyo3(signature = (game, *, nodes=None, depth=None, seconds=None))]
    fn play(
        &self,
        py: Python<'_>,
        game: Bound<'_, PyGame>,
        nodes: Option<u64>,
        depth: Option<u32>,
        seconds: Option<f64>,
    ) -> PyResult<String> {
        let before = game.borrow().clone();
        let text = self.choose(py, before.clone(), nodes, depth, seconds)?;
        let mut game = game.try_borrow_mut()?;
        if move_texts(&game.0) != move_texts(&before.0) {
            return Err(PyRuntimeError::new_err(format!(
                "the game has changed while {} was thinking: its move {text} was not played",
                self.name
            )));
        }
        checked(agent::games::play(&mut game.0, &text))?;
        Ok(text)
    }

    /// Chooses a move in each of many games, all at once: a network sees full batches.
    #[pyo3(signature = (games, *, nodes=None))]
    fn choose_many(
        &self,
        py: Python<'_>,
        games: Vec<PyGame>,
        nodes: Option<u64>,
    ) -> PyResult<Vec<String>> {
        let games: Vec<Game> = games.into_iter().map(|game| game.0).collect();
        let choices = self.search(py, None, |agent, control, _| {
            agent.choose_many_until(&games, nodes, control)
        })?;
        let chosen = games.iter().zip(choices);
        Ok(chosen
            .map(|(game, choice)| game.position().move_text(choice.mv))
            .collect())
    }

    /// Analyses a position until a limit is reached, Ctrl-C is pressed, or `report` returns
    /// `False`; without limits and without `report`, until Ctrl-C. `report` is called with
    /// intermediate results; a network limited by `nodes` alone plans its whole search at once and
    /// has none.
    #[pyo3(signature = (game, *, nodes=None, depth=None, seconds=None, lines=1, report=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn analyse(
        &self,
        py: Python<'_>,
        game: PyGame,
        nodes: Option<u64>,
        depth: Option<u32>,
        seconds: Option<f64>,
        lines: usize,
        report: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Analysis> {
        let limits = Limits {
            nodes,
            depth,
            seconds,
            lines: Some(lines),
        };
        let game = game.0;
        let position = game.position();
        let findings = self.search(py, report.as_ref(), |agent, control, reports| {
            agent.analyse(&game, &limits, control, &mut |found| {
                // The receiver is gone once the search is being stopped.
                let _ = reports.send(view::Analysis::new(found, position));
            })
        })?;
        Analysis::new(py, view::Analysis::new(&findings, position))
    }

    /// The value of a position without search: probabilities of win, draw and loss for the side to
    /// move.
    fn value(&self, py: Python<'_>, game: PyGame) -> PyResult<Triple> {
        let mut held = self.lock(py)?;
        let agent = &mut *held.agent;
        let value = py.detach(|| checked(agent.value(&game.0)))?;
        Ok(triple(value))
    }

    /// The network's probability for each legal move, the most likely first.
    fn policy<'py>(&self, py: Python<'py>, game: PyGame) -> PyResult<Bound<'py, PyDict>> {
        let (_, policy) = self.judge(py, vec![game])?.remove(0);
        Ok(policy)
    }

    /// The network's evaluation of many positions in one batch: value and policy of each.
    fn judge<'py>(
        &self,
        py: Python<'py>,
        games: Vec<PyGame>,
    ) -> PyResult<Vec<(Triple, Bound<'py, PyDict>)>> {
        let games: Vec<Game> = games.into_iter().map(|game| game.0).collect();
        let mut held = self.lock(py)?;
        let agent = &mut *held.agent;
        let judged = py.detach(|| checked(agent.judge(&games)))?;
        let result = games.iter().zip(judged).map(|(game, judgment)| {
            let policy = PyDict::new(py);
            for likely in view::policy(&judgment, game.position()) {
                policy.set_item(likely.text, likely.probability)?;
            }
            Ok((triple(judgment.value), policy))
        });
        result.collect()
    }

    /// Plays for a program that speaks the Hub protocol, on standard input and output, until it
    /// quits: a script that ends with this call is a player of the command line, as in `crownhead
    /// match "hub:python mine.py" bundled`. The client sets the limits; `nodes` is an additional
    /// limit for every search. Print only to standard error. An exception in an evaluator is
    /// printed there and reported to the client, and loses the game.
    #[pyo3(signature = (*, nodes=None))]
    fn serve_hub(&self, py: Python<'_>, nodes: Option<u64>) -> PyResult<()> {
        self.serve(py, nodes)
    }

    /// An agent is its own copy: its choices only depend on the game and the limits.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// An unpickled agent is loaded again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restored = py.import("crownhead")?.getattr("_restored_agent")?;
        let call = (self.function, &*self.arguments, &self.keywords);
        (restored, call).into_pyobject(py)
    }

    /// An evaluator may refer to its agent.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&*self.arguments)?;
        visit.call(&self.keywords)
    }

    fn __repr__(&self) -> String {
        format!("<Agent {} of {}>", self.name, self.variants.join(", "))
    }
}

fn options(
    hash: usize,
    threads: usize,
    precision: Option<&str>,
    elo: Option<f64>,
    seed: u64,
) -> PyResult<Options> {
    let usual = Options::default();
    let named = |name: &str| {
        let mut all = Precision::OF_CPU.into_iter();
        all.find(|precision| precision.name() == name)
            .ok_or_else(|| {
                CrownheadError::new_err(format!("precision is {name:?}: write f32 or int8"))
            })
    };
    let precision = precision.map_or(Ok(usual.precision), named)?;
    Ok(Options {
        hash,
        threads,
        precision,
        elo,
        seed,
        ..usual
    })
}

/// Options as keywords.
fn keywords<'py>(
    py: Python<'py>,
    options: &Options,
    precision: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let keywords = PyDict::new(py);
    keywords.set_item("precision", precision)?;
    keywords.set_item("hash", options.hash)?;
    keywords.set_item("threads", options.threads)?;
    keywords.set_item("elo", options.elo)?;
    keywords.set_item("seed", options.seed)?;
    Ok(keywords)
}

impl PyAgent {
    fn new(
        agent: Agent,
        function: &'static str,
        arguments: Arc<Py<PyTuple>>,
        keywords: Bound<'_, PyDict>,
    ) -> Self {
        Self {
            name: agent.name().to_owned(),
            variants: agent.games().iter().map(|game| game.name()).collect(),
            elo_range: agent.elo_range(),
            agent: Mutex::new(agent),
            is_taken: Mutex::new(false),
            freed: Condvar::new(),
            function,
            arguments,
            keywords: keywords.unbind(),
        }
    }
}
