//! Readers of PDN, for good and bad games.

use std::ffi::c_char;
use std::slice;

use agent::games::{PdnSource, PdnStream};
use agent::{TextEncoding, Variant};

use crate::error::{Failure, Result, guard};
use crate::handles::Handles;
use crate::text::{json, optional, owned, required};
use crate::{GAMES, crownhead_game, lock};

static READERS: Handles<PdnStream> = Handles::new("reader of PDN");

/// A reader of PDN, which yields its games one by one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct crownhead_pdn {
    /// 0 if there is no reader.
    pub handle: u64,
}

/// Opens a file of PDN. Games without a variant tag are games of `variant`; if it is `NULL`, their
/// moves must tell. `encoding` is a name such as `windows-1251`; if it is `NULL`, it is guessed.
///
/// # Safety
/// Strings are null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_pdn_open(
    path: *const c_char,
    variant: *const c_char,
    encoding: *const c_char,
) -> crownhead_pdn {
    open(|| {
        // SAFETY: the caller guarantees null-terminated strings.
        let (path, (variant, encoding)) =
            unsafe { (required(path, "path")?, options(variant, encoding)?) };
        PdnStream::open(PdnSource::File(path.into()), variant, encoding)
            .map_err(|error| Failure(format!("failed to read {path}: {error}")))
    })
}

/// Reads the bytes of a PDN text, which are copied; otherwise as `crownhead_pdn_open`.
///
/// # Safety
/// `bytes` points to `length` bytes, and strings are null-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_pdn_from_bytes(
    bytes: *const u8,
    length: usize,
    variant: *const c_char,
    encoding: *const c_char,
) -> crownhead_pdn {
    open(|| {
        if bytes.is_null() {
            return Err(Failure("bytes is NULL: give a PDN text".to_owned()));
        }
        // SAFETY: the caller guarantees this many bytes, and null-terminated strings.
        let (bytes, (variant, encoding)) = unsafe {
            (
                slice::from_raw_parts(bytes, length),
                options(variant, encoding)?,
            )
        };
        PdnStream::open(PdnSource::Bytes(bytes.into()), variant, encoding)
            .map_err(|error| Failure(error.to_string()))
    })
}

/// The next game as JSON, good or bad; an empty string after the last one. `game` receives a new
/// game, of one with a fault the moves before it, with the handle 0 if the start position is
/// unknown; it may be `NULL`.
///
/// The JSON has `number` and `line` in the text, from 1, `tags` as pairs, `result` (`white`,
/// `black`, `draw` or `ongoing`), `comment` before the first move, then for each move of the game
/// `comments`, `glyphs` (`!?`) and `data` (pairs such as `clk` and a time), `written`, all moves as
/// the text has them, and `error`: null, or the `line` and `message` of the fault.
///
/// # Safety
/// `game` is `NULL` or points to writable memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_pdn_next(
    pdn: crownhead_pdn,
    game: *mut crownhead_game,
) -> *mut c_char {
    owned(|| {
        let read = lock(&*READERS.get(pdn.handle)?).next();
        let text = read.as_ref().map(json).transpose()?.unwrap_or_default();
        // SAFETY: the caller guarantees that it is NULL or writable.
        if let Some(game) = unsafe { game.as_mut() } {
            let read = read.and_then(|read| read.game);
            game.handle = read.map_or(0, |read| GAMES.open(read));
        }
        Ok(text)
    })
}

/// The encoding of the part read so far, such as `UTF-8` or `windows-1251`.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_pdn_encoding(pdn: crownhead_pdn) -> *mut c_char {
    owned(|| {
        let encoding = lock(&*READERS.get(pdn.handle)?).encoding();
        Ok(encoding.name().to_owned())
    })
}

/// Closes a reader; its games stay open. A handle that is not open is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_pdn_close(pdn: crownhead_pdn) {
    if let Some(closed) = READERS.close(pdn.handle) {
        drop(lock(&closed));
    }
}

fn open(read: impl FnOnce() -> Result<PdnStream>) -> crownhead_pdn {
    crownhead_pdn {
        handle: guard(|| Ok(READERS.open(read()?))).unwrap_or_default(),
    }
}

/// The variant and encoding of a call.
///
/// # Safety
/// Strings are null-terminated.
unsafe fn options(
    variant: *const c_char,
    encoding: *const c_char,
) -> Result<(Option<Variant>, Option<TextEncoding>)> {
    // SAFETY: the caller's guarantees are the required ones.
    let (variant, encoding) = unsafe {
        (
            optional(variant, "variant")?,
            optional(encoding, "encoding")?,
        )
    };
    Ok((
        variant.map(str::parse).transpose()?,
        encoding.map(str::parse).transpose()?,
    ))
}
