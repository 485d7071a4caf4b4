//! Simulates what a power failure leaves of a directory.
//!
//! The directory itself holds what running processes see. In addition, the device keeps the bytes
//! of each file and the names of each directory as they were at their last sync; of everything
//! later, a power failure leaves an arbitrary part.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A file or directory, independent of its names.
pub(crate) type Id = usize;
/// A name in a directory.
pub(crate) type Name = (Id, OsString);

const ROOT: Id = 0;

pub(crate) struct Device {
    root: PathBuf,
    pub rng: ChaCha8Rng,
    nodes: Vec<Node>,
    /// Changes of names since their directories were synced, in order.
    pending: Vec<Change>,
}

enum Node {
    File {
        /// The bytes on the device.
        kept: Vec<u8>,
        /// The bytes at the moment when the file lost a name, for the time after its last name.
        last: Vec<u8>,
    },
    Dir {
        now: BTreeMap<OsString, Id>,
        kept: BTreeMap<OsString, Id>,
    },
}

const EMPTY: Node = Node::Dir {
    now: BTreeMap::new(),
    kept: BTreeMap::new(),
};

/// A name that is added, removed or moved.
pub(crate) enum Change {
    Enter(Name, Id),
    Leave(Name),
    Move(Name, Name, Id),
}

impl Change {
    fn names(&self) -> impl Iterator<Item = &Name> {
        let (first, second) = match self {
            Change::Enter(name, _) | Change::Leave(name) => (name, None),
            Change::Move(from, to, _) => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
    }
}

impl Device {
    /// The device of an empty directory.
    pub(crate) fn new(root: &Path, rng: ChaCha8Rng) -> Device {
        Device {
            root: root.to_owned(),
            rng,
            nodes: vec![EMPTY],
            pending: Vec::new(),
        }
    }

    /// A random part of `length` bytes.
    pub(crate) fn part_of(&mut self, length: usize) -> usize {
        (self.rng.random::<f64>() * length as f64) as usize
    }

    /// Directory and name of a path, if that directory is known.
    pub(crate) fn place(&self, path: &Path) -> Option<Name> {
        let mut dir = ROOT;
        let below = path.strip_prefix(&self.root).unwrap();
        for name in below.parent()? {
            dir = self.child(dir, name)?;
        }
        Some((dir, below.file_name()?.to_owned()))
    }

    /// The node of a path; files that were created without this device are added now.
    pub(crate) fn node(&mut self, path: &Path) -> Id {
        let mut id = ROOT;
        let mut at = self.root.clone();
        for name in path.strip_prefix(&self.root).unwrap() {
            at.push(name);
            id = match self.child(id, name) {
                Some(id) => id,
                None => self.enter((id, name.to_owned()), &at),
            };
        }
        id
    }

    /// Keeps the bytes of a file that is about to lose a name.
    pub(crate) fn remember(&mut self, path: &Path) {
        let known = self.place(path);
        let id = known.and_then(|(dir, name)| self.child(dir, &name));
        if let Some(Node::File { last, .. }) = id.map(|id| &mut self.nodes[id]) {
            *last = fs::read(path).unwrap();
        }
    }

    /// Changes names as processes see them.
    pub(crate) fn change(&mut self, change: Change) {
        self.apply(&change, |node| match node {
            Node::Dir { now, .. } => Some(now),
            Node::File { .. } => None,
        });
        self.pending.push(change);
    }

    /// Syncs bytes or names to the device.
    pub(crate) fn sync(&mut self, path: &Path) {
        let id = self.node(path);
        if let Node::File { kept, .. } = &mut self.nodes[id] {
            *kept = fs::read(path).unwrap();
            return;
        }
        let mut later: Vec<Change> = Vec::new();
        for change in std::mem::take(&mut self.pending) {
            if change.names().all(|name| name.0 != id) {
                later.push(change);
                continue;
            }
            self.keep(&change);
            // An older name of it in another directory must not come back.
            later.retain(|older| !older.names().any(|name| change.names().any(|n| n == name)));
        }
        self.pending = later;
    }

    /// Cuts the power and restores it.
    pub(crate) fn lose_power(&mut self) {
        let root = self.root.clone();
        self.meet_unseen(ROOT, &root, false);
        self.keep_some_names();
        let mut paths = BTreeMap::new();
        self.paths(ROOT, &root, &mut paths);
        let mut left = Vec::new();
        self.surviving(ROOT, &root, &paths, &mut left);
        fs::remove_dir_all(&root).unwrap();
        fs::create_dir(&root).unwrap();
        for (path, bytes) in left {
            match bytes {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::create_dir(path).unwrap(),
            }
        }
        self.settle();
    }

    /// Syncs everything, as happens after some time.
    pub(crate) fn settle(&mut self) {
        self.nodes = vec![EMPTY];
        self.pending.clear();
        self.meet_unseen(ROOT, &self.root.clone(), true);
        for change in std::mem::take(&mut self.pending) {
            self.keep(&change);
        }
    }

    fn child(&self, dir: Id, name: &OsStr) -> Option<Id> {
        match &self.nodes[dir] {
            Node::Dir { now, .. } => now.get(name).copied(),
            Node::File { .. } => None,
        }
    }

    /// A node for an existing path without any data on the device yet.
    fn enter(&mut self, name: Name, path: &Path) -> Id {
        let id = self.nodes.len();
        self.nodes.push(match path.is_dir() {
            true => EMPTY,
            false => Node::File {
                kept: Vec::new(),
                last: Vec::new(),
            },
        });
        self.change(Change::Enter(name, id));
        id
    }

    /// Adds files that were created without this device. With `all`, everything in them is on the
    /// device, bytes too; otherwise only what the creator of a new directory may write.
    fn meet_unseen(&mut self, dir: Id, path: &Path, all: bool) {
        for entry in fs::read_dir(path).unwrap() {
            let (name, path) = entry
                .map(|entry| (entry.file_name(), entry.path()))
                .unwrap();
            let id = self.child(dir, &name).unwrap_or_else(|| {
                let text = path.to_string_lossy();
                assert!(
                    all || text.contains("/.tmp-"),
                    "{text} was written past the disk"
                );
                self.enter((dir, name), &path)
            });
            match &mut self.nodes[id] {
                Node::Dir { .. } => self.meet_unseen(id, &path, all),
                Node::File { kept, .. } if all => *kept = fs::read(&path).unwrap(),
                Node::File { .. } => {}
            }
        }
    }

    /// Changes names on the device.
    fn keep(&mut self, change: &Change) {
        self.apply(change, |node| match node {
            Node::Dir { kept, .. } => Some(kept),
            Node::File { .. } => None,
        });
    }

    fn apply(
        &mut self,
        change: &Change,
        names_in: impl Fn(&mut Node) -> Option<&mut BTreeMap<OsString, Id>>,
    ) {
        let mut set = |(dir, name): &Name, id: Option<Id>| {
            let names = names_in(&mut self.nodes[*dir]).unwrap();
            match id {
                Some(id) => names.insert(name.clone(), id),
                None => names.remove(name),
            }
        };
        match change {
            Change::Enter(name, id) => set(name, Some(*id)),
            Change::Leave(name) => set(name, None),
            Change::Move(from, to, id) => {
                set(from, None);
                set(to, Some(*id))
            }
        };
    }

    /// Of the names changed since the last sync, keeps all, none, or the first ones in each
    /// directory.
    fn keep_some_names(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let how = self.rng.random_range(0..3);
        let mut left: BTreeMap<Id, usize> = BTreeMap::new();
        for change in pending {
            let dir = change.names().last().map_or(ROOT, |name| name.0);
            let is_kept = match how {
                0 => false,
                1 => true,
                _ => {
                    let n = self.rng.random_range(1..6);
                    let left = left.entry(dir).or_insert(n);
                    *left = left.saturating_sub(1);
                    *left > 0
                }
            };
            if is_kept {
                self.keep(&change);
            }
        }
    }

    /// Paths of the files that processes see.
    fn paths(&self, dir: Id, path: &Path, found: &mut BTreeMap<Id, PathBuf>) {
        if let Node::Dir { now, .. } = &self.nodes[dir] {
            for (name, id) in now {
                found.insert(*id, path.join(name));
                self.paths(*id, &path.join(name), found);
            }
        }
    }

    /// The files, and directories without bytes, that survive a power failure.
    fn surviving(
        &mut self,
        dir: Id,
        path: &Path,
        paths: &BTreeMap<Id, PathBuf>,
        found: &mut Vec<(PathBuf, Option<Vec<u8>>)>,
    ) {
        let Node::Dir { kept, .. } = &self.nodes[dir] else {
            return;
        };
        for (name, id) in kept.clone() {
            let place = path.join(name);
            let Node::File { kept, last } = &self.nodes[id] else {
                found.push((place.clone(), None));
                self.surviving(id, &place, paths, found);
                continue;
            };
            let (kept, last) = (kept.clone(), last.clone());
            let now = paths.get(&id).map_or(last, |path| fs::read(path).unwrap());
            found.push((place, Some(self.torn(kept, now))));
        }
    }

    /// Remains of a file that was `kept` at its last sync and is `now` in memory.
    fn torn(&mut self, kept: Vec<u8>, now: Vec<u8>) -> Vec<u8> {
        if kept == now {
            return kept;
        }
        match self.rng.random_range(0..4) {
            0 => kept,
            1 => now,
            // The last bytes written are missing, or read as zeros.
            how => {
                let common = kept.iter().zip(&now).take_while(|(a, b)| a == b).count();
                let end = common + self.part_of(now.len() - common);
                let mut bytes = now[..end].to_vec();
                if how == 3 {
                    bytes.resize(now.len(), 0);
                }
                bytes
            }
        }
    }
}
