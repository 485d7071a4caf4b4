//! The first format of records.
//!
//! ```text
//! version u8 = 1 | variant text | rules version int | seed u64 | generation int | number int
//! network text | config hash u64 | start text (a FEN; empty for the variant's start)
//! result u8: 0 truncated; 1 Black won, 2 White won, 3 drawn; 4, 5, 6 the same, adjudicated
//! number of plies int
//! then for each ply: search u8 | index of the move in canonical order int | content
//!     0 opening: nothing              1 forced: nothing (and no index)
//!     2 forced: value (no index)      3 fast: value
//!     4 full: value, value of the network, surprise u8, a byte for each legal move
//! ```
//!
//! `u64` is little-endian, `int` LEB128, `text` an `int` length and UTF-8 bytes, a value two bytes:
//! win and loss in 1/255. The number of legal moves, positions and the reason of the result are not
//! stored, because replaying the game restores them.

use std::fmt::Display;

use rules::{Color, DrawReason, Outcome, Position, UnknownVariant, WinReason};

use super::{
    GameId, Header, Ply, Policy8, Record, RecordError, RecordedSearch, Replay, Surprise, Wdl8,
};

pub(super) const VERSION: u8 = 1;

const OPENING: u8 = 0;
const FORCED: u8 = 1;
const FORCED_WITH_VALUE: u8 = 2;
const FAST: u8 = 3;
const FULL: u8 = 4;

pub(super) fn encode(record: &Record) -> Result<Vec<u8>, RecordError> {
    check_header(record)?;
    let mut out = vec![VERSION];
    put_header(&mut out, &record.header);
    let start = match record.start == Position::start(record.header.variant) {
        true => String::new(),
        false => record.start.to_fen(),
    };
    put_text(&mut out, &start);
    out.push(result_code(record.result));
    put_int(&mut out, record.plies.len() as u64);
    let mut replay = Replay::new(record.start);
    for ply in &record.plies {
        put_ply(&mut out, &mut replay, ply)?;
    }
    read_result(result_code(record.result), replay.outcome())?;
    Ok(out)
}

pub(super) fn decode(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut input = Input { bytes };
    input.byte("the format version")?;
    let header = read_header(&mut input)?;
    let start = match input.text("the start position")? {
        "" => Position::start(header.variant),
        fen => Position::from_fen(header.variant, fen)
            .map_err(|error| fault(format!("the start position is invalid: {error}")))?,
    };
    let code = input.byte("the result")?;
    let n_plies = input.int("the number of plies")?;
    let n_plies = u16::try_from(n_plies).map_err(|_| RecordError::too_long(n_plies))?;
    let mut replay = Replay::new(start);
    let plies: Vec<Ply> = (0..n_plies)
        .map(|_| read_ply(&mut input, &mut replay))
        .collect::<Result<_, _>>()?;
    if !input.bytes.is_empty() {
        let count = input.bytes.len();
        return Err(fault(format!("{count} bytes follow the last ply")));
    }
    let result = read_result(code, replay.outcome())?;
    Ok(Record {
        header,
        start,
        plies,
        result,
    })
}

fn check_header(record: &Record) -> Result<(), RecordError> {
    let (header, start) = (record.header.variant, record.start.variant());
    if start != header {
        return Err(fault(format!(
            "the start position is of {start}, but the header says {header}"
        )));
    }
    if record.plies.len() > usize::from(u16::MAX) {
        return Err(RecordError::too_long(record.plies.len()));
    }
    check_rules_version(&record.header)
}

fn check_rules_version(header: &Header) -> Result<(), RecordError> {
    let (variant, found) = (header.variant, header.rules_version);
    let known = variant.rules_version();
    if found == known {
        Ok(())
    } else {
        Err(fault(format!(
            "the game was played by version {found} of the rules of {variant}, and this program \
             has version {known}: use the version that wrote it"
        )))
    }
}

fn put_header(out: &mut Vec<u8>, header: &Header) {
    put_text(out, header.variant.name());
    put_int(out, header.rules_version.into());
    out.extend(header.seed.to_le_bytes());
    put_int(out, header.id.generation.into());
    put_int(out, header.id.number.into());
    put_text(out, &header.network);
    out.extend(header.config_hash.to_le_bytes());
}

fn read_header(input: &mut Input<'_>) -> Result<Header, RecordError> {
    let header = Header {
        variant: input
            .text("the variant")?
            .parse()
            .map_err(|error: UnknownVariant| fault(error))?,
        rules_version: input.int_u32("the rules version")?,
        seed: input.u64("the seed")?,
        id: GameId {
            generation: input.int_u32("the generation")?,
            number: input.int_u32("the game's number")?,
        },
        network: input.text("the network's name")?.to_owned(),
        config_hash: input.u64("the hash of the configuration")?,
    };
    check_rules_version(&header)?;
    Ok(header)
}

fn put_ply(out: &mut Vec<u8>, replay: &mut Replay, ply: &Ply) -> Result<(), RecordError> {
    replay.check_goes_on()?;
    replay.check_search(&ply.search)?;
    let board = replay.game().position().board();
    let index = replay
        .moves()
        .iter()
        .position(|mv| *mv == ply.mv)
        .ok_or_else(|| {
            let [from, to] = [ply.mv.from, ply.mv.to].map(|square| board.number(square));
            let (ply, n_legal) = (replay.ply(), replay.moves().len());
            fault(format!(
                "ply {ply}: {from}-{to} is not a legal move (there are {n_legal})"
            ))
        })?;
    match &ply.search {
        RecordedSearch::Opening => {
            out.push(OPENING);
            put_int(out, index as u64);
        }
        RecordedSearch::Forced { value: None } => out.push(FORCED),
        RecordedSearch::Forced { value: Some(value) } => {
            out.push(FORCED_WITH_VALUE);
            out.extend(value.to_bytes());
        }
        RecordedSearch::Fast { value } => {
            out.push(FAST);
            put_int(out, index as u64);
            out.extend(value.to_bytes());
        }
        RecordedSearch::Full {
            value,
            raw_value,
            surprise,
            policy,
        } => {
            out.push(FULL);
            put_int(out, index as u64);
            out.extend(value.to_bytes());
            out.extend(raw_value.to_bytes());
            out.push(surprise.0);
            out.extend(policy.as_bytes());
        }
    }
    replay.play(ply.mv);
    Ok(())
}

fn read_ply(input: &mut Input<'_>, replay: &mut Replay) -> Result<Ply, RecordError> {
    replay.check_goes_on()?;
    let (ply, n_legal) = (replay.ply(), replay.moves().len());
    let kind = input.byte("a ply")?;
    let is_forced = matches!(kind, FORCED | FORCED_WITH_VALUE);
    let index = if is_forced { 0 } else { input.int("a move")? };
    let mv = usize::try_from(index)
        .ok()
        .and_then(|index| replay.moves().get(index).copied())
        .ok_or_else(|| {
            fault(format!(
                "ply {ply}: move index {index} is out of range: there are {n_legal} legal moves"
            ))
        })?;
    let search = match kind {
        OPENING => RecordedSearch::Opening,
        FORCED => RecordedSearch::Forced { value: None },
        FORCED_WITH_VALUE => RecordedSearch::Forced {
            value: Some(input.value(ply)?),
        },
        FAST => RecordedSearch::Fast {
            value: input.value(ply)?,
        },
        FULL => RecordedSearch::Full {
            value: input.value(ply)?,
            raw_value: input.value(ply)?,
            surprise: Surprise(input.byte("a surprise")?),
            policy: Policy8::from_bytes(input.take(n_legal, "a policy")?)
                .ok_or_else(|| fault(format!("ply {ply}: the policy is zero everywhere")))?,
        },
        found => {
            let what = format!("ply {ply}: {found} is an unknown kind of search");
            return Err(fault(what));
        }
    };
    replay.check_search(&search)?;
    replay.play(mv);
    Ok(Ply { mv, search })
}

fn result_code(result: Option<Outcome>) -> u8 {
    let Some(outcome) = result else { return 0 };
    let code = match outcome.winner() {
        Some(Color::Black) => 1,
        Some(Color::White) => 2,
        None => 3,
    };
    code + if is_adjudicated(outcome) { 3 } else { 0 }
}

fn is_adjudicated(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Win(_, WinReason::Adjudicated) | Outcome::Draw(DrawReason::Adjudicated)
    )
}

/// Reads the recorded result. A result by the rules must match the replayed one; only an unfinished
/// game can be adjudicated.
fn read_result(code: u8, replayed: Option<Outcome>) -> Result<Option<Outcome>, RecordError> {
    match (code, replayed) {
        (4, None) => return Ok(Some(Outcome::Win(Color::Black, WinReason::Adjudicated))),
        (5, None) => return Ok(Some(Outcome::Win(Color::White, WinReason::Adjudicated))),
        (6, None) => return Ok(Some(Outcome::Draw(DrawReason::Adjudicated))),
        _ => (),
    }
    let words = |code| match code {
        0 => "truncated".to_owned(),
        1 => "won by Black".to_owned(),
        2 => "won by White".to_owned(),
        3 => "drawn".to_owned(),
        4..=6 => "adjudicated".to_owned(),
        other => format!("number {other}"),
    };
    let correct = result_code(replayed);
    if code == correct {
        return Ok(replayed);
    }
    let (recorded, replayed) = (words(code), words(correct));
    Err(fault(format!(
        "the recorded result is `{recorded}`, but the moves give `{replayed}`"
    )))
}

fn put_int(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_int(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn fault(what: impl Display) -> RecordError {
    RecordError::new(what)
}

fn malformed(what: &str) -> RecordError {
    fault(format!("{what} is malformed"))
}

/// The bytes not read yet.
struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize, inside: &str) -> Result<&'a [u8], RecordError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or_else(|| RecordError::truncated(inside))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, inside: &str) -> Result<[u8; N], RecordError> {
        let (taken, rest) = self
            .bytes
            .split_first_chunk()
            .ok_or_else(|| RecordError::truncated(inside))?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn byte(&mut self, inside: &str) -> Result<u8, RecordError> {
        self.array(inside).map(|[byte]| byte)
    }

    fn u64(&mut self, inside: &str) -> Result<u64, RecordError> {
        self.array(inside).map(u64::from_le_bytes)
    }

    fn int(&mut self, what: &str) -> Result<u64, RecordError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(what)?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(malformed(what))
    }

    fn int_u32(&mut self, what: &str) -> Result<u32, RecordError> {
        self.int(what)?.try_into().map_err(|_| malformed(what))
    }

    fn text(&mut self, what: &str) -> Result<&'a str, RecordError> {
        let length = usize::try_from(self.int(what)?).unwrap_or(usize::MAX);
        let bytes = self.take(length, what)?;
        std::str::from_utf8(bytes).map_err(|_| malformed(what))
    }

    fn value(&mut self, ply: usize) -> Result<Wdl8, RecordError> {
        Wdl8::from_bytes(self.array("a value")?).ok_or_else(|| {
            fault(format!(
                "ply {ply}: the probabilities of win and loss sum to more than 1"
            ))
        })
    }
}
