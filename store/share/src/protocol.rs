//! The protocol of a fleet, and the status of its machines.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rules::Variant;
use serde::{Deserialize, Serialize};
use store::{Record, RecordError, RunId};
use xxhash_rust::xxh3::xxh3_128;

use crate::assignment::{CLAIMS, GAMES};
use crate::document::{read, write};
use crate::{Assignment, ObjectError, Share, ShareError};

/// Incremented when names or documents change their meaning.
const VERSION: u32 = 3;

const PROTOCOL: &str = "fleet/protocol.json";
const MODELS: &str = "fleet/models";
/// Folder of the machines' status.
pub const WORKERS: &str = "fleet/workers";

/// Time after which a silent machine is forgotten.
const SILENCE: Duration = Duration::from_secs(3600);

/// Terms that a machine must meet before it plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// Version of names and documents.
    pub version: u32,
    /// The game.
    pub variant: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The run that the games are for.
    pub run: RunId,
    /// The settings of the run, as `run.toml` has them.
    pub settings: String,
    /// Games that every machine must reproduce.
    pub handshake: Handshake,
}

/// Games that must be identical on all machines of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// The identity of the network that plays them.
    pub network: String,
    /// A hash of each game, in the order of their numbers.
    pub games: Vec<String>,
}

impl Handshake {
    /// The hashes of these games.
    ///
    /// # Errors
    /// If a game is illegal.
    pub fn of(network: &str, games: &[Record]) -> Result<Handshake, RecordError> {
        let hash = |game: &Record| {
            let bytes = game.encode()?;
            Ok(format!("{:032x}", xxh3_128(&bytes)))
        };
        let games: Result<_, RecordError> = games.iter().map(hash).collect();
        Ok(Handshake {
            network: network.to_owned(),
            games: games?,
        })
    }

    /// Rejects a machine that has `played` different games, and names the first one.
    ///
    /// # Errors
    /// [`ShareError::OtherGames`].
    pub fn check(&self, played: &Handshake) -> Result<(), ShareError> {
        let pairs = self.games.iter().zip(&played.games);
        match pairs
            .enumerate()
            .find(|(_, (expected, found))| expected != found)
        {
            None => Ok(()),
            Some((game, (expected, found))) => Err(ShareError::OtherGames {
                game,
                found: found.clone(),
                expected: expected.clone(),
            }),
        }
    }
}

impl Protocol {
    /// The protocol of a run.
    pub fn new(variant: Variant, run: RunId, settings: String, handshake: Handshake) -> Protocol {
        Protocol {
            version: VERSION,
            variant: variant.name().to_owned(),
            rules_version: variant.rules_version(),
            run,
            settings,
            handshake,
        }
    }

    /// Returns `true` if a directory contains the protocol of a fleet.
    pub(crate) fn is_in(directory: &Path) -> bool {
        directory.join(PROTOCOL).is_file()
    }

    /// Reads the protocol of the fleet at a share; `None` if there is no fleet.
    ///
    /// # Errors
    /// If the share does not respond, or this program cannot take part.
    pub fn read(share: &dyn Share) -> Result<Option<Protocol>, ShareError> {
        /// Read first, because another version may have other fields.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Some(document) = read::<serde_json::Value>(share, PROTOCOL)? else {
            return Ok(None);
        };
        let unusable = |error: serde_json::Error| ShareError::Document {
            name: PROTOCOL.to_owned(),
            reason: error.to_string(),
        };
        let Version { version: found } = Version::deserialize(&document).map_err(unusable)?;
        if found != VERSION {
            return Err(ShareError::OtherVersion(format!(
                "the fleet speaks version {found} of the protocol, this program version {VERSION}: \
                 use the same version of crownhead on all machines; to continue with this one, \
                 delete fleet/ first"
            )));
        }
        let protocol = Protocol::deserialize(document).map_err(unusable)?;
        protocol.variant()?;
        Ok(Some(protocol))
    }

    /// The game, if this program has the same rules.
    ///
    /// # Errors
    /// If it does not.
    pub fn variant(&self) -> Result<Variant, ShareError> {
        let variant: Variant = self.variant.parse().map_err(|error| ShareError::Document {
            name: PROTOCOL.to_owned(),
            reason: format!("{error}"),
        })?;
        let (found, known) = (self.rules_version, variant.rules_version());
        match found == known {
            true => Ok(variant),
            false => Err(ShareError::OtherVersion(format!(
                "the fleet plays {variant} by rules version {found}, this program by {known}"
            ))),
        }
    }

    /// Returns `true` if the protocol is already there.
    ///
    /// # Errors
    /// If the share does not respond, or the fleet there belongs to another run.
    pub fn is_founded(&self, share: &dyn Share) -> Result<bool, ShareError> {
        match Protocol::read(share)? {
            None => Ok(false),
            Some(other) if other.run != self.run => Err(ShareError::OtherRun {
                found: other.run,
                expected: self.run,
            }),
            Some(other) => other.handshake.check(&self.handshake).map(|()| true),
        }
    }

    /// Writes the protocol if there is none yet. Machines that read it look for the network of the
    /// handshake next.
    ///
    /// # Errors
    /// As [`Protocol::is_founded`], and if the share fails.
    pub fn found(&self, share: &dyn Share) -> Result<(), ShareError> {
        match self.is_founded(share)? {
            true => Ok(()),
            false => Ok(write(share, PROTOCOL, self)?),
        }
    }
}

/// Status reported by a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerStatus {
    /// Its name in the fleet.
    pub name: String,
    /// The version of its program.
    pub version: String,
    /// Its vector instructions.
    pub instructions: String,
    /// Its number of threads.
    pub threads: usize,
    /// The generation that it plays for.
    pub generation: u32,
    /// Games shared since it joined.
    pub games: u64,
    /// Games shared per second of playing time.
    pub games_per_s: f64,
}

impl WorkerStatus {
    /// Publishes the status.
    ///
    /// # Errors
    /// If the share fails.
    pub fn publish(&self, share: &dyn Share) -> Result<(), ObjectError> {
        write(share, &format!("{WORKERS}/{}.json", self.name), self)
    }

    /// The status of the machine that owns the object with this name. The object's name decides,
    /// because only its owner can write it, not the name in the document.
    fn of_object(self, object: &str) -> Option<WorkerStatus> {
        let name = object.strip_prefix(WORKERS)?.strip_prefix('/')?;
        let plain = |text: String| text.chars().filter(|c| !c.is_control()).collect();
        Some(WorkerStatus {
            name: name.strip_suffix(".json")?.to_owned(),
            version: plain(self.version),
            instructions: plain(self.instructions),
            ..self
        })
    }

    /// The last status of all machines by name, and its age in seconds.
    ///
    /// # Errors
    /// If the share does not respond.
    pub fn read_all(share: &dyn Share) -> Result<Vec<(WorkerStatus, u64)>, ShareError> {
        let mut listed = share.list(WORKERS)?;
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        // The later of the share's clock and this machine's clock.
        let newest = listed.iter().map(|listed| listed.modified).max();
        let now = newest.map(|newest| newest.max(SystemTime::now()));
        let mut all = Vec::new();
        for object in listed {
            let age = now.and_then(|now| now.duration_since(object.modified).ok());
            // It may be incomplete while it is being written.
            let Ok(Some(status)) = read::<WorkerStatus>(share, &object.name) else {
                continue;
            };
            if let Some(status) = status.of_object(&object.name) {
                all.push((status, age.map_or(0, |age| age.as_secs())));
            }
        }
        Ok(all)
    }
}

/// Name of the object with a network.
pub fn model_name(network: &str) -> String {
    format!("{MODELS}/{network}.safetensors")
}

/// Removes objects that are not needed from `generation` on: games and claims of all generations
/// except this one and the next, all networks except these, the status of machines that have been
/// silent for an hour, and empty folders.
///
/// # Errors
/// If the share fails.
pub fn tidy(share: &dyn Share, generation: u32, networks: &[&str]) -> Result<(), ObjectError> {
    let generation_of = |name: &str| Assignment::generation_of(name.split('/').nth(2)?);
    let networks: Vec<String> = networks.iter().map(|name| model_name(name)).collect();
    let mut old = Vec::new();
    for object in [share.list(GAMES)?, share.list(CLAIMS)?].concat() {
        let is_needed = |other| (generation..=generation.saturating_add(1)).contains(&other);
        if !generation_of(&object.name).is_some_and(is_needed) {
            old.push(object.name);
        }
    }
    let models = share.list(MODELS)?.into_iter().map(|object| object.name);
    old.extend(models.filter(|name| !networks.contains(name)));
    let workers = share.list(WORKERS)?;
    let newest = workers.iter().map(|worker| worker.modified).max();
    let silent = newest.and_then(|newest| newest.checked_sub(SILENCE));
    let gone = workers
        .into_iter()
        .filter(|worker| Some(worker.modified) < silent);
    old.extend(gone.map(|worker| worker.name));
    old.iter().try_for_each(|name| share.delete(name))?;
    [GAMES, CLAIMS]
        .iter()
        .try_for_each(|folder| share.sweep(folder))
}
