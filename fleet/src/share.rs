//! Where the machines of a fleet meet: named objects in a directory, in memory, or in a bucket.

use std::fmt;
use std::path::Path as FilePath;
use std::time::SystemTime;

use futures_util::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tokio::runtime::{Builder, Runtime};

use crate::FleetError;

/// Bytes of a network at most.
const MAX_MODEL_BYTES: u64 = 1 << 30;
/// Bytes of any other object at most: a segment of games, or a document.
const MAX_BYTES: u64 = 128 << 20;

/// An object, as a listing has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name, with slashes.
    pub name: String,
    /// When it was last written, by the clock of whoever keeps it.
    pub modified: SystemTime,
}

/// Why an object could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("failed to {what} {name} in {place}: {reason}")]
pub struct ShareError {
    /// What was tried.
    pub what: &'static str,
    /// The object.
    pub name: String,
    /// Whose object.
    pub place: String,
    /// Why not.
    pub reason: String,
}

/// Named objects that several machines read and write. An object is replaced as a whole. Nothing else is
/// relied on: writes may be lost, repeated, late or cut off, and listings may be old.
pub trait Share: fmt::Debug + Send + Sync {
    /// What people call it.
    fn place(&self) -> &str;

    /// An object's bytes; none where there is no such object.
    ///
    /// # Errors
    /// When the share does not answer.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ShareError>;

    /// Writes or replaces an object.
    ///
    /// # Errors
    /// When the share refuses.
    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ShareError>;

    /// All objects whose names begin with `folder` and a slash, in any order.
    ///
    /// # Errors
    /// When the share does not answer.
    fn list(&self, folder: &str) -> Result<Vec<Listed>, ShareError>;

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// When the share refuses.
    fn delete(&self, name: &str) -> Result<(), ShareError>;
}

/// The directory that a URL means, if it means one: a path, or `file://` and a path.
pub fn directory(url: &str) -> Option<&FilePath> {
    match url.split_once("://") {
        Some(("file", path)) => Some(FilePath::new(path)),
        None => Some(FilePath::new(url)),
        Some(_) => None,
    }
}

/// A [`Share`] in an object store. Its calls block.
#[derive(Debug)]
pub struct Objects {
    store: Box<dyn ObjectStore>,
    place: String,
    runtime: Runtime,
}

impl Objects {
    /// The share at a URL: the path of a directory, which must exist, or `file://` and the path.
    ///
    /// # Errors
    /// When there is none, or this program cannot use it.
    pub fn open(url: &str) -> Result<Objects, FleetError> {
        let refused = |reason: String| FleetError::Place {
            url: url.to_owned(),
            reason,
        };
        let Some(path) = directory(url) else {
            return Err(refused("this program knows directories only".to_owned()));
        };
        if !path.is_dir() {
            return Err(refused("there is no such directory".to_owned()));
        }
        let store =
            LocalFileSystem::new_with_prefix(path).map_err(|error| refused(error.to_string()))?;
        Objects::new(Box::new(store), url).map_err(refused)
    }

    /// As [`Objects::open`], and makes the directory where there is none.
    ///
    /// # Errors
    /// As [`Objects::open`].
    pub fn make(url: &str) -> Result<Objects, FleetError> {
        if let Some(path) = directory(url) {
            std::fs::create_dir_all(path).map_err(|error| FleetError::Place {
                url: url.to_owned(),
                reason: error.to_string(),
            })?;
        }
        Objects::open(url)
    }

    /// A share of the threads of this process.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn in_memory() -> Result<Objects, FleetError> {
        let place = "memory";
        Objects::new(Box::new(InMemory::new()), place).map_err(|reason| FleetError::Place {
            url: place.to_owned(),
            reason,
        })
    }

    fn new(store: Box<dyn ObjectStore>, place: &str) -> Result<Objects, String> {
        let runtime = Builder::new_current_thread().build();
        Ok(Objects {
            store,
            place: place.to_owned(),
            runtime: runtime.map_err(|error| error.to_string())?,
        })
    }

    fn error(&self, what: &'static str, name: &str) -> impl Fn(object_store::Error) -> ShareError {
        let (name, place) = (name.to_owned(), self.place.clone());
        move |error| ShareError {
            what,
            name: name.clone(),
            place: place.clone(),
            reason: error.to_string(),
        }
    }
}

impl Share for Objects {
    fn place(&self) -> &str {
        &self.place
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ShareError> {
        let failed = self.error("read", name);
        self.runtime.block_on(async {
            let found = match self.store.get(&Path::from(name)).await {
                Err(object_store::Error::NotFound { .. }) => return Ok(None),
                found => found.map_err(&failed)?,
            };
            let limit = match name.ends_with(".safetensors") {
                true => MAX_MODEL_BYTES,
                false => MAX_BYTES,
            };
            if found.meta.size > limit {
                let size = found.meta.size;
                let reason = format!("it has {size} bytes, more than the limit of {limit}");
                return Err(ShareError {
                    what: "read",
                    name: name.to_owned(),
                    place: self.place.clone(),
                    reason,
                });
            }
            let bytes = found.bytes().await.map_err(&failed)?;
            Ok(Some(bytes.into()))
        })
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
        let path = Path::from(name);
        let put = self.store.put(&path, bytes.into());
        let done = self.runtime.block_on(put);
        done.map(drop).map_err(self.error("write", name))
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ShareError> {
        let failed = self.error("list", folder);
        let below = self.store.list(Some(&Path::from(folder)));
        let found = self.runtime.block_on(below.try_collect::<Vec<_>>());
        let listed = found.map_err(failed)?.into_iter().map(|meta| Listed {
            name: meta.location.into(),
            modified: meta.last_modified.into(),
        });
        Ok(listed.collect())
    }

    fn delete(&self, name: &str) -> Result<(), ShareError> {
        match self.runtime.block_on(self.store.delete(&Path::from(name))) {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            done => done.map_err(self.error("remove", name)),
        }
    }
}
