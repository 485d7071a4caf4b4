//! Files of finished work, so that it can be resumed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{Hold, StoreError};

use run::{RequestError, Result};

/// A file of a header and items, a line of JSON each.
pub struct Journal<T> {
    path: PathBuf,
    file: File,
    /// Bytes of the header.
    n_header: u64,
    _hold: Hold,
    items: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens a file, or begins it. The header is what the items depend on, `of` says so.
    ///
    /// # Errors
    /// When it has another header, another process writes to it, or the disk refuses.
    pub fn open<H>(path: PathBuf, header: &H, of: &str) -> Result<Journal<T>>
    where
        H: Serialize + DeserializeOwned + PartialEq,
    {
        let hold = Hold::of(&path)?;
        let failed = StoreError::io("open", &path);
        let (file, first) = open(&path, header).map_err(failed)?;
        if serde_json::from_slice::<H>(&first).ok().as_ref() != Some(header) {
            return Err(RequestError(format!(
                "{} is of {of}: repeat these, or remove it to begin again",
                path.display()
            ))
            .into());
        }
        Ok(Journal {
            path,
            file,
            n_header: first.len() as u64,
            _hold: hold,
            items: PhantomData,
        })
    }

    /// The items, in order.
    pub fn items(&self) -> Result<impl Iterator<Item = Result<T>> + use<T>> {
        let mut file = File::open(&self.path).map_err(StoreError::io("read", &self.path))?;
        let sought = file.seek(SeekFrom::Start(self.n_header));
        sought.map_err(StoreError::io("read", &self.path))?;
        let path = self.path.clone();
        Ok(BufReader::new(file).lines().map(move |line| {
            let item = line.and_then(|line| Ok(serde_json::from_str(&line)?));
            Ok(item.map_err(StoreError::io("read", &path))?)
        }))
    }

    /// Adds an item.
    pub fn add(&mut self, item: &T) -> Result<()> {
        let written = line_of(item).and_then(|line| self.file.write_all(&line));
        Ok(written.map_err(StoreError::io("write", &self.path))?)
    }

    /// Removes the file: everything is written elsewhere.
    pub fn remove(self) -> Result<()> {
        Ok(fs::remove_file(&self.path).map_err(StoreError::io("remove", &self.path))?)
    }
}

/// Opens or begins a file, and gives its first line. A last line that was cut short is cut off.
fn open(path: &Path, header: &impl Serialize) -> io::Result<(File, Vec<u8>)> {
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
