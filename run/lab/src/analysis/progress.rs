//! The games of an analysis that are finished, so that it can be resumed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use store::StoreError;
use xxhash_rust::xxh3::Xxh3;

use super::seat::Analysts;
use super::{AnalysisRequest, AnalyzedGame};
use run::{RequestError, Result};

/// The first line of the file: what an analysis depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of this format.
    analysis: u32,
    /// Hash of the file of games.
    digest: String,
    /// The player and its effort.
    analyst: String,
    /// The game of those that do not say.
    variant: Option<String>,
    /// The stated encoding of the file.
    encoding: Option<String>,
}

impl Header {
    pub(super) fn new(request: &AnalysisRequest, analysts: &Analysts) -> Result<Header> {
        Ok(Header {
            analysis: 1,
            digest: digest(&request.file).map_err(StoreError::io("read", &request.file))?,
            analyst: analysts.name(),
            variant: request.variant.map(|variant| variant.name().to_owned()),
            encoding: request.encoding.map(|encoding| encoding.name().to_owned()),
        })
    }

    /// The name of the analyst in annotated games.
    pub(super) fn annotator(&self) -> String {
        format!("Crownhead ({})", self.analyst)
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = types::open_file(path, OpenOptions::new().read(true))?;
    let (mut hash, mut bytes) = (Xxh3::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(format!("{:016x}", hash.digest())),
            n => hash.update(&bytes[..n]),
        }
    }
}

/// The file of finished games, a line of JSON each.
pub(super) struct Progress {
    path: PathBuf,
    file: File,
    /// Bytes of the header.
    n_header: u64,
}

impl Progress {
    /// Opens the file next to a place, or begins it.
    ///
    /// # Errors
    /// When it is of another analysis, or the disk refuses.
    pub(super) fn open(place: &Path, header: &Header) -> Result<Progress> {
        let mut name = place.as_os_str().to_owned();
        name.push(".progress");
        let path = PathBuf::from(name);
        let failed = StoreError::io("open", &path);
        let (file, first) = open(&path, header).map_err(failed)?;
        if serde_json::from_slice::<Header>(&first).ok().as_ref() != Some(header) {
            return Err(RequestError(format!(
                "{} is of an analysis of other games, with another player or with other limits: \
                 repeat these, or remove it to begin again",
                path.display()
            ))
            .into());
        }
        Ok(Progress {
            path,
            file,
            n_header: first.len() as u64,
        })
    }

    /// The finished games, in order.
    pub(super) fn games(&self) -> Result<impl Iterator<Item = Result<AnalyzedGame>> + use<>> {
        let mut file = File::open(&self.path).map_err(StoreError::io("read", &self.path))?;
        let sought = file.seek(SeekFrom::Start(self.n_header));
        sought.map_err(StoreError::io("read", &self.path))?;
        let path = self.path.clone();
        Ok(BufReader::new(file).lines().map(move |line| {
            let game = line.and_then(|line| Ok(serde_json::from_str(&line)?));
            Ok(game.map_err(StoreError::io("read", &path))?)
        }))
    }

    /// Adds a game.
    pub(super) fn add(&mut self, game: &AnalyzedGame) -> Result<()> {
        let written = line_of(game).and_then(|line| self.file.write_all(&line));
        Ok(written.map_err(StoreError::io("write", &self.path))?)
    }

    /// Removes the file: everything is written.
    pub(super) fn remove(self) -> Result<()> {
        Ok(fs::remove_file(&self.path).map_err(StoreError::io("remove", &self.path))?)
    }
}

/// Opens or begins a file, and gives its first line. A last line that was cut short is cut off.
fn open(path: &Path, header: &Header) -> io::Result<(File, Vec<u8>)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = types::open_file(path, &options)?;
    let (mut first, mut line, mut n_whole) = (Vec::new(), Vec::new(), 0);
    let mut input = BufReader::new(&file);
    while input.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        n_whole += line.len() as u64;
        if first.is_empty() {
            first.clone_from(&line);
        }
        line.clear();
    }
    file.set_len(n_whole)?;
    file.seek(SeekFrom::End(0))?;
    if first.is_empty() {
        first = line_of(header)?;
        file.write_all(&first)?;
    }
    Ok((file, first))
}

fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}
