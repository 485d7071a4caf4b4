//! Games from PDN and to PDN.

use rules::pdn::{PdnError, PdnGame, PdnMove, PdnPly, PdnReader, PdnResult, PdnTree};
use rules::{Color, DrawReason, Game, Outcome, Position, Variant, WinReason};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::game::{GameText, GameView, variant};

/// A text with games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdnText {
    text: String,
    /// The game to assume if no tag names it.
    variant: String,
    /// Index of the game, from 0; by default the first readable one.
    #[serde(default)]
    game: Option<usize>,
}

/// A game of a text, and a list of the others.
#[derive(Serialize)]
pub struct PdnGameView {
    game: GameView,
    /// The comment before the first move.
    comment: String,
    /// The main line with its variations.
    line: Vec<PlyText>,
    tags: Vec<(String, String)>,
    result: &'static str,
    /// Index of the game, from 0.
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
    /// The error, if it cannot be read.
    error: Option<String>,
}

/// A move with its comments and alternatives.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyText {
    #[serde(rename = "move")]
    notation: String,
    /// A glyph such as `!`, or empty.
    #[serde(default)]
    glyph: String,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    variations: Vec<Vec<PlyText>>,
}

/// A game of a text, as read and replayed.
type Read = Result<(PdnGame, Game), PdnError>;

/// One of the games of a text.
///
/// # Errors
/// If there is no such game, or it cannot be read.
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
        line: line_text(&game.moves, *played.start()),
        comment: game.comment.clone(),
        result: result(&game),
        tags: game.tags,
        index,
        games: lines,
    })
}

/// A line from a position. A variation is kept as far as it is legal; the rest becomes a comment.
fn line_text(moves: &[PdnMove], mut position: Position) -> Vec<PlyText> {
    let mut line: Vec<PlyText> = Vec::new();
    for (at, ply) in moves.iter().enumerate() {
        let Ok(mv) = position.parse_move(&ply.text) else {
            let words = moves[at..].iter().map(|ply| ply.text.as_str());
            let words: Vec<&str> = words.collect();
            if let Some(last) = line.last_mut() {
                last.comment = format!("{} {}", last.comment, words.join(" "));
            }
            break;
        };
        let variations = ply.variations.iter();
        line.push(PlyText {
            notation: position.move_text(mv),
            glyph: ply.glyph.clone(),
            comment: ply.comment.clone(),
            variations: variations
                .map(|line| line_text(line, position))
                .filter(|line| !line.is_empty())
                .collect(),
        });
        position = position.play(mv);
    }
    line
}

/// The moves of a line from a position.
fn line_moves(line: &[PlyText], mut position: Position) -> Result<Vec<PdnPly>, Refusal> {
    let mut plies = Vec::with_capacity(line.len());
    for ply in line {
        let mv = position
            .parse_move(&ply.notation)
            .map_err(|error| Refusal::from(error.to_string()))?;
        let variations = ply.variations.iter();
        plies.push(PdnPly {
            mv,
            glyph: ply.glyph.clone(),
            comment: ply.comment.clone(),
            variations: variations
                .map(|line| line_moves(line, position))
                .collect::<Result<_, _>>()?,
        });
        position = position.play(mv);
    }
    Ok(plies)
}

/// Replays a game, using `other` if its variant is not given.
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
    variant: String,
    /// The first position; by default the variant's start.
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    comment: String,
    /// The main line with its variations.
    line: Vec<PlyText>,
    #[serde(default)]
    event: Option<String>,
    white: String,
    black: String,
    /// The result by resignation, on time or by agreement.
    #[serde(default)]
    ended: Option<Ended>,
    /// Other tags, such as `Date` and `Round`.
    #[serde(default)]
    tags: Vec<(String, String)>,
}

/// An end that the moves do not show.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    /// `white`, `black` or `draw`.
    status: String,
    /// `resigned`, `time` or `agreed`; empty if nobody has said why.
    reason: String,
}

impl Ended {
    fn is_explained(&self) -> bool {
        !self.reason.is_empty()
    }

    fn outcome(&self) -> Result<Outcome, Refusal> {
        let color = match self.status.as_str() {
            "white" => Color::White,
            "black" => Color::Black,
            "draw" => return Ok(Outcome::Draw(DrawReason::Agreed)),
            other => {
                return Err(Refusal::from(format!(
                    "status is {other:?}: write white, black or draw"
                )));
            }
        };
        Ok(Outcome::Win(
            color,
            match self.reason.as_str() {
                "resigned" => WinReason::Resigned,
                _ => WinReason::Forfeit,
            },
        ))
    }
}

/// A text.
#[derive(Serialize)]
pub struct WrittenPdn {
    text: String,
}

/// A game as PDN.
///
/// # Errors
/// If a move or the end is invalid.
pub fn write_pdn(order: &PdnOrder) -> Result<WrittenPdn, Refusal> {
    let moves = order.line.iter().map(|ply| ply.notation.clone()).collect();
    let text = GameText {
        variant: order.variant.clone(),
        fen: order.fen.clone(),
        moves,
    };
    let game = text.replay()?;
    let stated = order.ended.as_ref().map(Ended::outcome).transpose()?;
    let mut tags = vec![("White", order.white.as_str()), ("Black", &order.black)];
    tags.extend(order.event.as_deref().map(|event| ("Event", event)));
    tags.extend(
        order
            .tags
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    );
    let record = PdnTree {
        tags: &tags,
        start: game.start(),
        comment: &order.comment,
        line: &line_moves(&order.line, *game.start())?,
        outcome: game.outcome().or(stated),
    };
    let text = record.to_string();
    let is_explained =
        game.outcome().is_some() || order.ended.as_ref().is_none_or(Ended::is_explained);
    let lines = text.split_inclusive('\n');
    let text = lines
        .filter(|line| is_explained || !line.starts_with("[Termination "))
        .collect();
    Ok(WrittenPdn { text })
}
