//! Games from PDN and to PDN.

use rules::pdn::{PdnError, PdnGame, PdnReader, PdnRecord, PdnResult};
use rules::{Color, Game, Outcome, Variant, WinReason};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::game::{GameText, GameView, variant};

/// A text with games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdnText {
    text: String,
    /// The game that is meant where no tag says it.
    variant: String,
    /// Which of the games, counted from 0; the first that can be read if it is left out.
    #[serde(default)]
    game: Option<usize>,
}

/// A game of a text, and what else there is.
#[derive(Serialize)]
pub struct PdnGameView {
    game: GameView,
    tags: Vec<(String, String)>,
    result: &'static str,
    /// Which of the games it is, counted from 0.
    index: usize,
    /// All games of the text.
    games: Vec<PdnLine>,
}

/// A game in a list.
#[derive(Serialize)]
struct PdnLine {
    white: Option<String>,
    black: Option<String>,
    result: &'static str,
    /// Why it cannot be read, if it cannot.
    error: Option<String>,
}

/// A game of a text, and how it was played.
type Read = Result<(PdnGame, Game), PdnError>;

/// One of the games of a text.
///
/// # Errors
/// When there is no such game, or it cannot be read.
pub fn read_pdn(body: &PdnText) -> Result<PdnGameView, Refusal> {
    let other = variant(&body.variant)?;
    let mut games: Vec<Read> = PdnReader::new(body.text.as_bytes())
        .map(|game| replay(game?, other))
        .collect();
    let lines: Vec<PdnLine> = games.iter().map(PdnLine::new).collect();
    let readable = || games.iter().position(Result::is_ok).unwrap_or_default();
    let index = body.game.unwrap_or_else(readable);
    if index >= games.len() {
        return Err(Refusal::from(match games.len() {
            0 => "there is no game in the PDN: paste tags or moves".to_owned(),
            n => format!("there is no game {} in the PDN: it has {n}", index + 1),
        }));
    }
    let (game, played) = games
        .swap_remove(index)
        .map_err(|error| Refusal::from(format!("cannot read the PDN: {error}")))?;
    Ok(PdnGameView {
        game: GameView::new(&played),
        result: result(&game),
        tags: game.tags,
        index,
        games: lines,
    })
}

/// Plays a game, whose variant may not be said.
fn replay(game: PdnGame, other: Variant) -> Read {
    let (start, moves) = game.replay(game.variant().unwrap_or(other))?;
    let mut played = Game::new(start);
    moves.into_iter().for_each(|mv| played.play(mv));
    Ok((game, played))
}

impl PdnLine {
    fn new(read: &Read) -> PdnLine {
        let game = read.as_ref().ok().map(|(game, _)| game);
        let tag = |name| game?.tag(name).map(str::to_owned);
        PdnLine {
            white: tag("White"),
            black: tag("Black"),
            result: game.map_or("ongoing", result),
            error: read.as_ref().err().map(ToString::to_string),
        }
    }
}

fn result(game: &PdnGame) -> &'static str {
    match game.result() {
        PdnResult::Won(Color::White) => "white",
        PdnResult::Won(Color::Black) => "black",
        PdnResult::Drawn => "draw",
        PdnResult::Open => "ongoing",
    }
}

/// A game to be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdnOrder {
    game: GameText,
    white: String,
    black: String,
    /// The side that won by a forfeit, such as resigning.
    #[serde(default)]
    forfeit_winner: Option<String>,
}

/// A text.
#[derive(Serialize)]
pub struct WrittenPdn {
    text: String,
}

/// A game as PDN.
///
/// # Errors
/// When the game or the winner is wrong.
pub fn write_pdn(order: &PdnOrder) -> Result<WrittenPdn, Refusal> {
    let game = order.game.replay()?;
    let forfeit = match order.forfeit_winner.as_deref() {
        None => None,
        Some("white") => Some(Outcome::Win(Color::White, WinReason::Forfeit)),
        Some("black") => Some(Outcome::Win(Color::Black, WinReason::Forfeit)),
        Some(other) => {
            return Err(Refusal::from(format!(
                "forfeit_winner is {other:?}: write white or black"
            )));
        }
    };
    let record = PdnRecord {
        tags: &[("White", &order.white), ("Black", &order.black)],
        start: game.start(),
        moves: game.moves(),
        comments: &[],
        outcome: game.outcome().or(forfeit),
    };
    Ok(WrittenPdn {
        text: record.to_string(),
    })
}
