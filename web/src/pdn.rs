//! Games from PDN and to PDN.

use axum::Json;
use rules::pdn::{PdnReader, PdnRecord, PdnResult};
use rules::{Color, Game, Outcome, WinReason};
use serde::{Deserialize, Serialize};

use crate::game::{GameText, GameView, variant};
use crate::reply::{Answer, Body, Problem};

/// A text with games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PdnText {
    text: String,
    /// The game that is meant where no tag says it.
    variant: String,
}

/// The first game of a text.
#[derive(Serialize)]
pub(crate) struct PdnGameView {
    game: GameView,
    tags: Vec<(String, String)>,
    result: &'static str,
}

/// `POST /api/pdn/read`.
pub(crate) async fn read(Body(body): Body<PdnText>) -> Answer<PdnGameView> {
    let other = variant(&body.variant)?;
    let bad = |error: rules::pdn::PdnError| Problem::bad(format!("cannot read the PDN: {error}"));
    let game = PdnReader::new(body.text.as_bytes())
        .next()
        .ok_or_else(|| Problem::bad("there is no game in the PDN: paste tags or moves"))?
        .map_err(bad)?;
    let (start, moves) = game.replay(game.variant().unwrap_or(other)).map_err(bad)?;
    let mut played = Game::new(start);
    moves.into_iter().for_each(|mv| played.play(mv));
    let result = match game.result() {
        PdnResult::Won(Color::White) => "white",
        PdnResult::Won(Color::Black) => "black",
        PdnResult::Drawn => "draw",
        PdnResult::Open => "ongoing",
    };
    Ok(Json(PdnGameView {
        game: GameView::new(&played),
        tags: game.tags,
        result,
    }))
}

/// A game to be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PdnOrder {
    game: GameText,
    white: String,
    black: String,
    /// The side that won by a forfeit, such as resigning.
    #[serde(default)]
    forfeit_winner: Option<String>,
}

/// A text.
#[derive(Serialize)]
pub(crate) struct Text {
    text: String,
}

/// `POST /api/pdn/write`.
pub(crate) async fn write(Body(order): Body<PdnOrder>) -> Answer<Text> {
    let game = order.game.replay()?;
    let forfeit = match order.forfeit_winner.as_deref() {
        None => None,
        Some("white") => Some(Outcome::Win(Color::White, WinReason::Forfeit)),
        Some("black") => Some(Outcome::Win(Color::Black, WinReason::Forfeit)),
        Some(other) => {
            return Err(Problem::bad(format!(
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
    Ok(Json(Text {
        text: record.to_string(),
    }))
}
