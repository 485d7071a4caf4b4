//! The games of a text, valid and invalid.

use std::borrow::Borrow;
use std::io::BufRead;

use super::{PdnError, PdnGame, PdnReader, PlayedGame};
use crate::Variant;

/// The readable part of a game.
#[derive(Debug)]
pub struct ReadGame {
    /// Its number in the text, counted from 0.
    pub index: usize,
    /// Its tags and words.
    pub game: PdnGame,
    /// The variant, if known.
    pub variant: Option<Variant>,
    /// The moves up to the first fault, if the start position is known.
    pub played: Option<PlayedGame>,
    /// The fault that makes the game incomplete, if any.
    pub fault: Option<PdnError>,
}

impl ReadGame {
    fn new(index: usize, game: PdnGame, usual: Option<Variant>) -> ReadGame {
        let mut read = ReadGame {
            index,
            game,
            variant: None,
            played: None,
            fault: None,
        };
        match read.game.variant_or(usual) {
            Ok(variant) => read.play(variant),
            Err(error) => read.fault = Some(error),
        }
        read
    }

    fn play(&mut self, variant: Variant) {
        self.variant = Some(variant);
        self.fault = None;
        match self.game.play(variant) {
            Ok(mut played) => {
                self.fault = played.fault.take();
                self.played = Some(played);
            }
            Err(error) => self.fault = Some(error),
        }
    }

    /// The variants that an ambiguous game fits; none of other games.
    fn ambiguity(&self) -> &[Variant] {
        match &self.fault {
            Some(PdnError::NoVariant { fits, .. }) => fits,
            _ => &[],
        }
    }

    /// True if its tags name no variant, and its moves fit several.
    pub fn is_ambiguous(&self) -> bool {
        !self.ambiguity().is_empty()
    }

    /// Plays it as a game of this variant if it is ambiguous.
    pub fn settle(&mut self, variant: Variant) {
        if self.is_ambiguous() {
            self.play(variant);
        }
    }
}

/// Reads the games of a stream one by one; a fault in one does not affect the others.
pub struct PdnGames<R> {
    reader: PdnReader<R>,
    usual: Option<Variant>,
    n_games: usize,
}

impl<R: BufRead> PdnGames<R> {
    /// Reads from a stream. Games that no tag names are games of `usual`; without it their moves
    /// must determine the variant.
    pub fn new(input: R, usual: Option<Variant>) -> PdnGames<R> {
        PdnGames {
            reader: PdnReader::new(input),
            usual,
            n_games: 0,
        }
    }

    /// The stream.
    pub fn input(&self) -> &R {
        self.reader.input()
    }
}

impl<R: BufRead> Iterator for PdnGames<R> {
    type Item = ReadGame;

    fn next(&mut self) -> Option<ReadGame> {
        let (game, fault) = match self.reader.next()? {
            Ok(game) => (game, None),
            Err(error) => (self.reader.take_broken(), Some(error)),
        };
        let mut read = ReadGame::new(self.n_games, game, self.usual);
        read.fault = fault.or(read.fault);
        self.n_games += 1;
        Some(read)
    }
}

/// The only variant that fits all games that no tag names, if there is one.
pub fn shared_variant(games: impl IntoIterator<Item: Borrow<ReadGame>>) -> Option<Variant> {
    let fits = |read: &ReadGame| match read.ambiguity() {
        [] if read.fault.is_none() && matches!(read.game.stated_variant(), Ok(None)) => {
            read.variant.map(|variant| vec![variant])
        }
        [] => None,
        several => Some(several.to_vec()),
    };
    let games = games.into_iter();
    let shared = games
        .filter_map(|read| fits(read.borrow()))
        .reduce(|mut shared, other| {
            shared.retain(|variant| other.contains(variant));
            shared
        });
    match shared.as_deref() {
        Some([only]) => Some(*only),
        _ => None,
    }
}

/// The games of a text. If games that no tag names fit several variants, they are assigned the only
/// variant that fits all of them, if there is one.
pub fn read_games(text: &str, usual: Option<Variant>) -> Vec<ReadGame> {
    let mut games: Vec<ReadGame> = PdnGames::new(text.as_bytes(), usual).collect();
    if let Some(only) = shared_variant(&games) {
        games.iter_mut().for_each(|read| read.settle(only));
    }
    games
}
