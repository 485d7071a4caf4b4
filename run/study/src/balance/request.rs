//! The subjects and settings of a study.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use roster::PlayerSpec;
use rules::Variant;
use run::config::RunFile;
use run::{RequestError, Result};
use store::RunDir;
use types::shell_word;

use super::VALUE_NODES;
use crate::analysis::{Analysts, Limit};
use crate::check_is_new;

/// A game, or the games of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A game, which the study plays.
    Game(Variant),
    /// The directory of a run.
    Run(PathBuf),
}

impl FromStr for Subject {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Subject, RequestError> {
        let path = text.strip_prefix("run:");
        match text.parse() {
            Ok(variant) => Ok(Subject::Game(variant)),
            Err(unknown) => {
                let is_path = text.contains(['/', '\\']) || RunDir::is_run(Path::new(text));
                match path.or(is_path.then_some(text)) {
                    Some(run) => Ok(Subject::Run(run.into())),
                    None => Err(RequestError(format!("{unknown}; nor is it a run"))),
                }
            }
        }
    }
}

/// A request for a study.
#[derive(Clone, Debug)]
pub struct StudyRequest {
    /// The columns.
    pub subjects: Vec<Subject>,
    /// Games of each level: of each number of nodes, or each part of a run.
    pub games: u32,
    /// Nodes of a move, a level each, fewest first.
    pub nodes: Vec<u64>,
    /// The seed of the games.
    pub seed: u64,
    /// True if all games are played by search that counts material, to compare their rules.
    pub is_material: bool,
    /// The page to write, HTML or Markdown by its name.
    pub to: Option<PathBuf>,
    /// The picture to write, SVG; a page of Markdown links to it.
    pub figure: Option<PathBuf>,
    /// Games that are played at a time.
    pub threads: usize,
}

impl Subject {
    /// The name of the game, or the path of the run.
    pub(super) fn name(&self) -> String {
        match self {
            Subject::Game(variant) => variant.name().to_owned(),
            Subject::Run(path) => path.display().to_string(),
        }
    }

    /// The game and its player.
    pub(super) fn player(&self, is_material: bool) -> Result<(Variant, Arc<Analysts>)> {
        let variant = match self {
            Subject::Game(variant) => *variant,
            Subject::Run(path) => RunFile::read(&RunDir::open(path)?)?.variant,
        };
        let spec: PlayerSpec = match is_material {
            true => format!("material:{variant}").parse()?,
            false => variant.name().parse()?,
        };
        let player = Analysts::new(Some(&spec), Limit::Nodes(VALUE_NODES))?;
        Ok((variant, Arc::new(player)))
    }
}

impl StudyRequest {
    /// Checks that the outputs can be written.
    pub(super) fn check_outputs(&self) -> Result<(), RequestError> {
        for (path, extensions) in [(&self.to, &["html", "md"][..]), (&self.figure, &["svg"])] {
            let Some(path) = path else { continue };
            let found = path.extension().and_then(OsStr::to_str);
            if !found.is_some_and(|found| extensions.contains(&found)) {
                return Err(RequestError(format!(
                    "{}: the name must end in .{}",
                    path.display(),
                    extensions.join(" or .")
                )));
            }
            check_is_new(path)?;
        }
        Ok(())
    }

    /// The command that measures the same, without its outputs.
    pub(super) fn command(&self) -> String {
        let mut words = vec!["crownhead study".to_owned()];
        let subjects = self.subjects.iter();
        words.extend(subjects.map(|subject| shell_word(&subject.name()).into_owned()));
        words.push(format!("--games {}", self.games));
        let is_game = |subject: &Subject| matches!(subject, Subject::Game(_));
        if self.subjects.iter().any(is_game) {
            let nodes: Vec<String> = self.nodes.iter().map(u64::to_string).collect();
            words.push(format!("--nodes {} --seed {}", nodes.join(","), self.seed));
        }
        words.extend(self.is_material.then(|| "--material".to_owned()));
        words.join(" ")
    }
}
