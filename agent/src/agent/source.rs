//! Where agents come from: bytes, files, or the program itself.

use std::path::{Path, PathBuf};

use model::{Model, ModelError};
use nnue::{Network, NetworkError};
use rules::Variant;
use types::Strength;

use super::{Agent, Options};
use crate::Error;

/// What `crownhead distill` and `crownhead export` write; the first one plays better.
const FILES: [&str; 2] = ["evaluation.safetensors", "model.safetensors"];

impl Agent {
    /// The agent that a text names:
    ///
    /// * a game, such as `english`: the strongest agent of the game that comes with the program;
    /// * `bundled:english`: its network, with tree search;
    /// * `material:russian`: alpha-beta search that counts material;
    /// * anything else is a file, or a folder of `crownhead export`, `crownhead distill` or a run's `models`.
    ///
    /// Behind it `,elo=1200` and `,seed=7` say the same as [`Options::elo`] and [`Options::seed`].
    ///
    /// # Errors
    /// When there is no such agent, or it cannot be used.
    pub fn load(source: &str, options: &Options) -> Result<Agent, Error> {
        let (source, options) = options.with_suffix(source)?;
        let options = &options;
        options.check()?;
        if let Some(name) = source.strip_prefix("material:") {
            let agent = Agent::material(name.parse()?, options);
            return agent.with_strength(&Strength::default(), options, |_, _| None);
        }
        #[cfg(feature = "bundled")]
        if let Some(name) = source.strip_prefix("bundled:") {
            return Agent::bundled_network(name.parse()?, options);
        }
        let path = Path::new(source);
        match source.parse::<Variant>() {
            #[cfg(feature = "bundled")]
            Ok(variant) => Agent::bundled(variant, options),
            // A name that is nearly that of a game is one that was meant to be.
            Err(error) if !path.exists() && Path::new(source).components().count() == 1 => {
                Err(error.into())
            }
            _ => Agent::read(path, options),
        }
    }

    /// The agent in a file or folder.
    ///
    /// # Errors
    /// When it cannot be read or used.
    pub fn read(path: &Path, options: &Options) -> Result<Agent, Error> {
        let file = match path.is_dir() {
            true => {
                let mut files = FILES.map(|file| path.join(file)).into_iter();
                files.find(|file| file.exists()).ok_or(Error::NoAgent {
                    path: path.to_owned(),
                })?
            }
            false => PathBuf::from(path),
        };
        let name = file.display().to_string();
        let bytes = Model::read_bytes(&file).map_err(|error| match error {
            ModelError::Io { path, source } => Error::Read { path, source },
            source => Error::Model {
                name: name.clone(),
                source,
            },
        })?;
        Agent::from_bytes(&name, &bytes, options)
    }

    /// The agent in the bytes of a safetensors file: a network, or a learned evaluation. `name` stands for
    /// the file in messages.
    ///
    /// # Errors
    /// When they are damaged, or hold something else.
    pub fn from_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Agent, Error> {
        options.check()?;
        match Network::from_bytes(bytes) {
            Ok(network) => Agent::evaluation(name, network, options),
            // A whole safetensors file of something else: a network, if anything.
            Err(NetworkError::NoManifest { .. }) => {
                let model = Model::from_bytes(bytes, Path::new(name));
                let model = model.map_err(|source| Error::Model {
                    name: name.to_owned(),
                    source,
                })?;
                Agent::network(name, &model, options)
            }
            Err(source) => Err(Error::Evaluation {
                name: name.to_owned(),
                source,
            }),
        }
    }

    /// The strongest agent of a game that comes with the program: alpha-beta search with a learned
    /// evaluation.
    ///
    /// # Errors
    /// When there is none.
    #[cfg(feature = "bundled")]
    pub fn bundled(variant: Variant, options: &Options) -> Result<Agent, Error> {
        let bytes = find(::bundled::EVALUATIONS, "evaluation", variant)?;
        Agent::from_bytes(&format!("{variant}.safetensors"), bytes, options)
    }

    /// The network of a game that comes with the program, with tree search.
    ///
    /// # Errors
    /// When there is none.
    #[cfg(feature = "bundled")]
    pub fn bundled_network(variant: Variant, options: &Options) -> Result<Agent, Error> {
        let bytes = find(::bundled::NETWORKS, "network", variant)?;
        Agent::from_bytes(&format!("{variant}.safetensors"), bytes, options)
    }
}

#[cfg(feature = "bundled")]
fn find(
    all: &[(&'static str, &'static [u8])],
    kind: &'static str,
    variant: Variant,
) -> Result<&'static [u8], Error> {
    let found = all.iter().find(|(name, _)| *name == variant.name());
    found.map(|(_, bytes)| *bytes).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        Error::NotBundled {
            kind,
            variant,
            known: known.join(", "),
        }
    })
}
