//! Rules, search and networks as a C library.
//!
//! Handles are numbers, not addresses: one that was closed, or never opened, is refused with a message.
//! Every function may be called from every thread. Calls with the same handle wait for each other, but for
//! `crownhead_agent_stop`, which never waits.
//!
//! A function that fails returns a handle with the number 0, `NULL`, or `false`; `crownhead_error` then says
//! why. Strings that are returned belong to the caller, who frees them with `crownhead_string_free`. All
//! strings are UTF-8.

#![expect(non_camel_case_types, reason = "these are names of C")]

mod error;
mod handles;
mod text;

use std::ffi::{CString, c_char, c_void};
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use agent::view::{Analysis, GameView, Value};
use agent::{Agent, Control, Game, Limits, Options, games, legal_moves};

use error::{Failure, LAST, Result, guard};
use handles::Handles;
use text::{json, optional, owned, required};

static GAMES: Handles<Game> = Handles::new("game");
static AGENTS: Handles<Agent> = Handles::new("agent");
/// The searches that run.
static SEARCHES: Mutex<Vec<Search>> = Mutex::new(Vec::new());

/// A game: a position, and how it came about.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct crownhead_game {
    /// 0 is no game.
    pub handle: u64,
}

/// An agent, which plays one game.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct crownhead_agent {
    /// 0 is no agent.
    pub handle: u64,
}

/// How long to think. What is 0 does not limit.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct crownhead_limits {
    /// Positions of alpha-beta search, simulations of a network.
    pub nodes: u64,
    /// Plies to look ahead.
    pub depth: u32,
    /// Lines to find, 1 to 10; 0 is 1.
    pub lines: u32,
    /// Seconds on the clock.
    pub seconds: f64,
}

/// Probabilities of win, draw and loss, from the view of the side to move.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct crownhead_value {
    /// Of a win.
    pub win: f32,
    /// Of a draw.
    pub draw: f32,
    /// Of a loss.
    pub loss: f32,
}

/// Hears what an analysis has found so far, as the JSON that `crownhead_agent_analyse` returns; `false` ends
/// the analysis. The text is freed after the call. Of the functions with the agent that analyses it may call
/// `crownhead_agent_stop` and `crownhead_agent_close`; all others fail.
pub type crownhead_report =
    Option<unsafe extern "C" fn(analysis: *const c_char, user: *mut c_void) -> bool>;

/// What went wrong in the last call of this thread that failed; `NULL` if none did. The text holds until the
/// next call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()))
}

/// Frees a string that this library returned; `NULL` is left alone.
///
/// # Safety
/// The string came from this library and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_string_free(string: *mut c_char) {
    if !string.is_null() {
        // SAFETY: the caller promises that `CString::into_raw` made it and that this is the only time.
        drop(unsafe { CString::from_raw(string) });
    }
}

/// Starts a game of a variant, such as `english`, from a FEN, or from the start position if that is `NULL`.
///
/// # Safety
/// Strings end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_new(
    variant: *const c_char,
    fen: *const c_char,
) -> crownhead_game {
    let handle = guard(|| {
        // SAFETY: the caller promises that strings end.
        let (variant, fen) = unsafe { (required(variant, "variant")?, optional(fen, "fen")?) };
        Ok(GAMES.open(Game::new(games::position(variant.parse()?, fen)?)))
    });
    crownhead_game {
        handle: handle.unwrap_or_default(),
    }
}

/// Reads one of the games of a PDN text, counted from 0. `variant` is played where no tag says which; it may
/// be `NULL`.
///
/// # Safety
/// Strings end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_from_pdn(
    pdn: *const c_char,
    index: usize,
    variant: *const c_char,
) -> crownhead_game {
    let handle = guard(|| {
        // SAFETY: the caller promises that strings end.
        let (pdn, variant) = unsafe { (required(pdn, "pdn")?, optional(variant, "variant")?) };
        let variant = variant.map(str::parse).transpose()?;
        let read = games::read_pdn(pdn, variant)?;
        let n_games = read.len();
        let game = read.into_iter().nth(index).ok_or_else(|| {
            Failure::new(format!(
                "there is no game {index} in the PDN: it has {n_games}"
            ))
        })?;
        Ok(GAMES.open(game))
    });
    crownhead_game {
        handle: handle.unwrap_or_default(),
    }
}

/// A second game that stands as this one does.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_copy(game: crownhead_game) -> crownhead_game {
    let handle = guard(|| Ok(GAMES.open(lock(&*GAMES.get(game.handle)?).clone())));
    crownhead_game {
        handle: handle.unwrap_or_default(),
    }
}

/// Closes a game; a handle that is not open is left alone.
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

/// The game as PDN; the names of the players may be `NULL`.
///
/// # Safety
/// Strings end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_pdn(
    game: crownhead_game,
    white: *const c_char,
    black: *const c_char,
) -> *mut c_char {
    owned(|| {
        // SAFETY: the caller promises that strings end.
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

/// The game as JSON: `variant`, `fen`, `turn`, `legal_moves` with `text`, `from`, `to`, `captured` and `path`,
/// `moves`, `status` (`ongoing`, `white`, `black` or `draw`) and `reason`.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_json(game: crownhead_game) -> *mut c_char {
    owned(|| json(&of_game(game, GameView::new)?))
}

/// The legal moves, separated by spaces, also where a draw rule has ended the game.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_legal_moves(game: crownhead_game) -> *mut c_char {
    owned(|| {
        let legal = of_game(game, |game| legal_moves(game.position()))?;
        let texts: Vec<String> = legal.into_iter().map(|legal| legal.text).collect();
        Ok(texts.join(" "))
    })
}

/// `ongoing`, the colour that has won, or `draw`.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_game_status(game: crownhead_game) -> *mut c_char {
    owned(|| Ok(of_game(game, |game| games::status(game.outcome()))?.to_owned()))
}

/// Plays the legal move that a text such as `11-15` means.
///
/// # Safety
/// The string ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_game_play(game: crownhead_game, text: *const c_char) -> bool {
    let played = guard(|| {
        // SAFETY: the caller promises that the string ends.
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

/// Loads an agent: `english` is the strongest that comes with the library, `bundled:english` its network,
/// `material:russian` one that counts pieces; anything else is a file or a folder. Behind it `,elo=1200` is the
/// rating that it is held back to, the player `random` having 0, and `,seed=7` decides what it then leaves to chance.
///
/// # Safety
/// The string ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_load(source: *const c_char) -> crownhead_agent {
    open_agent(|| {
        // SAFETY: the caller promises that the string ends.
        let source = unsafe { required(source, "source")? };
        Ok(Agent::load(source, &Options::default())?)
    })
}

/// Loads an agent from the bytes of a safetensors file. `name` stands for the file in messages.
///
/// # Safety
/// The string ends with a zero byte, and there are `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_from_bytes(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
) -> crownhead_agent {
    open_agent(|| {
        // SAFETY: the caller promises that the string ends.
        let name = unsafe { required(name, "name")? };
        if bytes.is_null() {
            return Err(Failure::new(
                "bytes is NULL: give the content of a file".to_owned(),
            ));
        }
        // SAFETY: the caller promises that there are so many.
        let bytes = unsafe { slice::from_raw_parts(bytes, length) };
        Ok(Agent::from_bytes(name, bytes, &Options::default())?)
    })
}

/// Closes an agent; a handle that is not open is left alone. A search that runs is stopped and ends first, but for
/// the one that makes this call by its report.
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

/// The game that the agent plays.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_agent_variant(agent: crownhead_agent) -> *mut c_char {
    owned(|| {
        Ok(lock(&*idle_agent(agent.handle)?)
            .variant()
            .name()
            .to_owned())
    })
}

/// The move that the agent chooses. `limits` may be `NULL`; without limits it makes a usual number of nodes.
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
        // SAFETY: the caller promises that it is NULL or points to limits.
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
/// `crownhead_agent_stop`. The result is JSON: `nodes`, and `lines`, best first, with `moves`, `value` (`win`,
/// `draw`, `loss`, or null), `proof` (`win`, `draw`, `loss`, or null), `plies` to a proven end, `depth` and
/// `visits`.
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
        // SAFETY: the caller promises that it is NULL or points to limits.
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
                // SAFETY: the caller promises that it may be called; the text lives until it returns.
                && !unsafe { report(text.as_ptr(), user) }
                {
                    control.stop();
                }
            })?;
        json(&Analysis::new(&findings, position))
    })
}

/// Ends the search that the agent is making for another thread, if it is making one.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_agent_stop(agent: crownhead_agent) {
    let searches = lock(&SEARCHES);
    searches
        .iter()
        .filter(|search| search.agent == agent.handle)
        .for_each(|search| search.control.stop());
}

/// What a position is worth without looking ahead; `value` is written if the call succeeds.
///
/// # Safety
/// `value` points to a value that can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_agent_value(
    agent: crownhead_agent,
    game: crownhead_game,
    value: *mut crownhead_value,
) -> bool {
    let done = guard(|| {
        if value.is_null() {
            return Err(Failure::new(
                "value is NULL: give a place to write it".to_owned(),
            ));
        }
        let game = of_game(game, Game::clone)?;
        let Value { win, draw, loss } = lock(&*idle_agent(agent.handle)?).value(&game)?.into();
        // SAFETY: the caller promises that it can be written, and it is not NULL.
        unsafe { value.write(crownhead_value { win, draw, loss }) };
        Ok(())
    });
    done.is_some()
}

/// A search that runs.
struct Search {
    /// The handle of its agent.
    agent: u64,
    /// Where it runs, and its reports are made.
    thread: ThreadId,
    /// What stops it.
    control: Arc<Control>,
}

/// A search that can be stopped while this lives.
struct Searching(Arc<Control>);

impl Searching {
    /// For the thread that has locked the agent, which may have been closed while the thread waited.
    fn begin(agent: u64) -> Result<Searching> {
        let control = Arc::new(Control::running());
        lock(&SEARCHES).push(Search {
            agent,
            thread: thread::current().id(),
            control: Arc::clone(&control),
        });
        let searching = Searching(control);
        AGENTS.get(agent)?;
        Ok(searching)
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        lock(&SEARCHES).retain(|search| !Arc::ptr_eq(&search.control, &self.0));
    }
}

/// Whether this thread is in a report of the agent's search.
fn is_reporting(agent: u64) -> bool {
    let thread = thread::current().id();
    lock(&SEARCHES)
        .iter()
        .any(|search| search.agent == agent && search.thread == thread)
}

/// An agent, which this thread may wait for.
fn idle_agent(handle: u64) -> Result<Arc<Mutex<Agent>>> {
    if is_reporting(handle) {
        let message = "the agent is making the analysis that this is a report of: stop or close it, or wait for its end";
        return Err(Failure::new(message.to_owned()));
    }
    AGENTS.get(handle)
}

fn open_agent(load: impl FnOnce() -> Result<Agent>) -> crownhead_agent {
    crownhead_agent {
        handle: guard(|| Ok(AGENTS.open(load()?))).unwrap_or_default(),
    }
}

fn of_game<T>(game: crownhead_game, read: impl FnOnce(&Game) -> T) -> Result<T> {
    Ok(read(&lock(&*GAMES.get(game.handle)?)))
}

/// Locks what a panic in another call may have left behind: games and agents change all at once.
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
