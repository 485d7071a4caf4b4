//! An engine for CheckerBoard, the Windows program of the english-checkers world, version 2 of its
//! interface.
//!
//! CheckerBoard loads a DLL for each engine and learns its game from the reply to `get gametype`.
//! So a build plays one game, named at build time in the variable `CROWNHEAD_GAME`: `english` (the
//! default), `italian`, `spanish`, `russian`, `brazilian` or `czech`. The engine is alpha-beta
//! search with the evaluation that comes with Crownhead, or the balance of material for a game
//! without one.
//!
//! The functions are called by CheckerBoard with the `__stdcall` convention, one at a time. A panic
//! never leaves them.

mod board;
mod engine;
mod moves;

use std::ffi::{CStr, c_char, c_double, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicI32;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

pub use board::{Cells, Coordinates};
pub use engine::{Engine, Verdict, time_left};
pub use moves::CheckerBoardMove;

/// Bytes of the texts that CheckerBoard lends, the zero at the end included.
const TEXT: usize = 1024;

static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(|| Mutex::new(Engine::new(engine::VARIANT)));

fn engine() -> MutexGuard<'static, Engine> {
    ENGINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a text and its zero, truncated to the available room.
///
/// # Safety
///
/// `place` is null or has room for [`TEXT`] bytes.
unsafe fn write(place: *mut c_char, text: &str) {
    if place.is_null() {
        return;
    }
    let mut end = text.len().min(TEXT - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // SAFETY: the caller promises room for TEXT bytes, and `end` is smaller.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), place, end);
        place.add(end).write(0);
    }
}

/// Chooses a move: changes `board` to the position after it, fills in `played` and returns a claim
/// about the result, [`Verdict`]. The current line of the search appears in `status`.
///
/// # Safety
///
/// `board` points to 64 readable and writable numbers, `status` to 1,024 bytes; `play_now` and
/// `played` are null or point to a number and to a move. All stay valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn getmove(
    board: *mut Cells,
    color: c_int,
    seconds: c_double,
    status: *mut c_char,
    play_now: *mut c_int,
    info: c_int,
    more_info: c_int,
    played: *mut CheckerBoardMove,
) -> c_int {
    let time = time_left(seconds, info, more_info);
    // SAFETY: the caller promises a number that stays valid. CheckerBoard's other thread changes it
    // meanwhile, which an atomic expects.
    let play_now = (!play_now.is_null()).then(|| unsafe { AtomicI32::from_ptr(play_now) });
    // SAFETY: the caller promises room.
    let mut report = |text: &str| unsafe { write(status, text) };
    // SAFETY: the caller promises 64 numbers.
    let Some(cells) = (unsafe { board.as_mut() }) else {
        return Verdict::Unknown as c_int;
    };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        engine().choose(cells, color, time, play_now, &mut report)
    }));
    match answer {
        Ok(Ok(answer)) => {
            *cells = answer.cells;
            // SAFETY: the caller promises a move, or null.
            if let (Some(place), Some(mv)) = (unsafe { played.as_mut() }, answer.played) {
                *place = mv;
            }
            answer.verdict as c_int
        }
        Ok(Err(message)) => {
            report(&message);
            Verdict::Unknown as c_int
        }
        Err(_) => {
            report("Crownhead failed; the position is unchanged");
            Verdict::Unknown as c_int
        }
    }
}

/// Answers a command; 0 if it is not known.
///
/// # Safety
///
/// `command` is null or a text that ends with a zero; `reply` is null or has room for 1,024 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn enginecommand(command: *const c_char, reply: *mut c_char) -> c_int {
    let text = match command.is_null() {
        true => String::new(),
        // SAFETY: the caller promises that the text ends.
        false => unsafe { CStr::from_ptr(command) }
            .to_string_lossy()
            .into_owned(),
    };
    let answer = catch_unwind(|| engine().command(&text)).unwrap_or_default();
    // SAFETY: the caller promises room.
    unsafe { write(reply, answer.as_deref().unwrap_or("?")) };
    c_int::from(answer.is_some())
}

/// Returns 1 if a move between two squares is legal, and fills in `played`.
///
/// # Safety
///
/// `board` points to 64 numbers; `played` is null or points to a move.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn islegal(
    board: *const Cells,
    color: c_int,
    from: c_int,
    to: c_int,
    played: *mut CheckerBoardMove,
) -> c_int {
    // SAFETY: the caller promises 64 numbers.
    let Some(cells) = (unsafe { board.as_ref() }) else {
        return 0;
    };
    let found = catch_unwind(|| engine().legal(cells, color, from, to));
    match found.ok().flatten() {
        Some(mv) => {
            // SAFETY: the caller promises a move, or null.
            if let Some(place) = unsafe { played.as_mut() } {
                *place = mv;
            }
            1
        }
        None => 0,
    }
}
