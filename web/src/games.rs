//! Games: their positions, and PDN.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use endgame::{Database, Distances, GameValue, MAX_PIECES};
use page::{
    GameText, GameView, PdnGameView, PdnOrder, PdnText, Truth, VariantView, WrittenPdn, read_pdn,
    write_pdn,
};
use rules::{Game, Position};

use crate::reply::{ApiResult, Body, aside};
use crate::server::AppState;

/// Positions that are looked at for the distances of a position and its moves: half a second at most.
const DISTANCE_BUDGET: usize = 400_000;

/// `GET /api/variants`.
pub(crate) async fn variants() -> Json<Vec<VariantView>> {
    Json(page::variants())
}

/// `POST /api/game`.
pub(crate) async fn show(
    State(shared): State<Arc<AppState>>,
    Body(text): Body<GameText>,
) -> ApiResult<GameView> {
    let game = text.replay()?;
    let view = GameView::new(&game);
    let position = game.position();
    let taken = position
        .legal_moves()
        .iter()
        .map(|mv| mv.captured.count())
        .max();
    let fewest = position.occupied().count() - taken.unwrap_or(0);
    if fewest > MAX_PIECES as u32 || game.outcome().is_some() {
        return Ok(Json(view));
    }
    let view = aside(move || {
        let database = shared.players.endgames(game.position().variant());
        Ok(match database {
            Some(database) => with_truth(view, &game, &database),
            None => view,
        })
    });
    Ok(Json(view.await?))
}

/// A view with what a database knows of it.
fn with_truth(view: GameView, game: &Game, database: &Database) -> GameView {
    let mut distances = Distances::new(database, DISTANCE_BUDGET);
    view.with_truth(game, &mut |position| {
        truth(database, &mut distances, position)
    })
}

fn truth(database: &Database, distances: &mut Distances<'_>, position: &Position) -> Option<Truth> {
    let settled = database.settled(position);
    let winner = match database.probe(position)? {
        GameValue::Draw => return Some(Truth::draw(settled.is_some())),
        GameValue::Win => position.turn(),
        GameValue::Loss => !position.turn(),
    };
    let within = settled.map(|settled| settled.plies);
    Some(Truth::win(winner, distances.plies(position), within))
}

/// `POST /api/pdn/read`.
pub(crate) async fn read(Body(body): Body<PdnText>) -> ApiResult<PdnGameView> {
    Ok(Json(read_pdn(&body)?))
}

/// `POST /api/pdn/write`.
pub(crate) async fn write(Body(order): Body<PdnOrder>) -> ApiResult<WrittenPdn> {
    Ok(Json(write_pdn(&order)?))
}
