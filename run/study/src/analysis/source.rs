//! Games that are read several times.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use run::{RequestError, Result};
use store::StoreError;
use store::disk::File;

/// Maximum size of games from standard input in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A file of games, or games from standard input, which are kept in memory.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    bytes: Option<Arc<[u8]>>,
}

impl Source {
    /// The games of a file; `-` is standard input, which is read to its end.
    ///
    /// # Errors
    /// If standard input cannot be read or is too large. A file is opened later.
    pub fn new(path: PathBuf) -> Result<Source> {
        match path == Path::new("-") {
            true => Source::of_stream(io::stdin(), MAX_BYTES),
            false => Ok(Source { path, bytes: None }),
        }
    }

    fn of_stream(input: impl Read, limit: u64) -> Result<Source> {
        let (path, mut bytes) = (PathBuf::from("-"), Vec::new());
        let read = input.take(limit + 1).read_to_end(&mut bytes);
        let n_read = read.map_err(StoreError::io("read", &path))?;
        if n_read as u64 > limit {
            return Err(RequestError(format!(
                "standard input has more than {limit} bytes: write the games to a file and name it"
            ))
            .into());
        }
        Ok(Source {
            path,
            bytes: Some(bytes.into()),
        })
    }

    /// The path of the file; `-` for standard input.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to read the games.
    pub(super) fn read(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.bytes {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(File::open(&self.path).map_err(StoreError::io("read", &self.path))?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_several_times_and_limited() {
        let source = Source::of_stream(&b"games"[..], 5).unwrap();
        for _ in 0..2 {
            assert_eq!(io::read_to_string(source.read().unwrap()).unwrap(), "games");
        }
        let error = Source::of_stream(&b"games"[..], 4).unwrap_err().to_string();
        assert!(error.contains("has more than 4 bytes: write"), "{error}");
    }
}
