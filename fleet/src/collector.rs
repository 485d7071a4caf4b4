//! The trainer's side: games in the order of their numbers, each once, whoever played them.

use std::collections::{BTreeMap, BTreeSet};

use store::{Header, Record, pack_games, unpack_games};
use xxhash_rust::xxh3::xxh3_128;

use crate::protocol::ChunkName;
use crate::{Share, ShareError, Task};

/// Something that a machine sent and that is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The object.
    pub name: String,
    /// Who sent it, as it says.
    pub worker: String,
    /// Why it is not believed.
    pub reason: String,
}

/// Takes the games of a task.
#[derive(Debug)]
pub struct Collector<'a> {
    share: &'a dyn Share,
    task: &'a Task,
    header: &'a Header,
    /// The first chunk that is not taken yet.
    due: u32,
    /// Chunks that the trainer itself has played, with the hash of their bytes.
    own: BTreeMap<u32, (u128, Vec<Record>)>,
    /// Objects that count as if they were not there.
    refused: BTreeSet<ChunkName>,
    suspicions: Vec<Suspicion>,
    /// The last listing.
    listed: Vec<ChunkName>,
}

impl<'a> Collector<'a> {
    /// Nothing is taken yet but what the task says is done. `header` is that of all records.
    pub fn new(share: &'a dyn Share, task: &'a Task, header: &'a Header) -> Collector<'a> {
        let mut collector = Collector {
            share,
            task,
            header,
            due: 0,
            own: BTreeMap::new(),
            refused: BTreeSet::new(),
            suspicions: Vec::new(),
            listed: Vec::new(),
        };
        collector.pass_over();
        collector
    }

    /// Whether the games of this object may be taken: it has not been found wanting.
    pub fn counts(&self, name: &ChunkName) -> bool {
        !self.refused.contains(name)
    }

    /// A chunk that the trainer itself has played. It is believed, whatever others say.
    pub fn offer(&mut self, chunk: u32, games: Vec<Record>) {
        let hash = pack_games(self.header.variant, &games).map_or(0, |bytes| xxh3_128(&bytes));
        self.own.insert(chunk, (hash, games));
    }

    /// The next chunk, if it is there; with the games of its numbers, all of them in order.
    ///
    /// # Errors
    /// When the share does not answer. What the trainer played itself comes nevertheless.
    pub fn take(&mut self) -> Result<Option<Vec<Record>>, ShareError> {
        if self.is_complete() {
            return Ok(None);
        }
        let games = match self.own.remove(&self.due) {
            Some((hash, games)) => {
                let others = self.listed.iter().filter(|name| name.chunk == self.due);
                let differs = others.filter(|name| name.hash != hash).cloned();
                for name in differs.collect::<Vec<_>>() {
                    self.refuse(
                        name,
                        "its games come out different when they are played again",
                    );
                }
                Some(games)
            }
            None => {
                if self.named().is_empty() {
                    self.listed = self.task.finished(self.share)?;
                }
                let candidates = self.candidates()?;
                self.agreed(candidates)
            }
        };
        if games.is_some() {
            self.due += 1;
            self.pass_over();
        }
        Ok(games)
    }

    /// Whether all games have been taken.
    pub fn is_complete(&self) -> bool {
        self.due == self.task.n_chunks()
    }

    /// What has been refused since this was last asked.
    pub fn suspicions(&mut self) -> Vec<Suspicion> {
        std::mem::take(&mut self.suspicions)
    }

    /// The objects of the chunk that is due, as far as they are known.
    fn named(&self) -> Vec<ChunkName> {
        let listed = self.listed.iter();
        listed
            .filter(|name| name.chunk == self.due && self.counts(name))
            .cloned()
            .collect()
    }

    /// The whole objects with the games of the chunk that is due. What is not whole is refused and removed.
    fn candidates(&mut self) -> Result<Vec<(ChunkName, Vec<Record>)>, ShareError> {
        let mut candidates = Vec::new();
        for name in self.named() {
            // One that is not there any more is a listing's fault.
            let Some(bytes) = self.share.get(&name.to_string())? else {
                continue;
            };
            match self.games(&name, &bytes) {
                Ok(games) => candidates.push((name, games)),
                Err(reason) => {
                    // While it is there, the others think that the chunk is finished.
                    let _ = self.share.delete(&name.to_string());
                    self.refuse(name, &reason);
                }
            }
        }
        Ok(candidates)
    }

    /// The games that all candidates have. Where two differ, a machine is faulty: both are refused, and the
    /// trainer will play the chunk itself.
    fn agreed(&mut self, mut candidates: Vec<(ChunkName, Vec<Record>)>) -> Option<Vec<Record>> {
        let (first, games) = candidates.pop()?;
        if candidates.iter().all(|(name, _)| name.hash == first.hash) {
            return Some(games);
        }
        for (name, _) in candidates.into_iter().chain([(first, games)]) {
            self.refuse(name, "machines disagree about its games");
        }
        None
    }

    /// The games in an object, if they are those that its name and the task say.
    fn games(&self, name: &ChunkName, bytes: &[u8]) -> Result<Vec<Record>, String> {
        if xxh3_128(bytes) != name.hash {
            return Err("its bytes are not those of its name".to_owned());
        }
        let games = unpack_games(self.header.variant, bytes).map_err(|error| error.to_string())?;
        let numbers = self.task.numbers(name.chunk);
        if games.len() != numbers.len() {
            return Err(format!(
                "it has {} games, not {}",
                games.len(),
                numbers.len()
            ));
        }
        for (game, number) in games.iter().zip(numbers) {
            let mut expected = self.header.clone();
            expected.id.number = number;
            if game.header != expected {
                let found = game.header.id;
                return Err(format!(
                    "its game {found} is not game {} of this task",
                    expected.id
                ));
            }
        }
        Ok(games)
    }

    fn refuse(&mut self, name: ChunkName, reason: &str) {
        self.suspicions.push(Suspicion {
            name: name.to_string(),
            worker: name.worker.clone(),
            reason: reason.to_owned(),
        });
        self.refused.insert(name);
    }

    /// Passes over chunks that are done already.
    fn pass_over(&mut self) {
        while !self.is_complete() && self.task.done.contains(&self.due) {
            self.due += 1;
        }
    }
}
