//! A game of a run, for replaying.

use std::sync::Arc;

use axum::extract::{Path, State};
use http::{ApiResult, answer};
use page::{GameView, MoveShare, WhiteValue};
use rules::{Color, Game, Position};
use serde::Serialize;
use store::{GameId, Policy8, Record, RecordedSearch};

use crate::snapshot::GameLine;
use crate::state::AppState;

/// Minimum probability of a policy entry to be sent.
const LEAST_SHARE: f32 = 0.01;

/// A game of a run with the search of each position.
#[derive(Serialize)]
pub(crate) struct RecordView {
    game: GameView,
    line: GameLine,
    /// `true` if the generation has another game after it.
    has_next: bool,
    /// [move] the search that chose it.
    searches: Vec<SearchView>,
}

/// The selection of a move.
#[derive(Serialize)]
struct SearchView {
    /// `opening`, `forced`, `fast` or `full`.
    kind: &'static str,
    value: Option<WhiteValue>,
    /// The network's value without search.
    raw_value: Option<WhiteValue>,
    /// The policy target: the likely moves, in canonical order.
    policy: Vec<MoveShare>,
}

/// `GET /api/runs/{run}/games/{generation}/{number}`.
pub(crate) async fn game(
    State(shared): State<Arc<AppState>>,
    Path((name, generation, number)): Path<(String, u32, u32)>,
) -> ApiResult<RecordView> {
    answer(move || {
        let run = shared.runs.find(&name)?;
        let record = |number| shared.runs.record(&run, GameId { generation, number });
        let has_next = record(number.saturating_add(1)).is_ok();
        Ok(RecordView::new(&record(number)?, has_next))
    })
    .await
}

impl RecordView {
    fn new(record: &Record, has_next: bool) -> RecordView {
        let mut game = Game::new(record.start);
        let mut searches = Vec::with_capacity(record.plies.len());
        for ply in &record.plies {
            searches.push(SearchView::new(&ply.search, &game));
            game.play(ply.mv);
        }
        RecordView {
            game: GameView::new(&game),
            line: GameLine::new(record),
            has_next,
            searches,
        }
    }
}

impl SearchView {
    fn new(search: &RecordedSearch, game: &Game) -> SearchView {
        let mover: Color = game.position().turn();
        let view = |value: store::Wdl8| WhiteValue::new(value.probabilities(), mover);
        let (kind, raw_value, policy) = match search {
            RecordedSearch::Opening => ("opening", None, None),
            RecordedSearch::Forced { .. } => ("forced", None, None),
            RecordedSearch::Fast { .. } => ("fast", None, None),
            RecordedSearch::Full {
                raw_value, policy, ..
            } => ("full", Some(*raw_value), Some(policy)),
        };
        SearchView {
            kind,
            value: search.value().map(view),
            raw_value: raw_value.map(view),
            policy: policy.map_or_else(Vec::new, |policy| shares(policy, game.position())),
        }
    }
}

/// The moves with at least [`LEAST_SHARE`] in a policy.
fn shares(policy: &Policy8, position: &Position) -> Vec<MoveShare> {
    let mut legal = position.legal_moves();
    legal.sort_canonical();
    MoveShare::of(position, &legal, &policy.probabilities(), LEAST_SHARE)
}
