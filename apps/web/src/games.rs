//! Games: their positions, and PDN.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::{ApiResult, answer};
use page::{
    GameText, GameView, GamesText, Openings, PdnOrder, PdnReply, PdnText, VariantView, WrittenPdn,
    count_openings, read_pdn, write_pdn,
};

use crate::body::{Body, MAX_PDN_BODY, refused};
use crate::books::BookView;
use crate::state::AppState;

/// Maximum number of positions to search for the distances of a position and its moves: at most
/// half a second.
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
    let game = text.replay().map_err(refused)?;
    let view = GameView::new(&game);
    if !page::is_ending(&game) {
        return Ok(Json(view));
    }
    answer(move || {
        let variant = game.position().variant();
        let database = shared.players.endgames(&shared.runs, variant);
        Ok(match database {
            Some(database) => view.with_truth(&game, &database, DISTANCE_BUDGET),
            None => view,
        })
    })
    .await
}

/// `POST /api/book`.
pub(crate) async fn book(
    State(shared): State<Arc<AppState>>,
    Body(text): Body<GameText>,
) -> ApiResult<Option<BookView>> {
    let game = text.replay().map_err(refused)?;
    Ok(Json(shared.books.view(game.position())))
}

/// `POST /api/openings`.
pub(crate) async fn openings(
    State(shared): State<Arc<AppState>>,
    Body(games): Body<GamesText, MAX_PDN_BODY>,
) -> ApiResult<Openings> {
    let _turn = shared.collections.acquire().await;
    answer(move || count_openings(&games).map_err(refused)).await
}

/// `POST /api/pdn/read`.
pub(crate) async fn read(
    State(shared): State<Arc<AppState>>,
    Body(body): Body<PdnText, MAX_PDN_BODY>,
) -> ApiResult<PdnReply> {
    let _turn = shared.collections.acquire().await;
    answer(move || read_pdn(&body).map_err(refused)).await
}

/// `POST /api/pdn/write`.
pub(crate) async fn write(
    State(shared): State<Arc<AppState>>,
    Body(order): Body<PdnOrder, MAX_PDN_BODY>,
) -> ApiResult<WrittenPdn> {
    let _turn = shared.collections.acquire().await;
    answer(move || write_pdn(&order).map_err(refused)).await
}
