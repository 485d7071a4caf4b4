//! Games: their positions, and PDN.

use axum::Json;
use page::{
    GameText, GameView, PdnGameView, PdnOrder, PdnText, VariantView, WrittenPdn, read_pdn,
    write_pdn,
};

use crate::reply::{ApiResult, Body};

/// `GET /api/variants`.
pub(crate) async fn variants() -> Json<Vec<VariantView>> {
    Json(page::variants())
}

/// `POST /api/game`.
pub(crate) async fn show(Body(text): Body<GameText>) -> ApiResult<GameView> {
    Ok(Json(GameView::new(&text.replay()?)))
}

/// `POST /api/pdn/read`.
pub(crate) async fn read(Body(body): Body<PdnText>) -> ApiResult<PdnGameView> {
    Ok(Json(read_pdn(&body)?))
}

/// `POST /api/pdn/write`.
pub(crate) async fn write(Body(order): Body<PdnOrder>) -> ApiResult<WrittenPdn> {
    Ok(Json(write_pdn(&order)?))
}
