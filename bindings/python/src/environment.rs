//! Vectorized environments on numpy arrays.

use agent::environment::{Actions, Environment, StepOutcome};
use agent::{GLOBALS, PIECE_PLANES};
use numpy::{
    PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::checked;
use crate::games::{PyGame, variant};

/// Maximum number of games: running out of memory would abort the process.
const MAX_GAMES: usize = 65_536;

/// Games, rewards, ends, and the number of random draws.
type State = (Vec<PyGame>, Vec<f32>, Vec<bool>, u64);

/// Games of one variant, stepped together. A finished game is replaced by a new one.
///
/// The arrays belong to the environment, which overwrites them in `reset` and `step`: copy them to
/// keep them. Rewards are for the side that moved.
///
/// >>> import crownhead
/// >>> env = crownhead.VectorEnv("english", 8)
/// >>> env.planes.shape, env.globals.shape, env.mask.shape
/// ((8, 32, 6), (8, 4), (8, 4096))
/// >>> for _ in range(100):
/// ...     env.step(env.random_actions())
/// >>> bool((env.mask.sum(axis=1) > 0).all())
/// True
#[pyclass(module = "crownhead")]
pub(crate) struct VectorEnv {
    environment: Environment,
    steps: Vec<StepOutcome>,
    seed: u64,
    drawn: u64,
    observations: bool,
    /// [game, square, plane] the boards.
    #[pyo3(get)]
    planes: Py<PyArray3<f32>>,
    /// [game, global]
    #[pyo3(get)]
    globals: Py<PyArray2<f32>>,
    /// [game, action] 1 for legal actions.
    #[pyo3(get)]
    mask: Py<PyArray2<i8>>,
    /// [game] reward of the last step: 1 for a win, -1 for a loss, else 0.
    #[pyo3(get)]
    rewards: Py<PyArray1<f32>>,
    /// [game] `True` if the last step ended the game.
    #[pyo3(get)]
    dones: Py<PyArray1<bool>>,
}

#[pymethods]
impl VectorEnv {
    /// `observations=False` does not update planes, globals and mask, for speed.
    #[new]
    #[pyo3(signature = (variant, n, *, seed=0, observations=true))]
    fn new(
        py: Python<'_>,
        variant: &str,
        n: usize,
        seed: u64,
        observations: bool,
    ) -> PyResult<Self> {
        if !(1..=MAX_GAMES).contains(&n) {
            return Err(PyValueError::new_err(format!(
                "n is {n}: write 1 to {MAX_GAMES}"
            )));
        }
        let variant = self::variant(variant)?;
        let n_squares = variant.board().n_squares();
        let n_actions = Actions::new(variant).count();
        let mut made = Self {
            environment: Environment::new(variant, n),
            steps: vec![StepOutcome::default(); n],
            seed,
            drawn: 0,
            observations,
            planes: PyArray3::zeros(py, [n, n_squares, PIECE_PLANES], false).unbind(),
            globals: PyArray2::zeros(py, [n, GLOBALS], false).unbind(),
            mask: PyArray2::zeros(py, [n, n_actions], false).unbind(),
            rewards: PyArray1::zeros(py, [n], false).unbind(),
            dones: PyArray1::from_vec(py, vec![false; n]).unbind(),
        };
        made.reset(py)?;
        Ok(made)
    }

    /// Resets all games to the start position.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.environment.reset();
        self.steps.fill(StepOutcome::default());
        self.show(py)
    }

    /// Plays one action in each game. If one is not legal, nothing is played.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let n_games = self.environment.games().len();
        if actions.len() != n_games {
            let text = format!("{} actions for {n_games} games", actions.len());
            return Err(PyValueError::new_err(text));
        }
        let actions: Vec<i64> = actions.as_array().iter().copied().collect();
        let (environment, steps) = (&mut self.environment, &mut self.steps);
        checked(py.detach(|| environment.step(&actions, steps)))?;
        self.show(py)
    }

    /// A random legal action for each game, from the seed.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut actions = vec![0; self.environment.games().len()];
        self.drawn += 1;
        self.environment
            .random_actions(self.seed, self.drawn, &mut actions);
        PyArray1::from_vec(py, actions)
    }

    /// A copy of one of the games.
    fn game(&self, index: usize) -> PyResult<PyGame> {
        let games = self.environment.games();
        let game = games.get(index).cloned().ok_or_else(|| {
            let n_games = games.len();
            pyo3::exceptions::PyIndexError::new_err(format!("there are {n_games} games"))
        })?;
        Ok(PyGame(game))
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((&'static str, usize), Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("seed", self.seed)?;
        keywords.set_item("observations", self.observations)?;
        let variant = self.environment.variant().name();
        Ok(((variant, self.__len__()), keywords))
    }

    /// The games, the last steps and the number of random draws, for copies and pickles.
    fn __getstate__(&self) -> State {
        let games = self.environment.games().iter().cloned().map(PyGame);
        let (rewards, dones) = self
            .steps
            .iter()
            .map(|step| (step.reward, step.is_done))
            .unzip();
        (games.collect(), rewards, dones, self.drawn)
    }

    fn __setstate__(&mut self, py: Python<'_>, state: State) -> PyResult<()> {
        let (games, rewards, dones, drawn) = state;
        let (n_games, variant) = (self.__len__(), self.environment.variant());
        let is_playable = |PyGame(game): &PyGame| {
            game.position().variant() == variant && game.outcome().is_none()
        };
        if [games.len(), rewards.len(), dones.len()] != [n_games; 3]
            || !games.iter().all(is_playable)
        {
            return Err(PyValueError::new_err(format!(
                "the state is not of {n_games} unfinished games of {variant}"
            )));
        }
        for (index, PyGame(game)) in games.into_iter().enumerate() {
            self.environment.set(index, game);
        }
        let steps = rewards.into_iter().zip(dones);
        let step = |(reward, is_done)| StepOutcome { reward, is_done };
        self.steps = steps.map(step).collect();
        self.drawn = drawn;
        self.show(py)
    }

    fn __len__(&self) -> usize {
        self.steps.len()
    }
}

impl VectorEnv {
    /// Updates the arrays.
    fn show(&self, py: Python<'_>) -> PyResult<()> {
        let (mut rewards, mut dones) = (
            self.rewards.bind(py).try_readwrite()?,
            self.dones.bind(py).try_readwrite()?,
        );
        let written = rewards
            .as_slice_mut()?
            .iter_mut()
            .zip(dones.as_slice_mut()?);
        for (step, (reward, done)) in self.steps.iter().zip(written) {
            (*reward, *done) = (step.reward, step.is_done);
        }
        if !self.observations {
            return Ok(());
        }
        let mut planes = self.planes.bind(py).try_readwrite()?;
        let mut globals = self.globals.bind(py).try_readwrite()?;
        let mut mask = self.mask.bind(py).try_readwrite()?;
        let (planes, globals) = (planes.as_slice_mut()?, globals.as_slice_mut()?);
        let mask = mask.as_slice_mut()?;
        let environment = &self.environment;
        py.detach(|| {
            environment.observe(planes, globals);
            environment.mask(mask);
        });
        Ok(())
    }
}
