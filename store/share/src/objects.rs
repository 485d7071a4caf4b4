//! A share in an object store: a directory, memory, or a bucket.

use std::error::Error as _;
use std::future::ready;
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{GetResult, ObjectStore, ObjectStoreExt as _};
use store::{Hold, StoreError};
use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::gateway::GatewayUrl;
use crate::share::{Call, PATIENCE, SLOWEST, limit_of};
use crate::sweep::sweep;
use crate::{Listed, ObjectError, Share, ShareError};

/// A store that fails faster than this is reachable; otherwise the client has retried.
const AT_ONCE: Duration = Duration::from_secs(1);
/// Pause after a call that timed out.
const SILENCE: Duration = Duration::from_secs(60);

/// Folder of all objects.
const FLEET: &str = "fleet";

/// URL schemes of buckets.
const SCHEMES: [&str; 5] = ["s3", "gs", "az", "abfs", "abfss"];

/// The directory of a URL, if it is one: a path, or `file:///` and the rest of the path.
pub fn directory(url: &str) -> Option<&FilePath> {
    match url.split_once("://") {
        Some(("file", path)) => path
            .starts_with('/')
            .then(|| FilePath::new(local(path, cfg!(windows)))),
        Some(_) => None,
        None => {
            // A directory with this name can be written as ./s3:/BUCKET/FOLDER.
            let begins = |scheme: &&str| {
                url.strip_prefix(scheme)
                    .is_some_and(|rest| rest.starts_with(":/"))
            };
            let is_slip = SCHEMES.iter().chain(&["file"]).any(begins);
            (!is_slip).then(|| FilePath::new(url))
        }
    }
}

/// The path in a `file` URL: `/C:/runs` names `C:/runs` on Windows.
fn local(path: &str, is_windows: bool) -> &str {
    match path.as_bytes() {
        [b'/', drive, b':', ..] if is_windows && drive.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

/// Opens a folder of a bucket.
fn bucket(url: &str, variables: &[(String, String)]) -> Result<Box<dyn ObjectStore>, String> {
    let named = url.split_once("://").filter(|(scheme, rest)| {
        SCHEMES.contains(scheme) && !rest.is_empty() && !rest.starts_with('/')
    });
    if GatewayUrl::parse(url).is_some() {
        return Err("it is a gateway, for crownhead worker: give the place behind it".to_owned());
    }
    let Some((_, rest)) = named else {
        return Err(
            "write a directory, file:///DIRECTORY, s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or \
             az://CONTAINER/FOLDER"
                .to_owned(),
        );
    };
    if rest.contains(['?', '#']) {
        return Err("? and # are not supported".to_owned());
    }
    #[cfg(feature = "cloud")]
    return crate::bucket::open(url, variables);
    #[cfg(not(feature = "cloud"))]
    {
        let _ = variables;
        let reason = "this program was built for directories only; for buckets build it with cargo \
                      build --release --features cloud";
        Err(reason.to_owned())
    }
}

/// An error and its root cause: the error messages of bucket clients omit why a server cannot be
/// reached.
fn describe(error: &object_store::Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let (said, root) = (error.to_string(), causes.last().map(ToString::to_string));
    match root.filter(|root| !said.contains(root)) {
        Some(root) => format!("{said}: {root}"),
        None => said,
    }
}

/// An error of the file system as an error of the store.
fn of_directory(error: io::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "directory",
        source: error.into(),
    }
}

/// A [`Share`] in an object store. Its calls block, but not much longer than the time limit of the
/// store: after a timeout the store is left alone for a while, during which all calls fail at once.
#[derive(Debug)]
pub struct Objects {
    store: Box<dyn ObjectStore>,
    place: String,
    /// The directory of the objects, if it is one.
    directory: Option<PathBuf>,
    /// `None` only while this is dropped.
    runtime: Option<Runtime>,
    /// End of the pause after a timeout.
    silent_until: Mutex<Option<Instant>>,
}

impl Drop for Objects {
    /// Does not wait for a hanging file system.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Objects {
    /// The share at a URL: the path of a directory, which must exist, or `file://` and the path;
    /// with the feature `cloud` also a folder of a bucket, as `s3://BUCKET/FOLDER`,
    /// `gs://BUCKET/FOLDER` or `az://CONTAINER/FOLDER`, which must respond. `variables` is the
    /// environment: the standard variables of the bucket's provider are used, including
    /// credentials; the others are ignored.
    ///
    /// # Errors
    /// If there is none, or this program cannot use it.
    pub fn open(url: &str, variables: &[(String, String)]) -> Result<Objects, ShareError> {
        let refused = |reason: String| ShareError::Place {
            url: url.to_owned(),
            reason,
        };
        let Some(path) = directory(url) else {
            let store = bucket(url, variables).map_err(refused)?;
            let objects = Objects::new(store, url).map_err(refused)?;
            objects.check().map_err(refused)?;
            return Ok(objects);
        };
        if !path.is_dir() {
            return Err(refused("there is no such directory".to_owned()));
        }
        let store =
            LocalFileSystem::new_with_prefix(path).map_err(|error| refused(error.to_string()))?;
        let mut objects = Objects::new(Box::new(store), url).map_err(refused)?;
        objects.directory = Some(path.to_owned());
        Ok(objects)
    }

    /// As [`Objects::open`], and creates a missing directory.
    ///
    /// # Errors
    /// As [`Objects::open`].
    pub fn make(url: &str, variables: &[(String, String)]) -> Result<Objects, ShareError> {
        if let Some(path) = directory(url) {
            std::fs::create_dir_all(path).map_err(|error| ShareError::Place {
                url: url.to_owned(),
                reason: error.to_string(),
            })?;
        }
        Objects::open(url, variables)
    }

    /// A share between the threads of this process.
    ///
    /// # Errors
    /// If the system cannot start threads.
    pub fn in_memory() -> Result<Objects, ShareError> {
        let place = "memory";
        Objects::new(Box::new(InMemory::new()), place).map_err(|reason| ShareError::Place {
            url: place.to_owned(),
            reason,
        })
    }

    fn new(store: Box<dyn ObjectStore>, place: &str) -> Result<Objects, String> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Objects {
            store,
            place: place.to_owned(),
            directory: None,
            runtime: Some(runtime.map_err(|error| error.to_string())?),
            silent_until: Mutex::new(None),
        })
    }

    /// Checks that the bucket exists and can be listed.
    fn check(&self) -> Result<(), String> {
        let folder = Path::from("fleet/workers");
        let first = async { self.store.list(Some(&folder)).try_next().await };
        match self.ask(Call::new("list", ""), 0, first) {
            Ok(_) => Ok(()),
            Err(error) if error.reason.contains("404 Not Found") => {
                Err("there is no such bucket".to_owned())
            }
            Err(error) => Err(error.reason),
        }
    }

    /// Starts to read an object, which must not exceed the limit for its name.
    fn find(&self, call: Call<'_>) -> Result<Option<GetResult>, ObjectError> {
        let path = Path::from(call.name);
        let place = self.directory.as_ref().map(|dir| dir.join(call.name));
        let found = async {
            if let Some(place) = place {
                // The store would wait for the other end of a pipe.
                let checked = spawn_blocking(move || types::check_file(&place)).await?;
                checked.map_err(of_directory)?;
            }
            self.store.get(&path).await
        };
        let found = self.ask(call, 0, found)?;
        let limit = limit_of(call.name);
        match found.as_ref().map_or(0, |found| found.meta.size) {
            size if size > limit => {
                let reason = format!("it has {size} bytes, more than the limit of {limit}");
                Err(call.failed(&self.place, reason))
            }
            _ => Ok(found),
        }
    }

    /// Waits for the response to a call that transfers `bytes` bytes; `None` if there is no such
    /// object.
    fn ask<T>(
        &self,
        call: Call<'_>,
        bytes: u64,
        answer: impl Future<Output = object_store::Result<T>>,
    ) -> Result<Option<T>, ObjectError> {
        let failed = |reason: &str| call.failed(&self.place, reason);
        let silent_until = || {
            self.silent_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let begun = Instant::now();
        if silent_until().is_some_and(|until| begun < until) {
            return Err(failed("it has not responded recently"));
        }
        let patience = PATIENCE + Duration::from_secs(bytes / SLOWEST);
        let runtime = self.runtime.as_ref();
        let runtime = runtime.expect("it is there until this is dropped");
        let answer = runtime.block_on(async { timeout(patience, answer).await });
        let reason = match answer {
            Ok(Ok(found)) => return Ok(Some(found)),
            Ok(Err(object_store::Error::NotFound { .. })) => return Ok(None),
            Ok(Err(error)) => describe(&error),
            Err(_) => format!("no response in {} s", patience.as_secs()),
        };
        // A store that fails at once is reachable.
        if begun.elapsed() >= AT_ONCE {
            *silent_until() = Some(Instant::now() + SILENCE);
        }
        Err(failed(&reason))
    }
}

impl Share for Objects {
    fn place(&self) -> &str {
        &self.place
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        let call = Call::new("read", name);
        let Some(found) = self.find(call)? else {
            return Ok(None);
        };
        let size = found.meta.size;
        let bytes = self.ask(call, size, found.bytes())?;
        Ok(bytes.map(Into::into))
    }

    fn read(
        &self,
        name: &str,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<()>, ObjectError> {
        let call = Call::new("read", name);
        let Some(found) = self.find(call)? else {
            return Ok(None);
        };
        let size = found.meta.size;
        let mut pieces = found.into_stream();
        while let Some(piece) = self.ask(call, size, pieces.try_next())?.flatten() {
            if !take(&piece) {
                break;
            }
        }
        Ok(Some(()))
    }

    fn hold(&self) -> Result<Option<Hold>, ShareError> {
        let Some(dir) = &self.directory else {
            return Ok(None);
        };
        // What fails here fails with a reason in the next write.
        let _ = std::fs::create_dir_all(dir.join(FLEET));
        match Hold::of(&dir.join(FLEET).join("leader")) {
            Err(StoreError::Locked { holder, .. }) => Err(ShareError::Led {
                url: self.place.clone(),
                holder,
            }),
            // Not every file system has locks.
            held => Ok(held.ok()),
        }
    }

    fn sweep(&self, folder: &str) -> Result<(), ObjectError> {
        let Some(place) = self.directory.as_ref().map(|dir| dir.join(folder)) else {
            return Ok(());
        };
        let swept = async {
            let now = SystemTime::now();
            let swept = spawn_blocking(move || sweep(&place, now)).await?;
            swept.map_err(of_directory)
        };
        self.ask(Call::new("tidy", folder), 0, swept).map(drop)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let (call, path) = (Call::new("write", name), Path::from(name));
        let size = bytes.len() as u64;
        let done = self.ask(call, size, self.store.put(&path, bytes.into()))?;
        let gone = || call.failed(&self.place, "the place no longer exists");
        done.map(drop).ok_or_else(gone)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        let path = Path::from(folder);
        // A file whose name is not text is no object.
        let is_object = |found: &object_store::Result<_>| {
            ready(!matches!(
                found,
                Err(object_store::Error::InvalidPath { .. })
            ))
        };
        let below = self.store.list(Some(&path)).filter(is_object);
        let found = self.ask(Call::new("list", folder), 0, below.try_collect::<Vec<_>>())?;
        let listed = found.unwrap_or_default().into_iter().map(|meta| Listed {
            name: meta.location.into(),
            modified: meta.last_modified.into(),
            bytes: meta.size,
        });
        Ok(listed.collect())
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        let path = Path::from(name);
        let delete = self.store.delete(&path);
        self.ask(Call::new("remove", name), 0, delete).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn a_drive_is_the_first_part_of_a_path_on_windows() {
        for (path, on_windows) in [
            ("/C:/runs", "C:/runs"),
            ("/d:/", "d:/"),
            ("/runs/C:/x", "/runs/C:/x"),
            ("/1:/x", "/1:/x"),
        ] {
            assert_eq!(local(path, true), on_windows);
            assert_eq!(local(path, false), path);
        }
    }
}
