//! Rules, search and networks as a Python module: thin classes over the crate `agent`.

mod agents;
mod analyses;
mod environment;
mod errors;
mod evaluator;
mod games;
mod pdn;
mod runs;
mod searching;

use agent::environment::random_games;
use agent::{Color, Variant};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Maximum number of games per call: running out of memory would abort the process.
const MAX_RANDOM_GAMES: usize = 10_000_000;

/// Random games between two checks for Ctrl-C: some tens of milliseconds.
const GAMES_PER_CHECK: usize = 1000;

/// A numpy vector.
pub(crate) type Array1<'py, T> = Bound<'py, PyArray1<T>>;

/// Numbers of squares, planes, globals and actions of a variant, see `Game.observation` and
/// `Game.action_of`.
///
/// >>> import crownhead
/// >>> crownhead.shape("english")
/// {'squares': 32, 'planes': 6, 'globals': 4, 'actions': 4096}
#[pyfunction]
fn shape<'py>(py: Python<'py>, variant: &str) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
    let variant = games::variant(variant)?;
    let shape = pyo3::types::PyDict::new(py);
    shape.set_item("squares", variant.board().n_squares())?;
    shape.set_item("planes", agent::PIECE_PLANES)?;
    shape.set_item("globals", agent::GLOBALS)?;
    shape.set_item("actions", agent::environment::Actions::new(variant).count())?;
    Ok(shape)
}

/// The names of all variants.
///
/// >>> import crownhead
/// >>> crownhead.variants()[:3]
/// ['english', 'customary', 'frisian']
#[pyfunction]
fn variants() -> Vec<&'static str> {
    Variant::ALL.map(Variant::name).into()
}

/// Plays `n` games of random moves: results (1 if the side that moved first won, -1 or 0), and
/// numbers of plies.
///
/// >>> import crownhead
/// >>> results, plies = crownhead.random_games("english", 100, seed=1)
/// >>> len(results), bool(plies.min() > 10)
/// (100, True)
#[pyfunction(name = "random_games")]
#[pyo3(signature = (variant, n, seed=0))]
fn play_random_games<'py>(
    py: Python<'py>,
    variant: &str,
    n: usize,
    seed: u64,
) -> PyResult<(Array1<'py, i8>, Array1<'py, u32>)> {
    let variant = games::variant(variant)?;
    if n > MAX_RANDOM_GAMES {
        return Err(PyValueError::new_err(format!(
            "n is {n}: write {MAX_RANDOM_GAMES} or less"
        )));
    }
    let first: Color = variant.rules().first_player;
    let (mut results, mut plies) = (Vec::new(), Vec::new());
    let mut played = random_games(variant, seed).take(n);
    while results.len() < n {
        py.detach(|| {
            for (outcome, length) in played.by_ref().take(GAMES_PER_CHECK) {
                results.push(outcome.half_points(first) as i8 - 1);
                plies.push(length);
            }
        });
        py.check_signals()?;
    }
    Ok((results.into_pyarray(py), plies.into_pyarray(py)))
}

/// The compiled part of `crownhead`.
#[pymodule]
mod _crownhead {
    use numpy::PyArray1;
    use pyo3::prelude::*;

    /// Loads numpy's functions: the first use after a Ctrl-C would panic.
    #[pymodule_init]
    fn load_numpy(module: &Bound<'_, PyModule>) -> PyResult<()> {
        PyArray1::<u8>::zeros(module.py(), 0, false);
        Ok(())
    }

    #[pymodule_export]
    use super::agents::PyAgent;
    #[pymodule_export]
    use super::analyses::{Analysis, Line};
    #[pymodule_export]
    use super::environment::VectorEnv;
    #[pymodule_export]
    use super::errors::{CrownheadError, PdnError};
    #[pymodule_export]
    use super::games::{PyGame, PyMove, PyPosition};
    #[pymodule_export]
    use super::pdn::{PdnGame, PdnReader};
    #[pymodule_export]
    use super::runs::{recorded_generations, recorded_samples};
    #[pymodule_export]
    use super::{play_random_games, shape, variants};

    /// The version of the program that this module belongs to.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
