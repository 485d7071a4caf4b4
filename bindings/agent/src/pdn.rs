//! Reads the games of PDN, good and bad.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use encoding::{TextEncoding, TextReader};
use rules::pdn::{PdnError, PdnGames, PdnResult, PlayedGame, ReadGame, shared_variant};
use rules::{Game, Outcome, Variant, WinReason, status};
use serde::{Serialize, Serializer};

use crate::Error;

/// A game of a text, with all that the text says about it.
#[derive(Serialize)]
pub struct GameInText {
    /// The game, if its start position is known: of one with a fault, the moves before it.
    #[serde(skip)]
    pub game: Option<Game>,
    /// Its number in the text, from 1.
    pub number: usize,
    /// Its first line, from 1.
    pub line: usize,
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// `white`, `black` or `draw`, or `ongoing` if the text does not say who won.
    pub result: &'static str,
    /// The comment before the first move.
    pub comment: String,
    /// [move of `game`] the comments after it.
    pub comments: Vec<String>,
    /// [move of `game`] a mark such as `!?`, or empty.
    pub glyphs: Vec<String>,
    /// [move of `game`] the commands in its comments, such as `clk` with a time.
    pub data: Vec<Vec<(String, String)>>,
    /// All moves as the text has them, including those after a fault.
    pub written: Vec<String>,
    /// The fault in it.
    #[serde(rename = "error", serialize_with = "fault_to_json")]
    pub fault: Option<PdnError>,
}

/// A fault as JSON: its line, and the message, which says how to fix it.
fn fault_to_json<S: Serializer>(
    fault: &Option<PdnError>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fault {
        line: usize,
        message: String,
    }
    let fault = fault.as_ref().map(|fault| Fault {
        line: fault.line(),
        message: fault.to_string(),
    });
    fault.serialize(serializer)
}

impl From<ReadGame> for GameInText {
    fn from(read: ReadGame) -> GameInText {
        let result = match read.game.result() {
            PdnResult::Won(color) => status(Some(Outcome::Win(color, WinReason::Forfeit))),
            PdnResult::Drawn => "draw",
            PdnResult::Open => "ongoing",
        };
        let (words, played) = (read.game, read.played);
        let written = words.moves.iter().map(|mv| mv.text.clone()).collect();
        let range = |played: &PlayedGame| (played.first, played.moves.len());
        let (first, n_moves) = played.as_ref().map_or((0, 0), range);
        let moves = words.moves.into_iter().skip(first).take(n_moves);
        let (comments, glyphs, data) = moves.map(|mv| (mv.comment, mv.glyph, mv.data)).collect();
        GameInText {
            game: played.map(|played| {
                let mut game = Game::new(played.start);
                played.moves.into_iter().for_each(|mv| game.play(mv));
                game
            }),
            number: read.index + 1,
            line: words.line,
            tags: words.tags,
            result,
            comment: words.comment,
            comments,
            glyphs,
            data,
            written,
            fault: read.fault,
        }
    }
}

impl GameInText {
    /// The whole game.
    ///
    /// # Errors
    /// The fault in it.
    pub fn whole(self) -> Result<Game, Error> {
        match (self.fault, self.game) {
            (None, Some(game)) => Ok(game),
            (Some(fault), _) => Err(fault.into()),
            (None, None) => Err(Error::Pdn(PdnError::NoVariant {
                line: self.line,
                fits: Vec::new(),
            })),
        }
    }
}

/// The games of a PDN text, good and bad. Those without a tag that names one are games of `usual`;
/// without it their moves must tell.
pub fn read_pdn_games(text: &str, usual: Option<Variant>) -> Vec<GameInText> {
    let games = rules::pdn::read_games(text, usual).into_iter();
    games.map(GameInText::from).collect()
}

/// [`read_pdn_games`] for texts without faults.
///
/// # Errors
/// The first error, with its line.
pub fn read_pdn(text: &str, usual: Option<Variant>) -> Result<Vec<Game>, Error> {
    let games = read_pdn_games(text, usual).into_iter();
    games.map(GameInText::whole).collect()
}

/// The games of a file or of bytes, good and bad, one by one in any encoding. Only one of them is
/// in memory at a time.
pub struct PdnStream {
    source: PdnSource,
    stated: Option<TextEncoding>,
    games: Games,
    /// The variant of ambiguous games, once one was met.
    shared: Option<Option<Variant>>,
}

type Games = PdnGames<TextReader<Box<dyn Read + Send + Sync>>>;

/// The text of a [`PdnStream`], which can be read twice.
pub enum PdnSource {
    /// The bytes of it.
    Bytes(Arc<[u8]>),
    /// The file that has it.
    File(PathBuf),
}

impl PdnSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send + Sync>> {
        Ok(match self {
            PdnSource::Bytes(bytes) => Box::new(io::Cursor::new(Arc::clone(bytes))),
            PdnSource::File(path) => {
                Box::new(types::open_file(path, OpenOptions::new().read(true))?)
            }
        })
    }
}

impl PdnStream {
    /// Opens a text. Games that no tag names are games of `usual`; without it their moves must
    /// tell. The encoding is guessed unless it is stated.
    ///
    /// # Errors
    /// If it is a path, but not of a file, or the file cannot be opened. Bytes can be read.
    pub fn open(
        source: PdnSource,
        usual: Option<Variant>,
        stated: Option<TextEncoding>,
    ) -> io::Result<PdnStream> {
        Ok(PdnStream {
            games: PdnGames::new(TextReader::new(source.open()?, stated), usual),
            source,
            stated,
            shared: None,
        })
    }

    /// The encoding of the part read so far.
    pub fn encoding(&self) -> TextEncoding {
        self.games.input().encoding()
    }

    /// True if some line read so far is not UTF-8, so that its encoding was guessed.
    pub fn is_guessed(&self) -> bool {
        self.games.input().notice().is_some()
    }

    /// The only variant that fits all ambiguous games, which takes a second pass over all of them.
    fn shared_variant(&self) -> Option<Variant> {
        let input = TextReader::new(self.source.open().ok()?, self.stated);
        shared_variant(PdnGames::new(input, None))
    }
}

impl Iterator for PdnStream {
    type Item = GameInText;

    fn next(&mut self) -> Option<GameInText> {
        let mut read = self.games.next()?;
        if read.is_ambiguous() {
            let shared = match self.shared {
                Some(known) => known,
                None => *self.shared.insert(self.shared_variant()),
            };
            if let Some(variant) = shared {
                read.settle(variant);
            }
        }
        Some(read.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[White \"Петров\"]\n[GameType \"21\"]\n{begin} 1. 11-15! {good} 23-19 \
        {[%clk 0:01]} 1-0\n\n[GameType \"21\"]\n1. 11-15 {kept} 1-2 {lost} 8-11 *\n\n\
        [GameType \"1\"]\n1. 1-2 *\n\n[GameType \"20\"]\n1. 32-28 *\n";

    fn of(bytes: &[u8]) -> PdnStream {
        PdnStream::open(PdnSource::Bytes(bytes.into()), None, None).unwrap()
    }

    #[test]
    fn a_stream_has_all_games_and_what_is_wrong_with_them() {
        let games: Vec<GameInText> = of(TEXT.as_bytes()).collect();
        assert_eq!(games.len(), 4);
        let numbers = |number: usize| (games[number].number, games[number].line);
        assert_eq!([0, 1, 2, 3].map(numbers), [(1, 1), (2, 5), (3, 8), (4, 11)]);
        let [first, second, third, fourth] = &games[..] else {
            panic!("four games");
        };
        assert_eq!((first.result, first.comment.as_str()), ("black", "begin"));
        assert_eq!(
            (&first.comments[..], &first.glyphs[0][..]),
            (&["good".to_owned(), String::new()][..], "!")
        );
        assert_eq!(first.data[1], [("clk".to_owned(), "0:01".to_owned())]);
        assert!(first.fault.is_none() && fourth.fault.is_none());
        assert_eq!(second.game.as_ref().unwrap().plies(), 1);
        assert_eq!(
            (&second.comments[..], second.written.len()),
            (&["kept".to_owned()][..], 3)
        );
        assert_eq!(second.fault.as_ref().unwrap().line(), 6);
        assert!(third.game.is_none() && third.written == ["1-2"]);
        let json = serde_json::to_value(second).unwrap();
        assert_eq!(
            (&json["error"]["line"], &json["comments"][0]),
            (&6.into(), &"kept".into())
        );
        assert!(
            json["error"]["message"].as_str().unwrap().contains("ply 2"),
            "{json}"
        );
    }

    #[test]
    fn a_stream_is_read_as_a_text_is() {
        let untold = "1. 11-15 *\n\n1. 9-13 21-17 *\n\n1. 11-16 24-20 16x23 *\n";
        let only = "1. 12-16 24-20 2. 8-12 *\n\n[GameType \"21\"] 1. 11-15 *\n";
        for text in [TEXT, untold, only, "", "1. 11-15"] {
            for usual in [None, Some(Variant::ALL[0])] {
                let source = PdnSource::Bytes(text.as_bytes().into());
                let stream = PdnStream::open(source, usual, None).unwrap();
                let read = read_pdn_games(text, usual);
                let json = |games: Vec<GameInText>| serde_json::to_string(&games).unwrap();
                assert_eq!(json(stream.collect()), json(read), "{text}");
            }
        }
    }

    #[test]
    fn a_file_of_any_encoding_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        let in_1251 = |c: char| match u8::try_from(c) {
            Ok(byte) => byte,
            Err(_) => (u32::from(c) - 0x350) as u8,
        };
        let russian: Vec<u8> = TEXT.chars().map(in_1251).collect();
        std::fs::write(&path, &russian).unwrap();
        let mut stream = PdnStream::open(PdnSource::File(path.clone()), None, None).unwrap();
        assert_eq!(stream.next().unwrap().tags[0].1, "Петров");
        assert!(stream.is_guessed());
        assert_eq!(stream.encoding().name(), "windows-1251");
        let mut stated = PdnStream::open(
            PdnSource::File(path),
            None,
            Some("windows-1251".parse().unwrap()),
        )
        .unwrap();
        assert_eq!(stated.next().unwrap().tags[0].1, "Петров");
        assert!(!stated.is_guessed());
        assert!(PdnStream::open(PdnSource::File(folder.path().into()), None, None).is_err());
        assert!(PdnStream::open(PdnSource::File(folder.path().join("none")), None, None).is_err());
    }
}
