//! Reading lines from untrusted streams.

use std::io::{self, BufRead};

/// The result of [`read_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A line; the last one may lack its line break.
    Line,
    /// A line longer than the limit, which was skipped.
    TooLong,
    /// The end of the stream.
    End,
}

/// Reads the next line with its line break into `line`, replacing its contents. At most `limit`
/// bytes before the line break are ever kept.
///
/// # Errors
/// If the stream fails.
pub fn read_line(
    input: &mut impl BufRead,
    limit: usize,
    line: &mut Vec<u8>,
) -> io::Result<LineRead> {
    line.clear();
    let most = limit as u64 + 1;
    io::Read::take(&mut *input, most).read_until(b'\n', line)?;
    if line.is_empty() {
        return Ok(LineRead::End);
    }
    if line.len() > limit && !line.ends_with(b"\n") {
        line.clear();
        input.skip_until(b'\n')?;
        return Ok(LineRead::TooLong);
    }
    Ok(LineRead::Line)
}

/// Like [`read_line`], for texts whose lines end with a line feed, a carriage return, or both.
///
/// # Errors
/// If the stream fails.
pub(crate) fn read_text_line(
    input: &mut (impl BufRead + ?Sized),
    limit: usize,
    line: &mut Vec<u8>,
) -> io::Result<LineRead> {
    line.clear();
    let mut is_too_long = false;
    loop {
        let available = input.fill_buf()?;
        let end = available
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = &available[..end.map_or(available.len(), |end| end + 1)];
        let n_bytes = part.len();
        is_too_long |= line.len() + n_bytes - usize::from(end.is_some()) > limit;
        match is_too_long {
            true => line.clear(),
            false => line.extend_from_slice(part),
        }
        let returned = part.ends_with(b"\r");
        input.consume(n_bytes);
        if returned && input.fill_buf()?.first() == Some(&b'\n') {
            input.consume(1);
            if !is_too_long {
                line.push(b'\n');
            }
        }
        if end.is_some() || n_bytes == 0 {
            break;
        }
    }
    Ok(match is_too_long {
        true => LineRead::TooLong,
        false if line.is_empty() => LineRead::End,
        false => LineRead::Line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_the_limit() {
        let text = b"1234\n\n12345\n123456789\n1234";
        // A small buffer, so that lines arrive in pieces.
        let mut input = io::BufReader::with_capacity(2, &text[..]);
        let mut line = Vec::new();
        let mut next = || {
            let read = read_line(&mut input, 4, &mut line).unwrap();
            (read, String::from_utf8(line.clone()).unwrap())
        };
        for (read, text) in [
            (LineRead::Line, "1234\n"),
            (LineRead::Line, "\n"),
            (LineRead::TooLong, ""),
            (LineRead::TooLong, ""),
            (LineRead::Line, "1234"),
            (LineRead::End, ""),
        ] {
            assert_eq!(next(), (read, text.to_owned()));
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut input = io::BufReader::new(io::Read::take(io::repeat(b'x'), 100 << 20));
        let mut line = Vec::new();
        let read = read_line(&mut input, 1000, &mut line).unwrap();
        assert_eq!(read, LineRead::TooLong);
        assert!(line.capacity() <= 2 * 1001);
    }
}
