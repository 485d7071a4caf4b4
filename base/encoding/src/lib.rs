//! Text of any encoding as UTF-8.
//!
//! [`TextReader`] decodes a stream incrementally. Text counts as UTF-8 as long as it is valid;
//! UTF-16 is recognized by its byte order mark or its zero bytes; the encoding of other lines is
//! guessed from all lines near the first one. Different lines never become the same text.

mod packed;

use std::io::{self, BufRead, Read};
use std::str::FromStr;

use chardetng::EncodingDetector;
use encoding_rs::{Decoder, Encoding, KOI8_R, KOI8_U, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// An encoding, by any of the names that the web knows: `windows-1251`, `cp866`, `latin1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEncoding(&'static Encoding);

/// A name that is not one of an encoding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown encoding `{name}`: write utf-8, utf-16le, utf-16be, windows-1251, windows-1252, koi8-r, cp866 or another name of the web"
)]
pub struct UnknownEncoding {
    name: String,
}

impl TextEncoding {
    /// The name in its usual form.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

impl FromStr for TextEncoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<TextEncoding, UnknownEncoding> {
        let key = name.trim().to_ascii_lowercase();
        // Names that people use and the web does not.
        let label = match key.as_str() {
            "1251" | "cp-1251" | "ansi-cyrillic" => "windows-1251",
            "1252" | "cp-1252" | "ansi" => "windows-1252",
            "866" | "cp-866" | "dos" | "dos-866" => "ibm866",
            "koi8r" => "koi8-r",
            "utf8" => "utf-8",
            "utf16" | "utf16le" => "utf-16le",
            "utf16be" => "utf-16be",
            other => other,
        };
        Encoding::for_label(label.as_bytes())
            .filter(|encoding| *encoding != encoding_rs::REPLACEMENT)
            .map(TextEncoding)
            .ok_or_else(|| UnknownEncoding {
                name: name.to_owned(),
            })
    }
}

/// Bytes that are decoded at a time.
const BLOCK: usize = 1 << 18;
/// Bytes after the first foreign line that its encoding is guessed from.
const SAMPLE: usize = 1 << 20;

/// A stream as UTF-8.
pub struct TextReader<R> {
    input: R,
    mode: Mode,
    stated: Option<&'static Encoding>,
    /// Bytes that were read and not decoded yet.
    raw: Vec<u8>,
    is_at_end: bool,
    decoded: Vec<u8>,
    used: usize,
    /// Line breaks that were decoded.
    n_lines: usize,
    notice: Option<String>,
}

enum Mode {
    /// Nothing has been read.
    Unknown,
    /// All lines in the stated encoding. If none was stated, lines that are not UTF-8 in the other
    /// encoding, once there was one.
    Lines(Option<&'static Encoding>),
    /// UTF-16, whose lines cannot be told apart before it is decoded.
    Utf16(Box<Decoder>),
}

impl<R: Read> TextReader<R> {
    /// Reads from a stream, in the stated encoding if there is one.
    pub fn new(input: R, stated: Option<TextEncoding>) -> TextReader<R> {
        TextReader {
            input,
            mode: match stated {
                Some(TextEncoding(utf16)) if [UTF_16LE, UTF_16BE].contains(&utf16) => {
                    Mode::Utf16(Box::new(utf16.new_decoder()))
                }
                _ => Mode::Unknown,
            },
            stated: stated.map(|TextEncoding(encoding)| encoding),
            raw: Vec::new(),
            is_at_end: false,
            decoded: Vec::new(),
            used: 0,
            n_lines: 0,
            notice: None,
        }
    }

    /// The encoding that was found so far, if it is not UTF-8, in words for the user.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The encoding of the part read so far: UTF-8, or the other one that was found or stated.
    pub fn encoding(&self) -> TextEncoding {
        TextEncoding(match &self.mode {
            Mode::Utf16(decoder) => decoder.encoding(),
            Mode::Lines(Some(encoding)) => encoding,
            Mode::Unknown | Mode::Lines(None) => UTF_8,
        })
    }

    /// Reads until `n_bytes` bytes are waiting to be decoded, or the stream ends.
    fn read_up_to(&mut self, n_bytes: usize) -> io::Result<()> {
        while self.raw.len() < n_bytes && !self.is_at_end {
            let missing = (n_bytes - self.raw.len()) as u64;
            let n_read = Read::take(&mut self.input, missing).read_to_end(&mut self.raw)?;
            self.is_at_end = n_read == 0;
        }
        Ok(())
    }

    /// Decodes the next block.
    fn decode(&mut self) -> io::Result<()> {
        self.decoded.clear();
        self.used = 0;
        self.read_up_to(BLOCK)?;
        if matches!(self.mode, Mode::Unknown) {
            packed::check_is_unpacked(&self.raw)?;
            self.mode = self.recognize();
        }
        match &mut self.mode {
            Mode::Utf16(decoder) => {
                let size = decoder.max_utf8_buffer_length(self.raw.len());
                self.decoded.resize(size.unwrap_or(4 * BLOCK), 0);
                let (_, read, written, has_errors) =
                    decoder.decode_to_utf8(&self.raw, &mut self.decoded, self.is_at_end);
                self.decoded.truncate(written);
                self.raw.drain(..read);
                let name = decoder.encoding().name();
                if has_errors {
                    let notice = || format!("not all of it is {name}: state another encoding");
                    self.notice.get_or_insert_with(notice);
                }
                Ok(())
            }
            Mode::Unknown | Mode::Lines(_) => self.decode_lines(),
        }
    }

    /// The encoding indicated by the first bytes.
    fn recognize(&mut self) -> Mode {
        let utf16 = match Encoding::for_bom(&self.raw) {
            Some((encoding, _)) if encoding == UTF_8 => {
                self.raw.drain(..3);
                // The mark is certain.
                self.stated = None;
                None
            }
            Some((encoding, _)) => Some(encoding),
            None if self.stated.is_some() => None,
            None => utf16_by_zeros(&self.raw),
        };
        match (utf16, self.stated) {
            (Some(encoding), _) => {
                self.found(encoding, 1);
                Mode::Utf16(Box::new(encoding.new_decoder()))
            }
            (None, stated) => Mode::Lines(stated),
        }
    }

    fn found(&mut self, encoding: &'static Encoding, line: usize) {
        let name = encoding.name();
        self.notice.get_or_insert_with(|| {
            format!("line {line} is not UTF-8: read as {name}; state another with --encoding")
        });
    }

    /// Decodes whole lines. What an encoding does not have is not dropped.
    fn decode_lines(&mut self) -> io::Result<()> {
        let mut end = self.whole_lines();
        if matches!(self.mode, Mode::Lines(None))
            && let Err(error) = std::str::from_utf8(&self.raw[..end])
        {
            let n_before = count_lines(&self.raw[..error.valid_up_to()]);
            self.read_up_to(error.valid_up_to() + SAMPLE)?;
            end = self.whole_lines();
            let encoding = guess(&self.raw[..end]);
            self.mode = Mode::Lines(Some(encoding));
            self.found(encoding, self.n_lines + n_before + 1);
        }
        let Mode::Lines(Some(encoding)) = self.mode else {
            self.n_lines += count_lines(&self.raw[..end]);
            self.decoded.extend_from_slice(&self.raw[..end]);
            self.raw.drain(..end);
            return Ok(());
        };
        for line in self.raw[..end].split_inclusive(is_break) {
            if self.stated.is_none() && std::str::from_utf8(line).is_ok() {
                self.decoded.extend_from_slice(line);
            } else if !decode_whole(line, encoding, &mut self.decoded) && self.stated.is_some() {
                let (name, line) = (encoding.name(), self.n_lines + 1);
                let notice =
                    || format!("line {line} is not {name} as stated: read as windows-1252");
                self.notice.get_or_insert_with(notice);
            }
            self.n_lines += count_lines(line);
        }
        self.raw.drain(..end);
        Ok(())
    }

    /// The length of the whole lines among the bytes that are there; all if there is none, or if
    /// nothing follows.
    fn whole_lines(&self) -> usize {
        let last_break = self.raw.iter().rposition(is_break);
        match last_break {
            _ if self.is_at_end => self.raw.len(),
            Some(at) => at + 1,
            // A line of more than a block is cut between characters.
            None => match std::str::from_utf8(&self.raw) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => self.raw.len(),
            },
        }
    }
}

/// A text as UTF-8, and a notice for the user if it was not.
pub fn decode(bytes: &[u8], stated: Option<TextEncoding>) -> (String, Option<String>) {
    let mut reader = TextReader::new(bytes, stated);
    let mut text = Vec::with_capacity(bytes.len());
    let read = reader.read_to_end(&mut text);
    // Bytes in memory can be read unless they are packed.
    let notice = reader.notice.or(read.err().map(|error| error.to_string()));
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    (text, notice)
}

fn is_break(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// UTF-16 without a mark: of text in European letters every other byte is mostly 0.
fn utf16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096)];
    let zeros = |first: usize| {
        let every_other = sample.iter().skip(first).step_by(2);
        every_other.filter(|byte| **byte == 0).count()
    };
    let enough = (sample.len() / 5).max(2);
    match (zeros(0), zeros(1)) {
        (0, odd) if odd >= enough => Some(UTF_16LE),
        (even, 0) if even >= enough => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of the lines of a text that are not UTF-8.
fn guess(text: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new();
    let foreign = || {
        let lines = text.split_inclusive(is_break);
        lines.filter(|line| std::str::from_utf8(line).is_err())
    };
    for line in foreign() {
        detector.feed(line, false);
    }
    detector.feed(b"", true);
    let found = detector.guess(None, false);
    // The two differ in Ukrainian letters alone.
    let is_same = |line: &[u8]| {
        KOI8_R.decode_without_bom_handling(line).0 == KOI8_U.decode_without_bom_handling(line).0
    };
    match found {
        koi if koi == KOI8_U && foreign().all(is_same) => KOI8_R,
        found => found,
    }
}

/// Adds a line as UTF-8. A line with something that the encoding does not have is taken for
/// windows-1252, which has all bytes; then the result is false.
fn decode_whole(line: &[u8], encoding: &'static Encoding, decoded: &mut Vec<u8>) -> bool {
    let (text, has_errors) = encoding.decode_without_bom_handling(line);
    let text = match has_errors {
        false => text,
        true => WINDOWS_1252.decode_without_bom_handling(line).0,
    };
    decoded.extend_from_slice(text.as_bytes());
    !has_errors
}

impl<R: Read> Read for TextReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n_bytes = available.len().min(buffer.len());
        buffer[..n_bytes].copy_from_slice(&available[..n_bytes]);
        self.consume(n_bytes);
        Ok(n_bytes)
    }
}

impl<R: Read> BufRead for TextReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.used == self.decoded.len() && !(self.is_at_end && self.raw.is_empty()) {
            self.decode()?;
        }
        Ok(&self.decoded[self.used..])
    }

    fn consume(&mut self, n_bytes: usize) {
        self.used = (self.used + n_bytes).min(self.decoded.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str =
        "[White \"Петров С.\"]\n[Black \"Иванов А.\"]\n[Result \"1-0\"]\n1. c3-d4 *\n";

    fn encoded(text: &str, name: &str) -> Vec<u8> {
        let TextEncoding(encoding) = name.parse().unwrap();
        match name {
            "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => encoding.encode(text).0.into_owned(),
        }
    }

    #[test]
    fn russian_text_is_read_in_all_its_encodings() {
        for name in ["windows-1251", "koi8-r", "ibm866", "utf-16le", "utf-16be"] {
            let bytes = encoded(GAMES, name);
            let (text, notice) = decode(&bytes, None);
            assert_eq!(text, GAMES, "{name}");
            let notice = notice.unwrap().to_lowercase();
            assert!(notice.contains(&format!("read as {name}")), "{notice}");
            assert_eq!(decode(&bytes, Some(name.parse().unwrap())), (text, None));
            let mut reader = TextReader::new(&bytes[..], None);
            assert_eq!(reader.encoding().name(), "UTF-8");
            reader.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(reader.encoding(), name.parse().unwrap());
        }
        assert_eq!(decode(GAMES.as_bytes(), None), (GAMES.to_owned(), None));
        let marked = [&b"\xef\xbb\xbf"[..], GAMES.as_bytes()].concat();
        assert_eq!(decode(&marked, None), (GAMES.to_owned(), None));
        let marked = [&b"\xff\xfe"[..], &encoded(GAMES, "utf-16le")].concat();
        assert_eq!(decode(&marked, None).0, GAMES);
    }

    #[test]
    fn single_names_are_read() {
        for (name, words) in [
            (
                "windows-1251",
                &["Петров С.", "Сидоров", "Чижов А.", "Вирный А."][..],
            ),
            ("koi8-r", &["Петров С.", "Сидоров", "Чижов А.", "Вирный А."]),
            ("ibm866", &["Петров С.", "Сидоров", "Чижов А.", "Вирный А."]),
            (
                "windows-1252",
                &["Müller", "José", "Gérard Taille", "Björn", "Groß"],
            ),
        ] {
            for word in words {
                let line = format!("[White \"{word}\"]\n");
                assert_eq!(decode(&encoded(&line, name), None).0, line, "{name}");
            }
        }
    }

    #[test]
    fn foreign_lines_far_into_a_text_are_found() {
        let long = "[White \"Anna\"] 1. 11-15 *\n".repeat(40_000);
        let mut bytes = long.clone().into_bytes();
        bytes.extend(encoded(GAMES, "windows-1251"));
        let (text, notice) = decode(&bytes, None);
        assert_eq!(text, long + GAMES);
        assert!(notice.unwrap().starts_with("line 40001 is not UTF-8"));
        // Lines that are UTF-8 stay what they are.
        let mixed = [GAMES.as_bytes(), &encoded(GAMES, "windows-1251")].concat();
        assert_eq!(decode(&mixed, None).0, GAMES.repeat(2));
    }

    #[test]
    fn a_line_of_any_length_is_cut_between_characters() {
        let text = format!("a{}\n", "ж".repeat(BLOCK));
        assert_eq!(decode(text.as_bytes(), None), (text, None));
    }

    #[test]
    fn different_bytes_never_become_the_same_text() {
        for byte in 0x80..=0xff_u8 {
            for other in 0x80..byte {
                let line = |byte| [b"[White \"", &[byte][..], b"\"]\n"].concat();
                let both = [line(byte), line(other)].concat();
                let text = decode(&both, None).0;
                let (first, second) = text.split_once('\n').unwrap();
                assert_ne!(first, second.trim_end(), "{byte:x} {other:x}");
            }
        }
    }

    #[test]
    fn a_wrong_stated_encoding_is_noticed() {
        let bytes = encoded("[White \"Петров\"]\n[Black \"Иванов\"]\n", "windows-1251");
        let (text, notice) = decode(&bytes, Some(TextEncoding(UTF_8)));
        let (first, second) = text.split_once('\n').unwrap();
        assert_ne!(first.replace("White", "Black"), second.trim_end());
        assert!(!text.contains('\u{fffd}'), "{text}");
        assert!(notice.unwrap().starts_with("line 1 is not UTF-8 as stated"));
        let notice = decode(b"odd", Some(TextEncoding(UTF_16LE))).1;
        assert!(notice.unwrap().starts_with("not all of it is UTF-16LE"));
        // A byte order mark overrides the stated encoding.
        let marked = [&b"\xef\xbb\xbf"[..], GAMES.as_bytes()].concat();
        assert_eq!(
            decode(&marked, Some(TextEncoding(UTF_8))),
            (GAMES.to_owned(), None)
        );
        let long = "[White \"Петров\"] 1. 11-15 *\n".repeat(20_000);
        let bytes = encoded(&long, "windows-1251");
        assert_eq!(decode(&bytes, Some("1251".parse().unwrap())), (long, None));
    }

    #[test]
    fn names_of_encodings_are_lenient() {
        for (name, expected) in [
            ("CP1251", "windows-1251"),
            ("1251", "windows-1251"),
            ("latin1", "windows-1252"),
            ("cp866", "IBM866"),
            ("KOI8-R", "KOI8-R"),
            ("utf8", "UTF-8"),
        ] {
            assert_eq!(name.parse().map(TextEncoding::name), Ok(expected));
        }
        let error = "klingon".parse::<TextEncoding>().unwrap_err().to_string();
        assert!(error.starts_with("unknown encoding `klingon`"), "{error}");
    }
}
