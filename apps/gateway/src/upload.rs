//! The permissions of volunteers.

use share::{CLAIMS, ChunkName, GAMES, WORKERS};

/// Maximum size of the games of a chunk in bytes.
const MAX_GAMES_BYTES: usize = 32 << 20;
/// Maximum size of a machine's status in bytes.
const MAX_STATUS_BYTES: usize = 64 << 10;

/// Returns `true` if a volunteer may read an object or a folder: only objects of the fleet.
pub fn may_read(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let mut parts = name.split('/');
    parts.next() == Some("fleet")
        && parts
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_plain))
}

/// An object that a volunteer may write: a claim, games or the status of one of the volunteer's own
/// machines.
#[derive(Clone, Debug)]
pub struct Upload {
    /// Maximum size of the object in bytes.
    pub max_bytes: usize,
    /// XXH3 of the bytes of games.
    hash: Option<u128>,
}

impl Upload {
    /// The upload of a volunteer to the object with this name.
    ///
    /// # Errors
    /// The reason for rejecting the name.
    pub fn new(volunteer: &str, name: &str) -> Result<Upload, String> {
        let below = |folder: &str| name.strip_prefix(folder)?.strip_prefix('/');
        let (machine, max_bytes, hash) = if let Some(chunk) = ChunkName::parse(name) {
            (chunk.worker, MAX_GAMES_BYTES, Some(chunk.hash))
        } else if let Some(claim) = below(CLAIMS) {
            let named = claim
                .split_once('/')
                .and_then(|(_, claim)| claim.split_once('.'));
            let machine = named.map_or("", |(_, machine)| machine);
            (machine.to_owned(), 0, None)
        } else if let Some(status) = below(WORKERS) {
            let machine = status.strip_suffix(".json").unwrap_or_default();
            (machine.to_owned(), MAX_STATUS_BYTES, None)
        } else {
            return Err(format!(
                "volunteers may only write below {GAMES}, {CLAIMS} and {WORKERS}"
            ));
        };
        let is_own = machine
            .strip_prefix(volunteer)
            .is_some_and(|rest| rest.starts_with('.') && !rest.contains('/'));
        match may_read(name) && is_own {
            true => Ok(Upload { max_bytes, hash }),
            false => Err(format!(
                "machines of {volunteer} must be named {volunteer}. followed by letters and \
                 digits; crownhead worker of this version names them so"
            )),
        }
    }

    /// Accepts the bytes of the object.
    ///
    /// # Errors
    /// The reason for rejecting them.
    pub fn check(&self, bytes: &[u8]) -> Result<(), String> {
        let found = xxhash_rust::xxh3::xxh3_128(bytes);
        if bytes.len() > self.max_bytes {
            Err(format!("it may have at most {} bytes", self.max_bytes))
        } else if self.hash.is_some_and(|hash| hash != found) {
            Err("its bytes do not match its name".to_owned())
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volunteers_write_what_is_theirs() {
        let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(b"games"));
        let games = |machine: &str| format!("{GAMES}/000001/000002.{hash}.{machine}.seg");
        let may = |name: &str, bytes: &[u8]| {
            Upload::new("ada", name).is_ok_and(|upload| upload.check(bytes).is_ok())
        };
        assert!(may(&games("ada.laptop-1"), b"games"));
        assert!(may(&format!("{CLAIMS}/000001/000002.ada.laptop-1"), b""));
        assert!(may(&format!("{WORKERS}/ada.laptop-1.json"), b"{}"));
        for (name, bytes) in [
            (games("ada.laptop-1"), &b"other"[..]),
            (games("adam.laptop"), b"games"),
            (games("trainer"), b"games"),
            (games("ada../x"), b"games"),
            (format!("{CLAIMS}/000001/000002.ada.laptop-1"), b"much"),
            (format!("{CLAIMS}/../000002.ada.laptop-1"), b""),
            (format!("{WORKERS}/bob.laptop.json"), b"{}"),
            (
                format!("{WORKERS}/ada.laptop.json"),
                &[0; MAX_STATUS_BYTES + 1],
            ),
            ("fleet/protocol.json".to_owned(), b"{}"),
            ("run.toml".to_owned(), b""),
        ] {
            assert!(!may(&name, bytes), "{name}");
        }
    }

    #[test]
    fn volunteers_see_what_is_shared() {
        assert!(may_read("fleet/protocol.json") && may_read("fleet/games/000001-00ff"));
        for name in [
            "",
            "run.toml",
            "fleet/",
            "fleet/../run.toml",
            "/fleet/x",
            "fleet/.x",
            "fleet/a b",
            "fleets/x",
        ] {
            assert!(!may_read(name), "{name}");
        }
    }
}
