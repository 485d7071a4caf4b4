//! Chunks of self-play games.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use store::{Header, Record, pack_games, unpack_games};

use crate::Content;
use crate::assignment::first_difference;

/// Judges the games of a device whose results differ from other devices.
pub trait Judge: fmt::Debug + Send + Sync {
    /// The fault of these games; `None` if rounding on another device explains all differences.
    ///
    /// # Errors
    /// The reason why they cannot be judged.
    fn fault(&self, games: &[Record]) -> Result<Option<String>, String>;
}

/// Games of one generation, as records.
#[derive(Clone, Debug)]
pub struct Records {
    /// The header that all records share.
    pub header: Header,
    /// The judge of the games, if they differ between devices. Otherwise they must be identical.
    pub judge: Option<Arc<dyn Judge>>,
}

impl Content for Records {
    type Item = Record;

    fn pack(&self, games: &[Record]) -> Result<Vec<u8>, String> {
        pack_games(self.header.variant, games).map_err(|error| error.to_string())
    }

    fn unpack(&self, numbers: Range<u32>, bytes: &[u8]) -> Result<Vec<Record>, String> {
        let games = unpack_games(self.header.variant, bytes).map_err(|error| error.to_string())?;
        if games.len() != numbers.len() {
            let (found, expected) = (games.len(), numbers.len());
            return Err(format!("it has {found} games, not {expected}"));
        }
        for (game, number) in games.iter().zip(numbers) {
            let mut expected = self.header.clone();
            expected.id.number = number;
            if game.header != expected {
                let (found, expected) = (game.header.id, expected.id);
                return Err(format!(
                    "its game {found} is not game {expected} of this assignment"
                ));
            }
        }
        Ok(games)
    }

    fn describe(&self, game: &Record) -> String {
        let (id, plies) = (game.header.id, game.plies.len());
        format!("game {id} with {plies} plies, {:?}", game.result)
    }

    fn is_exact(&self) -> bool {
        self.judge.is_none()
    }

    fn difference(&self, found: &[Record], expected: &[Record]) -> Result<Option<String>, String> {
        match &self.judge {
            Some(judge) => judge.fault(found),
            None => Ok(first_difference(self, found, expected)),
        }
    }
}
