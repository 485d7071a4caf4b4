//! Rules, search and networks as a C library.
//!
//! Handles are numbers, not addresses: a closed or invalid one causes an error. Every function may
//! be called from every thread. Calls with the same handle wait for each other, except
//! `crownhead_agent_stop`, which never waits.
//!
//! A function that fails returns a handle with the number 0, `NULL`, or `false`; `crownhead_error`
//! then returns the message. Returned strings belong to the caller, who frees them with
//! `crownhead_string_free`. All strings are UTF-8.

#![expect(non_camel_case_types, reason = "these are names of C")]

mod error;
mod handles;
mod pdn;
mod searching;
mod text;

use std::ffi::{CString, c_char, c_void};
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent::view::{Analysis, GameView};
use agent::{Agent, Error, Game, Limits, Options, Wdl, games, legal_moves};

pub use pdn::{
    crownhead_pdn, crownhead_pdn_close, crownhead_pdn_encoding, crownhead_pdn_from_bytes,
    crownhead_pdn_next, crownhead_pdn_open,
};

use error::{Failure, LAST, Result, guard};
use handles::Handles;
use searching::{Searching, idle_agent, is_reporting};
use text::{json, optional, owned, required};

static GAMES: Handles<Game> = Handles::new("game");
static AGENTS: Handles<Agent> = Handles::new("agent");

/// A game: a position and the moves that led to it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct crownhead_game {
    /// 0 if there is no game.
    pub handle: u64,
}

/// An agent, which plays one variant or several.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct crownhead_agent {
    /// 0 if there is no agent.
    pub handle: u64,
}

/// Limits of a search; 0 means unlimited.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct crownhead_limits {
    /// Positions of alpha-beta search, simulations of a network.
    pub nodes: u64,
    /// Depth in plies.
    pub depth: u32,
    /// Number of lines, 1 to 10; 0 means 1.
    pub lines: u32,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Probabilities of win, draw and loss for the side to move.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct crownhead_value {
    /// Probability of a win.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability of a loss.
    pub loss: f32,
}

/// Callback for intermediate results of an analysis, as the JSON that `crownhead_agent_analyse`
/// returns; returning `false` ends the analysis. The text is freed after the call. With the
/// analyzing agent the callback may only call `crownhead_agent_stop` and `crownhead_agent_close`;
/// all other functions fail.
pub type crownhead_report =
    Option<unsafe extern "C" fn(analysis: *const c_char, user: *mut c_void) -> bool>;

/// The error message of the last failed call of this thread; `NULL` if none failed. The text is
/// valid until the next failing call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()))
}

/// Frees a string that this library returned; `NULL` is ignored.
///
/// # Safety
/// The string was returned by this library and has not been freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_string_free(string: *mut c_char) {
    if !string.is_null() {
        // SAFETY: the caller guarantees that `CString::into_raw` created it and that it is freed
        // only once.
        drop(unsafe { CString::from_raw(string) });
    }
}

/// Starts a game of a variant, such as `english`, from a FEN, or from the start position if it is
/// `NULL`.
///
/// # Safety
/// Strings are null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_new(
    variant: *const c_char,
    fen: *const c_char,
) -> crownhead_game {
    open_game(|| {
        // SAFETY: the caller guarantees null-terminated strings.
        let (variant, fen) = unsafe { (required(variant, "variant")?, optional(fen, "fen")?) };
        Ok(Game::new(games::position(variant.parse()?, fen)?))
    })
}

/// Reads one of the games of a PDN text without faults; `index` counts from 0. `variant` is used
/// for games without a variant tag; it may be `NULL`. `crownhead_pdn_open` reads all games, also of
/// texts with faults.
///
/// # Safety
/// Strings are null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_from_pdn(
    pdn: *const c_char,
    index: usize,
    variant: *const c_char,
) -> crownhead_game {
    open_game(|| {
        // SAFETY: the caller guarantees null-terminated strings.
        let (pdn, variant) = unsafe { (required(pdn, "pdn")?, optional(variant, "variant")?) };
        let variant = variant.map(str::parse).transpose()?;
        let read = games::read_pdn(pdn, variant)?;
        let n_games = read.len();
        let none = || format!("there is no game {index} in the PDN: it has {n_games}");
        let game = read.into_iter().nth(index);
        game.ok_or_else(|| Failure(none()))
    })
}

/// Copies a game.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_copy(game: crownhead_game) -> crownhead_game {
    open_game(|| of_game(game, Game::clone))
}

/// Closes a game; a handle that is not open is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_close(game: crownhead_game) {
    if let Some(closed) = GAMES.close(game.handle) {
        drop(lock(&closed));
    }
}

/// The position as FEN.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_fen(game: crownhead_game) -> *mut c_char {
    owned(|| of_game(game, |game| game.position().to_fen()))
}

/// The game as PDN; the players' names may be `NULL`.
///
/// # Safety
/// Strings are null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_pdn(
    game: crownhead_game,
    white: *const c_char,
    black: *const c_char,
) -> *mut c_char {
    owned(|| {
        // SAFETY: the caller guarantees null-terminated strings.
        let names = unsafe {
            [
                ("White", optional(white, "white")?),
                ("Black", optional(black, "black")?),
            ]
        };
        let tags: Vec<(&str, &str)> = names
            .into_iter()
            .filter_map(|(tag, name)| Some((tag, name?)))
            .collect();
        of_game(game, |game| games::write_pdn(game, &tags))
    })
}

/// The game as JSON: `variant`, `fen`, `turn`, `legal_moves` with `text`, `from`, `to`, `captured`
/// and `path`, `moves`, `status` (`ongoing`, `white`, `black` or `draw`) and `reason`.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_json(game: crownhead_game) -> *mut c_char {
    owned(|| json(&of_game(game, GameView::new)?))
}

/// The legal moves, separated by spaces; also listed after a draw by rule.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_legal_moves(game: crownhead_game) -> *mut c_char {
    owned(|| {
        let legal = of_game(game, |game| legal_moves(game.position()))?;
        let texts: Vec<String> = legal.into_iter().map(|legal| legal.text).collect();
        Ok(texts.join(" "))
    })
}

/// `ongoing`, the color of the winner, or `draw`.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_status(game: crownhead_game) -> *mut c_char {
    owned(|| Ok(of_game(game, |game| games::status(game.outcome()))?.to_owned()))
}

/// Plays the legal move given as text, such as `11-15`.
///
/// # Safety
/// The string is null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_play(game: crownhead_game, text: *const c_char) -> bool {
    let played = guard(|| {
        // SAFETY: the caller guarantees a null-terminated string.
        let text = unsafe { required(text, "move")? };
        Ok(games::play(&mut lock(&*GAMES.get(game.handle)?), text)?)
    });
    played.is_some()
}

/// Takes the last move back.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_take_back(game: crownhead_game) -> bool {
    guard(|| Ok(games::take_back(&mut lock(&*GAMES.get(game.handle)?))?)).is_some()
}

/// Loads an agent: `english` is the strongest bundled one, `bundled:english` its network,
/// `material:russian` one that counts pieces; anything else is a file or a folder.
///
/// Options follow after commas, as in `english,threads=2,hash=128`: `threads` and `hash`, its
/// megabytes of memory, and of a network `precision`, `f32` or `int8`. `elo=1200` limits its
/// strength to that rating, see `crownhead_agent_elo_range`, and `seed=7` is the seed of its random
/// choices then.
///
/// # Safety
/// The string is null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_load(source: *const c_char) -> crownhead_agent {
    open_agent(|| {
        // SAFETY: the caller guarantees a null-terminated string.
        let source = unsafe { required(source, "source")? };
        Ok(Agent::load(source, &Options::default())?)
    })
}

/// Loads an agent from the bytes of a safetensors file, without options. `name` replaces the file
/// name in messages.
///
/// # Safety
/// The string is null-terminated, and `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_from_bytes(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
) -> crownhead_agent {
    open_agent(|| {
        // SAFETY: the caller guarantees a null-terminated string.
        let name = unsafe { required(name, "name")? };
        if bytes.is_null() {
            let message = "bytes is NULL: give the content of a file";
            return Err(Failure(message.to_owned()));
        }
        // SAFETY: the caller guarantees this many bytes.
        let bytes = unsafe { slice::from_raw_parts(bytes, length) };
        Ok(Agent::from_bytes(name, bytes, &Options::default())?)
    })
}

/// Closes an agent; a handle that is not open is ignored. Stops the agent's search and waits for
/// its end, unless the search's report makes this call.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_agent_close(agent: crownhead_agent) {
    let closed = AGENTS.close(agent.handle);
    crownhead_agent_stop(agent);
    if let Some(closed) = closed
        && !is_reporting(agent.handle)
    {
        drop(lock(&closed));
    }
}

/// The variant that the agent plays; the first of several.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_agent_variant(agent: crownhead_agent) -> *mut c_char {
    owned(|| {
        let variant = lock(&*idle_agent(agent.handle)?).variant();
        Ok(variant.name().to_owned())
    })
}

/// The range of ratings, in Elo above random play, for the option `elo` of `crownhead_agent_load`,
/// up to the agent's full strength; written to `least` and `most` if the call succeeds. Fails if
/// the agent's strength was not measured.
///
/// # Safety
/// `least` and `most` point to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_elo_range(
    agent: crownhead_agent,
    least: *mut f64,
    most: *mut f64,
) -> bool {
    let done = guard(|| {
        if least.is_null() || most.is_null() {
            let message = "least or most is NULL: give pointers to write them to";
            return Err(Failure(message.to_owned()));
        }
        let agent = idle_agent(agent.handle)?;
        let agent = lock(&agent);
        let (lowest, highest) = agent.elo_range().ok_or_else(|| Error::NotMeasured {
            name: agent.name().to_owned(),
        })?;
        // SAFETY: the caller guarantees that they are writable, and they are not NULL.
        unsafe {
            least.write(lowest);
            most.write(highest);
        }
        Ok(())
    });
    done.is_some()
}

/// The move that the agent chooses. `limits` may be `NULL`; without limits it searches a default
/// number of nodes.
///
/// # Safety
/// `limits` is `NULL` or points to limits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_choose(
    agent: crownhead_agent,
    game: crownhead_game,
    limits: *const crownhead_limits,
) -> *mut c_char {
    owned(|| {
        // SAFETY: the caller guarantees that it is NULL or points to limits.
        let limits = unsafe { limits.as_ref() }.copied().unwrap_or_default();
        let game = of_game(game, Game::clone)?;
        let searched = idle_agent(agent.handle)?;
        let mut searched = lock(&*searched);
        let searching = Searching::begin(agent.handle)?;
        let choice = searched.choose_until(&game, &limits.into(), Arc::clone(&searching.0))?;
        Ok(game.position().move_text(choice.mv))
    })
}

/// Analyses a position until a limit is reached, `report` returns `false`, or another thread calls
/// `crownhead_agent_stop`. The result is JSON: `nodes`, and `lines`, best first, with `moves`,
/// `value` (`win`, `draw`, `loss`, or null), `proof` (`win`, `draw`, `loss`, or null), `plies` to a
/// proven end, `depth` and `visits`. A network limited by `nodes` alone plans its whole search at
/// once: it makes no reports.
///
/// # Safety
/// `limits` is `NULL` or points to limits; `report` is `NULL` or may be called from this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_analyse(
    agent: crownhead_agent,
    game: crownhead_game,
    limits: *const crownhead_limits,
    report: crownhead_report,
    user: *mut c_void,
) -> *mut c_char {
    owned(|| {
        // SAFETY: the caller guarantees that it is NULL or points to limits.
        let limits = unsafe { limits.as_ref() }.copied().unwrap_or_default();
        let game = of_game(game, Game::clone)?;
        let searched = idle_agent(agent.handle)?;
        let mut searched = lock(&*searched);
        let searching = Searching::begin(agent.handle)?;
        let control = Arc::clone(&searching.0);
        let position = game.position();
        let findings =
            searched.analyse(&game, &limits.into(), Arc::clone(&control), &mut |found| {
                let text = json(&Analysis::new(found, position))
                    .ok()
                    .and_then(|text| CString::new(text).ok());
                if let (Some(report), Some(text)) = (report, text)
                // SAFETY: the caller guarantees that it may be called; the text lives until it
                // returns.
                && !unsafe { report(text.as_ptr(), user) }
                {
                    control.stop();
                }
            })?;
        json(&Analysis::new(&findings, position))
    })
}

/// Stops the agent's search on another thread, if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_agent_stop(agent: crownhead_agent) {
    searching::stop(agent.handle);
}

/// The value of a position without search; written to `value` if the call succeeds.
///
/// # Safety
/// `value` points to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_value(
    agent: crownhead_agent,
    game: crownhead_game,
    value: *mut crownhead_value,
) -> bool {
    let done = guard(|| {
        if value.is_null() {
            let message = "value is NULL: give a pointer to write it to";
            return Err(Failure(message.to_owned()));
        }
        let game = of_game(game, Game::clone)?;
        let Wdl { win, draw, loss } = lock(&*idle_agent(agent.handle)?).value(&game)?;
        // SAFETY: the caller guarantees that it is writable, and it is not NULL.
        unsafe { value.write(crownhead_value { win, draw, loss }) };
        Ok(())
    });
    done.is_some()
}

fn open_game(make: impl FnOnce() -> Result<Game>) -> crownhead_game {
    crownhead_game {
        handle: guard(|| Ok(GAMES.open(make()?))).unwrap_or_default(),
    }
}

fn open_agent(load: impl FnOnce() -> Result<Agent>) -> crownhead_agent {
    crownhead_agent {
        handle: guard(|| Ok(AGENTS.open(load()?))).unwrap_or_default(),
    }
}

fn of_game<T>(game: crownhead_game, read: impl FnOnce(&Game) -> T) -> Result<T> {
    Ok(read(&lock(&*GAMES.get(game.handle)?)))
}

/// Locks a mutex that a panic may have poisoned: games and agents change atomically.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<crownhead_limits> for Limits {
    fn from(limits: crownhead_limits) -> Limits {
        Limits {
            nodes: (limits.nodes > 0).then_some(limits.nodes),
            depth: (limits.depth > 0).then_some(limits.depth),
            seconds: (limits.seconds != 0.0).then_some(limits.seconds),
            lines: (limits.lines > 0).then_some(limits.lines as usize),
        }
    }
}
