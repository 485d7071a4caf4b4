//! The file of a book.
//!
//! | part | bytes |
//! |---|---|
//! | magic | `CRWNBOOK` |
//! | format, version of the rules | 4 each |
//! | name of the game, name of the analyst | a number and UTF-8 each |
//! | positions | a number, then each position |
//! | checksum | 4, CRC-32C of everything before |
//!
//! Positions come breadth first from the start. A position is its number of moves, and of each move
//! its index among the legal ones in canonical order, a byte of flags, and what they announce: the
//! four counts of its games, its value in 2 bytes. The third flag says that the position after the
//! move is in the book. Numbers are LEB128, others little-endian.

use std::collections::{HashSet, VecDeque};

use rules::{MoveList, Position, Variant};

use crate::entry::{BookMove, Entry, Tally};
use crate::{Book, BookError, UNIT};

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"CRWNBOOK";
/// The largest file, in bytes.
pub const MAX_BYTES: u64 = 1 << 28;
/// Positions of a book, at most.
pub const MAX_POSITIONS: usize = 1 << 22;
/// Characters of the name of an analyst that are kept.
pub(crate) const MAX_ANALYST_CHARS: usize = 200;
/// The most bytes of a name: a character has at most four.
const MAX_NAME: usize = 4 * MAX_ANALYST_CHARS;
const FORMAT: u32 = 1;

const HAS_GAMES: u8 = 1;
const HAS_VALUE: u8 = 2;
const IS_FOLLOWED: u8 = 4;

impl Book {
    /// The bytes of the file: the positions that are reached from the start.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT.to_le_bytes());
        out.extend(self.variant.rules_version().to_le_bytes());
        for text in [self.variant.name(), &self.analyst] {
            write_number(&mut out, text.len() as u64);
            out.extend(text.as_bytes());
        }
        let order = self.in_order();
        write_number(&mut out, order.len() as u64);
        for entry in order.iter().filter_map(|key| self.entries.get(key)) {
            self.write_entry(&mut out, entry);
        }
        let checksum = crc32c::crc32c(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    fn write_entry(&self, out: &mut Vec<u8>, entry: &Entry) {
        let legal = canonical(&entry.position);
        write_number(out, entry.moves.len() as u64);
        for BookMove {
            mv,
            after,
            tally,
            searched,
        } in &entry.moves
        {
            let index = legal.iter().position(|other| other == mv);
            write_number(out, index.unwrap_or(legal.len()) as u64);
            let is_followed = self.entries.contains_key(after);
            let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
            out.push(
                flag(*tally != Tally::default(), HAS_GAMES)
                    | flag(searched.is_some(), HAS_VALUE)
                    | flag(is_followed, IS_FOLLOWED),
            );
            if *tally != Tally::default() {
                for count in [tally.wins, tally.draws, tally.losses, tally.open] {
                    write_number(out, count.into());
                }
            }
            out.extend(searched.iter().flat_map(|value| value.to_le_bytes()));
        }
    }

    /// Reads a file, and backs its values up.
    ///
    /// # Errors
    /// If the bytes are anything but a book of this version of the program and of the rules.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let mut bytes = Reader { bytes, at: 0 };
        if bytes.take(MAGIC.len()) != Ok(MAGIC) {
            return Err(BookError::NotABook);
        }
        let found = u32::from_le_bytes(bytes.array()?);
        if found != FORMAT {
            let known = FORMAT;
            return Err(BookError::Format { found, known });
        }
        bytes.check()?;
        let version = u32::from_le_bytes(bytes.array()?);
        let name = bytes.text()?;
        let Ok(variant) = name.parse::<Variant>() else {
            return Err(BookError::UnknownVariant { found: name });
        };
        if version != variant.rules_version() {
            return Err(BookError::RulesVersion {
                variant,
                found: version,
                known: variant.rules_version(),
            });
        }
        let mut book = Book::new(variant);
        book.analyst = bytes.text()?;
        book.read_entries(&mut bytes)?;
        match bytes.bytes.len() == bytes.at {
            true => book.settle(),
            false => return Err(bytes.damaged("there are bytes after the last position")),
        }
        Ok(book)
    }

    fn read_entries(&mut self, bytes: &mut Reader<'_>) -> Result<(), BookError> {
        let n_entries = bytes.number()? as usize;
        if n_entries > MAX_POSITIONS {
            return Err(bytes.damaged("there are too many positions"));
        }
        let root = self.root();
        let mut seen = HashSet::from([root.key()]);
        let mut queue = VecDeque::from([root]);
        for _ in 0..n_entries {
            let frame = queue.pop_front();
            let frame = frame.ok_or_else(|| bytes.damaged("a position is not reached"))?;
            let mut entry = Entry::new(*frame.position());
            let legal = canonical(&entry.position);
            let n_moves = bytes.number()? as usize;
            if n_moves == 0 || n_moves > legal.len() {
                return Err(bytes.damaged("a position has more moves than are legal, or none"));
            }
            let mut next = 0;
            for _ in 0..n_moves {
                let index = bytes.number()? as usize;
                let legal = legal.get(index).filter(|_| index >= next);
                let mv = *legal.ok_or_else(|| bytes.damaged("a move is not legal"))?;
                next = index + 1;
                let mut own = entry.new_move(mv);
                let is_followed = bytes.contents(&mut own)?;
                entry.moves.push(own);
                if is_followed && seen.insert(own.after) {
                    queue.push_back(entry.after(mv));
                }
            }
            self.entries.insert(frame.key(), entry);
        }
        match queue.is_empty() || n_entries == 0 {
            true => Ok(()),
            false => Err(bytes.damaged("positions are missing")),
        }
    }
}

/// The legal moves of a position in canonical order.
fn canonical(position: &Position) -> MoveList {
    let mut moves = position.legal_moves();
    moves.sort_canonical();
    moves
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Bytes that are read one after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self, fault: &'static str) -> BookError {
        BookError::Damaged { at: self.at, fault }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], BookError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..n).ok_or(BookError::Truncated {
            at: self.bytes.len(),
        })?;
        self.at += n;
        Ok(taken)
    }

    /// Verifies the checksum at the end, and leaves it out.
    fn check(&mut self) -> Result<(), BookError> {
        let truncated = BookError::Truncated {
            at: self.bytes.len(),
        };
        let (told, checksum) = self.bytes.split_last_chunk::<4>().ok_or(truncated)?;
        if crc32c::crc32c(told) != u32::from_le_bytes(*checksum) {
            return Err(BookError::Damaged {
                at: told.len(),
                fault: "the checksum does not fit",
            });
        }
        self.bytes = told;
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        let bytes = self.take(N)?.first_chunk();
        Ok(*bytes.unwrap_or(&[0; N]))
    }

    /// A number of 32 bits.
    fn number(&mut self) -> Result<u32, BookError> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let is_shortest = byte > 0 || shift == 0;
                let number = u32::try_from(number).ok().filter(|_| is_shortest);
                return number.ok_or_else(|| self.damaged("a number is too large"));
            }
        }
        Err(self.damaged("a number is too large"))
    }

    fn text(&mut self) -> Result<String, BookError> {
        let n = self.number()? as usize;
        if n > MAX_NAME {
            return Err(self.damaged("a name is too long"));
        }
        let text = str::from_utf8(self.take(n)?);
        let text = text.map_err(|_| self.damaged("a name is not UTF-8"))?;
        Ok(text.to_owned())
    }

    /// Reads the games and the value of a move, and whether the position after it is in the book.
    fn contents(&mut self, own: &mut BookMove) -> Result<bool, BookError> {
        let [flags] = self.array()?;
        if flags > HAS_GAMES | HAS_VALUE | IS_FOLLOWED {
            return Err(self.damaged("a move has unknown flags"));
        }
        if flags & HAS_GAMES != 0 {
            let tally = &mut own.tally;
            for count in [
                &mut tally.wins,
                &mut tally.draws,
                &mut tally.losses,
                &mut tally.open,
            ] {
                *count = self.number()?;
            }
        }
        if flags & HAS_VALUE != 0 {
            let value = i16::from_le_bytes(self.array()?);
            if !(-UNIT..=UNIT).contains(&value) {
                return Err(self.damaged("a value is out of range"));
            }
            own.searched = Some(value);
        }
        Ok(flags & IS_FOLLOWED != 0)
    }
}
