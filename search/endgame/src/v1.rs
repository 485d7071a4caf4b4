//! The file format of databases.
//!
//! ```text
//! magic "CROWNEGD" | format u32 | variant, 16 bytes padded with zeros | rules version u32
//!     | pieces u32 | slices u32 | crc32c u32 of these
//! then for each slice: own men, own kings, enemy men, enemy kings, one byte each | longest win u16
//!     | length u32 | crc32c u32 of these and of the zstd frame | a zstd frame of that length
//! ```
//!
//! Numbers are little-endian. The frame holds two bits per position in index order, the first in
//! the lowest bits: 0 loss, 1 draw, 2 win. Slices are in the order in which they are solved.
//!
//! The format version is 1, or 2 for rules with king rest, whose counters the index of format 1 did
//! not include.

use std::io::{ErrorKind, Read, Write};

use rules::Variant;

use crate::database::{Database, Slice};
use crate::frame;
use crate::index::Index;
use crate::values::Values;
use crate::{EndgameError, Material};

const MAGIC: &str = "CROWNEGD";
const HEADER_BYTES: usize = 44;
const NAME_BYTES: usize = 16;
const SLICE_HEADER_BYTES: usize = 14;

impl Database {
    /// Writes the database. The bytes depend only on its contents.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write(&self, mut out: impl Write) -> Result<(), EndgameError> {
        out.write_all(&header(self))?;
        for slice in self.slices() {
            let frame = frame::compress(slice.values.as_bytes())?;
            out.write_all(&slice_header(slice, &frame))?;
            out.write_all(&frame)?;
        }
        Ok(())
    }

    /// Reads the database of a variant. Memory use is bounded by the size of the input plus a
    /// complete database with as many pieces, whatever the input contains.
    ///
    /// # Errors
    ///
    /// If the reader fails or the bytes are invalid; [`EndgameError`] names the place.
    pub fn read(mut input: impl Read, variant: Variant) -> Result<Database, EndgameError> {
        let n_pieces = read_header(&mut input, variant)?;
        let mut database = Database::empty(variant, n_pieces);
        for material in Material::all(n_pieces)? {
            database.insert(read_slice(&mut input, variant, material)?);
        }
        match input.read(&mut [0])? {
            0 => Ok(database),
            _ => Err(damaged("the end", "there is extra data")),
        }
    }
}

fn format(variant: Variant) -> u32 {
    match variant.rules().king_rest_limit {
        0 => 1,
        _ => 2,
    }
}

fn header(database: &Database) -> Vec<u8> {
    let mut name = [0; NAME_BYTES];
    let letters = database.variant().name().as_bytes();
    name[..letters.len()].copy_from_slice(letters);
    let mut header = MAGIC.as_bytes().to_vec();
    header.extend(format(database.variant()).to_le_bytes());
    header.extend(name);
    header.extend(database.variant().rules_version().to_le_bytes());
    header.extend((database.n_pieces() as u32).to_le_bytes());
    header.extend((database.slices().len() as u32).to_le_bytes());
    header.extend(crc32c::crc32c(&header).to_le_bytes());
    header
}

/// Reads and checks the file header; returns the number of pieces.
fn read_header(input: &mut impl Read, variant: Variant) -> Result<usize, EndgameError> {
    let inside = || "the header".to_owned();
    let mut magic = [0; MAGIC.len()];
    read_exact(input, &mut magic, inside)?;
    if magic != MAGIC.as_bytes() {
        return Err(EndgameError::NotADatabase { magic: MAGIC });
    }
    let mut rest = [0; HEADER_BYTES - MAGIC.len()];
    read_exact(input, &mut rest, inside)?;
    let (told, crc) = rest.split_at(rest.len() - 4);
    if crc32c::crc32c_append(crc32c::crc32c(&magic), told) != number(crc) {
        return Err(damaged("the header", "its checksum does not match"));
    }
    let (found, told) = told.split_at(4);
    let (name, told) = told.split_at(NAME_BYTES);
    let (rules_version, told) = told.split_at(4);
    let (n_pieces, n_slices) = told.split_at(4);
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    if name != variant.name().as_bytes() {
        return Err(EndgameError::WrongVariant {
            found: String::from_utf8_lossy(name).into_owned(),
            wanted: variant,
        });
    }
    let (found, known) = (number(found), format(variant));
    if found != known {
        return Err(EndgameError::Format { found, known });
    }
    if number(rules_version) != variant.rules_version() {
        return Err(EndgameError::RulesVersion {
            variant,
            found: number(rules_version),
            known: variant.rules_version(),
        });
    }
    let n_pieces = number(n_pieces) as usize;
    if number(n_slices) as usize != Material::all(n_pieces)?.len() {
        return Err(damaged("the header", "the number of slices is wrong"));
    }
    Ok(n_pieces)
}

fn slice_header(slice: &Slice, frame: &[u8]) -> [u8; SLICE_HEADER_BYTES] {
    let mut header = [0; SLICE_HEADER_BYTES];
    header[..4].copy_from_slice(&material_bytes(slice.material()));
    header[4..6].copy_from_slice(&slice.longest().to_le_bytes());
    header[6..10].copy_from_slice(&(frame.len() as u32).to_le_bytes());
    let crc = crc32c::crc32c_append(crc32c::crc32c(&header[..10]), frame);
    header[10..].copy_from_slice(&crc.to_le_bytes());
    header
}

fn read_slice(
    input: &mut impl Read,
    variant: Variant,
    material: Material,
) -> Result<Slice, EndgameError> {
    let [own_men, own_kings, enemy_men, enemy_kings] = material_bytes(material);
    let inside = || {
        format!(
            "the slice of {own_men} men, {own_kings} kings v {enemy_men} men, {enemy_kings} kings"
        )
    };
    let mut header = [0; SLICE_HEADER_BYTES];
    read_exact(input, &mut header, inside)?;
    let (told, crc) = header.split_at(10);
    let index = Index::new(variant.rules(), material);
    let n_bytes = Values::n_bytes(index.len());
    let length = number(&told[6..]) as usize;
    if told[..4] != material_bytes(material) || length > frame::max_len(n_bytes) {
        return Err(damaged(&inside(), "its header is invalid"));
    }
    // Grows with the data read, so that a short file takes no more memory than its length.
    let mut frame = Vec::new();
    Read::take(&mut *input, length as u64).read_to_end(&mut frame)?;
    if frame.len() < length {
        return Err(EndgameError::Truncated { inside: inside() });
    }
    if crc32c::crc32c_append(crc32c::crc32c(told), &frame) != number(crc) {
        return Err(damaged(&inside(), "its checksum does not match"));
    }
    let values = frame::decompress(&frame, n_bytes)
        .and_then(|bytes| Values::from_bytes(bytes, index.len()))
        .ok_or_else(|| damaged(&inside(), "its values cannot be decompressed"))?;
    let longest = u16::from_le_bytes([told[4], told[5]]);
    Ok(Slice::new(material, index, values, longest))
}

fn material_bytes(material: Material) -> [u8; 4] {
    let Material { own, enemy } = material;
    [own.men, own.kings, enemy.men, enemy.kings].map(|count| count as u8)
}

fn read_exact(
    input: &mut impl Read,
    bytes: &mut [u8],
    inside: impl Fn() -> String,
) -> Result<(), EndgameError> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => EndgameError::Truncated { inside: inside() },
        _ => EndgameError::Io(error),
    })
}

fn damaged(inside: &str, fault: &'static str) -> EndgameError {
    EndgameError::Damaged {
        inside: inside.to_owned(),
        fault,
    }
}

/// The little-endian number at the start of some bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, and the size of the largest read requested.
    struct Noted<'a>(&'a [u8], usize);

    impl Read for Noted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = self.1.max(buffer.len());
            self.0.read(buffer)
        }
    }

    #[test]
    fn a_short_file_that_promises_much_takes_little_memory() {
        let variant = Variant::Frisian;
        let n_bytes = |material: &Material| {
            let index = Index::new(variant.rules(), *material);
            Values::n_bytes(index.len())
        };
        let material = Material::all(5)
            .unwrap()
            .into_iter()
            .max_by_key(n_bytes)
            .unwrap();
        let n_bytes = n_bytes(&material);
        assert!(n_bytes > 1 << 20);
        let most = frame::max_len(n_bytes) as u32;
        for (length, fault) in [(most, "cut off"), (most + 1, "is invalid")] {
            let mut header = [0; SLICE_HEADER_BYTES];
            header[..4].copy_from_slice(&material_bytes(material));
            header[6..10].copy_from_slice(&length.to_le_bytes());
            let mut input = Noted(&header, 0);
            let error = read_slice(&mut input, variant, material).err();
            let error = error.unwrap().to_string();
            assert!(error.contains(fault), "{error}");
            assert!(input.1 < 1 << 16, "{}", input.1);
        }
    }
}
