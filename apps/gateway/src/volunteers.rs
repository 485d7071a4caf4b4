//! Volunteers, who may play through a gateway, and their file.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use types::open_file;

use crate::GatewayError;

/// Maximum length of a volunteer's name.
const LONGEST_NAME: usize = 32;
/// Maximum size of the file of volunteers in bytes: enough for ten thousand.
const MAX_BYTES: u64 = 1 << 20;

/// People whose machines may play through a gateway. Only hashes of their secrets are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volunteers(BTreeMap<String, String>);

impl Volunteers {
    /// Reads the file of volunteers.
    ///
    /// # Errors
    /// If it cannot be read, or as [`Volunteers::parse`].
    pub fn read(file: &Path) -> Result<Volunteers, GatewayError> {
        Volunteers::parse(&file.display().to_string(), &read_text(file)?)
    }

    /// Adds a volunteer to a file, which is created if it does not exist.
    ///
    /// # Errors
    /// If the name is invalid or already in the file, or the file cannot be read or written.
    pub fn invite(file: &Path, name: &str, secret: &str) -> Result<(), GatewayError> {
        let line = Volunteers::line(name, secret).map_err(GatewayError::Volunteer)?;
        let text = match file.try_exists() {
            Ok(false) => String::new(),
            _ => read_text(file)?,
        };
        let shown = file.display().to_string();
        if Volunteers::parse(&shown, &text)?.0.contains_key(name) {
            let reason =
                format!("{name} is already in {shown}: remove that line, or choose another name");
            return Err(GatewayError::Volunteer(reason));
        }
        // An editor may have left the last line without a line end.
        let gap = match text.is_empty() || text.ends_with('\n') {
            true => "",
            false => "\n",
        };
        let opened = open_file(file, OpenOptions::new().create(true).append(true));
        let written = opened.and_then(|mut file| file.write_all(format!("{gap}{line}").as_bytes()));
        written.map_err(failed("write", file))
    }

    /// Parses lines written by [`Volunteers::line`]; empty lines and those that start with # are
    /// ignored.
    ///
    /// # Errors
    /// If a line is invalid, or a name occurs twice; the message names the line of `file`.
    pub fn parse(file: &str, text: &str) -> Result<Volunteers, GatewayError> {
        let mut volunteers = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fault = |reason: String| GatewayError::Line {
                file: file.to_owned(),
                line: index + 1,
                reason,
            };
            let (name, hash) = line.split_once(' ').unwrap_or((line, ""));
            check_name(name).map_err(fault)?;
            if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(fault(format!(
                    "{name} has no hash: use crownhead-gateway invite to write such lines"
                )));
            }
            if volunteers
                .insert(name.to_owned(), hash.to_owned())
                .is_some()
            {
                return Err(fault(format!("{name} occurs twice")));
            }
        }
        Ok(Volunteers(volunteers))
    }

    /// The line of a volunteer.
    ///
    /// # Errors
    /// If the name is invalid, with the reason.
    pub fn line(name: &str, secret: &str) -> Result<String, String> {
        check_name(name)?;
        Ok(format!("{name} {}\n", hash_of(secret)))
    }

    /// The names of the volunteers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns `true` if the secret of a volunteer is correct, by its SHA-256.
    pub fn admit(&self, name: &str, secret: &str) -> bool {
        // An attacker who times the comparison of hashes learns nothing useful.
        self.0
            .get(name)
            .is_some_and(|hash| *hash == hash_of(secret))
    }
}

/// The text of a file of volunteers.
fn read_text(file: &Path) -> Result<String, GatewayError> {
    let bytes = store::read_bounded(file, MAX_BYTES).map_err(io::Error::other);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.map_err(failed("read", file))
}

fn failed(what: &'static str, file: &Path) -> impl FnOnce(io::Error) -> GatewayError {
    move |source| GatewayError::File {
        what,
        file: file.display().to_string(),
        source,
    }
}

fn hash_of(secret: &str) -> String {
    let hash = hmac_sha256::Hash::hash(secret.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric();
    match !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_plain) {
        true => Ok(()),
        false => Err(format!(
            "{name:?} is not a valid name for a volunteer: use up to {LONGEST_NAME} letters and \
                digits, without accents"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn volunteers_are_known_by_their_secrets() {
        let (ada, bob) = (
            Volunteers::line("ada", "one"),
            Volunteers::line("bob", "two"),
        );
        let text = format!("# friends\n\n{}{}", ada.unwrap(), bob.unwrap());
        assert!(!text.contains("one") && !text.contains("two"));
        let volunteers = Volunteers::parse("friends", &text).unwrap();
        assert!(volunteers.admit("ada", "one") && volunteers.admit("bob", "two"));
        for (name, secret) in [("ada", "two"), ("ada", ""), ("eve", "one"), ("", "")] {
            assert!(!volunteers.admit(name, secret), "{name} {secret}");
        }
        let line = Volunteers::line("ada", "three").unwrap();
        for (more, reason) in [
            ("eve\n", "friends, line 5: eve has no hash"),
            (&line, "ada occurs twice"),
            ("e-v-e 00\n", "is not a valid name for a volunteer"),
        ] {
            let error = Volunteers::parse("friends", &(text.clone() + more)).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        assert!(Volunteers::line("Zoë", "four").is_err());
    }

    #[test]
    fn invitations_are_added_to_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("volunteers");
        assert!(Volunteers::read(&file).is_err(), "nobody is invited");
        Volunteers::invite(&file, "ada", "one").unwrap();
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.trim_end()).unwrap();
        Volunteers::invite(&file, "bob", "two").unwrap();
        let volunteers = Volunteers::read(&file).unwrap();
        assert!(volunteers.admit("ada", "one") && volunteers.admit("bob", "two"));
        for (name, reason) in [
            ("ada", "ada is already in "),
            ("Zoë", "is not a valid name for a volunteer"),
        ] {
            let error = Volunteers::invite(&file, name, "three").unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        assert_eq!(Volunteers::read(&file).unwrap(), volunteers);
    }

    #[test]
    fn the_file_of_volunteers_is_a_file_of_limited_size() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("volunteers");
        let large = fs::File::create(&file).unwrap();
        large.set_len(MAX_BYTES + 1).unwrap();
        for path in [file.as_path(), dir.path()] {
            for error in [
                Volunteers::read(path).unwrap_err(),
                Volunteers::invite(path, "ada", "one").unwrap_err(),
            ] {
                assert!(matches!(error, GatewayError::File { .. }), "{error}");
            }
        }
    }
}
