//! Openings from a file, or from the list of the program.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use encoding::{TextEncoding, TextReader};
use eval::{Opening, openings};
use rules::Variant;
use run::{RequestError, Result, Within as _};
use store::StoreError;
use store::disk::File;
use types::Seed;

/// The name of the drawn openings that come with the program.
const DRAWN: &str = "drawn";
/// Faults of a file that are listed.
const MAX_LISTED: usize = 10;

/// A file of openings, and the part of it to use: `FILE,plies=8,order=file`. The name `drawn` is
/// the list of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningsSource {
    /// The file.
    pub path: PathBuf,
    /// Moves of an opening at most.
    pub plies: Option<usize>,
    /// `true` for the order of the file; by default the seed decides it.
    pub in_file_order: bool,
    /// The encoding, if it is not found out.
    pub encoding: Option<TextEncoding>,
}

impl From<&Path> for OpeningsSource {
    fn from(path: &Path) -> OpeningsSource {
        OpeningsSource {
            path: path.to_owned(),
            plies: None,
            in_file_order: false,
            encoding: None,
        }
    }
}

impl FromStr for OpeningsSource {
    type Err = Infallible;

    /// Options are taken from the end; anything else belongs to the name.
    fn from_str(text: &str) -> std::result::Result<OpeningsSource, Infallible> {
        let (mut path, mut plies, mut in_file_order) = (text, None, false);
        while let Some((before, option)) = path.rsplit_once(',') {
            match option.split_once('=') {
                Some(("plies", n)) if n.parse::<usize>().is_ok_and(|n| n > 0) => {
                    plies = n.parse().ok();
                }
                Some(("order", "file")) => in_file_order = true,
                Some(("order", "random")) => in_file_order = false,
                _ => break,
            }
            path = before;
        }
        Ok(OpeningsSource {
            plies,
            in_file_order,
            ..OpeningsSource::from(Path::new(path))
        })
    }
}

/// Openings that were read.
#[derive(Clone, Debug)]
pub(crate) struct ReadOpenings {
    /// In the order of the file.
    pub(crate) openings: Vec<Opening>,
    in_file_order: bool,
    /// The faults of the file, in words for the user.
    pub(crate) notices: Vec<String>,
}

impl ReadOpenings {
    /// Reads the file or the list of the program, if one is named.
    ///
    /// # Errors
    /// If it cannot be read or has no opening.
    pub(crate) fn read(
        source: Option<&OpeningsSource>,
        variant: Variant,
    ) -> Result<Option<ReadOpenings>> {
        let Some(source) = source else {
            return Ok(None);
        };
        let path = &source.path;
        if path == Path::new(DRAWN) {
            return ReadOpenings::listed(source, variant).map(Some);
        }
        let file = match File::open(path) {
            Err(_) if let Some(option) = wrong_option(path) => return Err(option.into()),
            opened => opened.map_err(StoreError::io("read", path))?,
        };
        let mut reader = TextReader::new(file, source.encoding);
        let read = openings::read(variant, source.plies, &mut reader)
            .within(|| format!("failed to read {}", path.display()))?;
        let mut notices: Vec<String> = reader.notice().map(str::to_owned).into_iter().collect();
        let n_faults = read.faults.len();
        let listed = read.faults.iter().take(MAX_LISTED);
        notices.extend(listed.map(|fault| format!("opening left out: {fault}")));
        if n_faults > MAX_LISTED {
            notices.push(format!("openings left out: {n_faults} in all"));
        }
        let named = |notice: String| format!("{}: {notice}", path.display());
        Ok(Some(ReadOpenings {
            openings: read.openings,
            in_file_order: source.in_file_order,
            notices: notices.into_iter().map(named).collect(),
        }))
    }

    /// The drawn openings of a game.
    fn listed(source: &OpeningsSource, variant: Variant) -> Result<ReadOpenings> {
        let list = openings::drawn(variant);
        if list.is_empty() {
            return Err(RequestError(format!(
                "no list of drawn openings of {variant} comes with the program: make one with \
                 `crownhead book openings {variant} --within 5 > FILE`, and name the file"
            ))
            .into());
        }
        let lines: Vec<String> = list.iter().map(eval::Opening::moves_text).collect();
        let read = openings::read(variant, source.plies, lines.join("\n").as_bytes())?;
        Ok(ReadOpenings {
            openings: read.openings,
            in_file_order: source.in_file_order,
            notices: Vec::new(),
        })
    }

    /// Up to `n` openings, in the order in which they are played.
    pub(crate) fn draw(&self, n: usize, seed: u64) -> Vec<Opening> {
        let openings = self.openings.clone();
        match self.in_file_order {
            true => openings.into_iter().take(n).collect(),
            false => openings::draw(openings, n, Seed::new(seed)),
        }
    }
}

/// The reason why the name of a missing file ends with something like an option.
fn wrong_option(path: &Path) -> Option<RequestError> {
    let (_, option) = path.to_str()?.rsplit_once(',')?;
    let (name, _) = option.split_once('=')?;
    let form = match name {
        "plies" => "plies=N with N from 1",
        "order" => "order=file or order=random",
        _ => "plies=N or order=file",
    };
    Some(RequestError(format!("`{option}`: write {form}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_name() {
        let source = |text: &str| text.parse::<OpeningsSource>().unwrap();
        let read = source("a,b.pdn,plies=8,order=file");
        assert_eq!(read.path, Path::new("a,b.pdn"));
        assert_eq!((read.plies, read.in_file_order), (Some(8), true));
        assert_eq!(source("a,plies=x").path, Path::new("a,plies=x"));
        assert_eq!(source("a.pdn"), OpeningsSource::from(Path::new("a.pdn")));
    }

    #[test]
    fn openings_come_in_the_order_of_the_file_and_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings");
        let text = "9-13 24-20\n9-14 24-20\n10-14 24-20\n1-2\n11-15 24-20\n11-16 24-20\n";
        std::fs::write(&path, text).unwrap();
        let mut source = OpeningsSource::from(path.as_path());
        source.plies = Some(1);
        source.in_file_order = true;
        let english = Variant::ALL[0];
        let read = ReadOpenings::read(Some(&source), english).unwrap().unwrap();
        let texts: Vec<String> = read.draw(4, 1).iter().map(Opening::moves_text).collect();
        assert_eq!(texts, ["9-13", "9-14", "10-14", "11-15"]);
        assert!(
            read.notices[0].contains("line 4: ply 1: "),
            "{:?}",
            read.notices
        );
        source.in_file_order = false;
        let read = ReadOpenings::read(Some(&source), english).unwrap().unwrap();
        assert_ne!(read.draw(5, 1), read.openings);
    }

    #[test]
    fn the_list_of_the_program_has_a_name() {
        let read = |text: &str, variant| {
            let source: OpeningsSource = text.parse().unwrap();
            let read = ReadOpenings::read(Some(&source), variant);
            read.map(|read| read.unwrap().openings.len())
        };
        let english = Variant::ALL[0];
        assert_eq!(read("drawn", english).unwrap(), 156);
        assert_eq!(read("drawn,plies=1", english).unwrap(), 7);
        assert!(read("./drawn", english).is_err(), "a file");
        let without = Variant::ALL
            .into_iter()
            .find(|variant| openings::drawn(*variant).is_empty());
        let error = read("drawn", without.unwrap()).unwrap_err().to_string();
        assert!(error.contains("--within 5"), "{error}");
    }

    #[test]
    fn a_file_without_openings_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings");
        let source = OpeningsSource::from(path.as_path());
        let read = || {
            let error = ReadOpenings::read(Some(&source), Variant::ALL[0]).unwrap_err();
            error.to_string()
        };
        let shown = path.display();
        assert!(read().starts_with(&format!("failed to read {shown}: ")));
        let source: OpeningsSource = format!("{shown},order=back").parse().unwrap();
        let error = ReadOpenings::read(Some(&source), Variant::ALL[0]).unwrap_err();
        let expected = "`order=back`: write order=file or order=random";
        assert_eq!(error.to_string(), expected);
        std::fs::write(&path, "# nothing\n").unwrap();
        assert!(read().starts_with(&format!("failed to read {shown}: the file has no openings")));
        assert!(ReadOpenings::read(None, Variant::ALL[0]).unwrap().is_none());
    }
}
