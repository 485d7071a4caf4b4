//! Runs: `runs/english` and `run:runs/english` are the same run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{
    OsStringValueParser, TryMapValueParser, TypedValueParser as _, ValueParserFactory,
};
use store::RunDir;

use crate::complete;

/// The directory of a run, which need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunPlace(pub(crate) PathBuf);

impl RunPlace {
    /// Parses a directory, with or without `run:` before it.
    ///
    /// # Errors
    /// If it is empty, or names a model of a run, and no directory.
    fn read(text: OsString) -> Result<RunPlace, String> {
        if text.is_empty() || text == "run:" {
            return Err("it is empty: a run is a directory, such as runs/english".to_owned());
        }
        let plain = text.to_str().and_then(|text| text.strip_prefix("run:"));
        let place = plain.map_or_else(|| PathBuf::from(&text), PathBuf::from);
        let run = place.to_str().and_then(|text| text.rsplit_once('@'));
        match run {
            Some((run, _)) if !place.exists() && RunDir::is_run(Path::new(run)) => Err(format!(
                "a whole run is needed here, not one of its models: write {run}"
            )),
            _ => Ok(RunPlace(place)),
        }
    }
}

impl ValueParserFactory for RunPlace {
    type Parser = TryMapValueParser<OsStringValueParser, fn(OsString) -> Result<RunPlace, String>>;

    fn value_parser() -> Self::Parser {
        OsStringValueParser::new().try_map(RunPlace::read)
    }
}

/// A run as an argument. `--run` is accepted too.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct RunArg {
    /// The run: its directory, such as runs/english
    #[arg(required = true, value_name = "RUN", add = complete::runs())]
    run: Option<RunPlace>,
    /// A required argument may be omitted if a conflicting one is given.
    #[arg(long = "run", value_name = "RUN", hide = true, conflicts_with = "run", add = complete::runs())]
    named: Option<RunPlace>,
}

impl RunArg {
    /// The run's directory.
    pub(crate) fn path(&self) -> &Path {
        let place = self.run.as_ref().or(self.named.as_ref());
        &place.expect("clap requires one of the two").0
    }
}

/// Runs as arguments. `--run` is accepted too.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct RunsArg {
    /// The runs: their directories, such as runs/english
    #[arg(required = true, value_name = "RUN", add = complete::runs())]
    runs: Vec<RunPlace>,
    /// A required argument may be omitted if a conflicting one is given.
    #[arg(long = "run", value_name = "RUN", hide = true, conflicts_with = "runs", add = complete::runs())]
    named: Vec<RunPlace>,
}

impl RunsArg {
    /// The runs' directories.
    pub(crate) fn paths(self) -> Vec<PathBuf> {
        let places = self.runs.into_iter().chain(self.named);
        places.map(|place| place.0).collect()
    }
}

/// A run, or one of its generations, as an argument.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct RunAtArg {
    /// The run, and optionally its last generation to use: DIR@N, or DIR for all
    #[arg(value_name = "RUN@N", add = complete::runs())]
    pub(crate) from: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_in_two_ways() {
        for text in ["runs/a", "run:runs/a"] {
            let place = RunPlace::read(text.into());
            assert_eq!(place, Ok(RunPlace("runs/a".into())));
        }
    }

    #[test]
    fn one_of_its_models_is_no_run() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.toml"), "").unwrap();
        let run = folder.path().display().to_string();
        for text in [format!("{run}@4"), format!("run:{run}@4")] {
            let error = RunPlace::read(text.into());
            let error = error.expect_err("a model");
            assert!(error.ends_with(&format!("write {run}")), "{error}");
        }
        let odd = format!("{run}@4");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(
            RunPlace::read(odd.clone().into()),
            Ok(RunPlace(odd.clone().into()))
        );
        std::fs::remove_dir(odd).unwrap();
    }
}
