//! Searches with intermediate results. A search ends when it is done or when the client
//! disconnects. Intermediate results are skipped if a client reads too slowly.

use std::sync::Arc;
use std::time::Duration;

use analyst::judge;
use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use engine::{Control, Findings, SearchLimits, Stopper, Task};
use http::ApiError;
use page::{FindingsView, Question, SearchedGame};
use rules::Move;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use types::Seed;

use crate::body::{Body, refused};
use crate::player_pool::Order;
use crate::ponder::{Ponder, Seat};
use crate::state::AppState;
use crate::stream::{event, events, queue};

/// Time that a search waits for a free slot before it is rejected.
const PATIENCE: Duration = Duration::from_secs(3);

/// Stops the search when it is dropped.
struct StopOnDrop(Arc<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// `POST /api/think`.
pub(crate) async fn think(
    State(shared): State<Arc<AppState>>,
    Body(question): Body<Question>,
) -> Result<Response, ApiError> {
    let game = question.game.replay().map_err(refused)?;
    if let Some(outcome) = game.outcome() {
        let reason = outcome.reason();
        return Err(ApiError::bad(format!("the game is over ({reason})")));
    }
    let limits = question.limits().map_err(refused)?;
    let played = question.played(&game).map_err(refused)?;
    let variant = game.position().variant();
    let player = shared
        .players
        .resolve(&shared.runs, variant, &question.player)?;
    // Moves use the game's clock; analysis is unlimited.
    let threads = match question.endless {
        true => shared.max_searches,
        false => 1,
    };
    let order = Order {
        player,
        variant,
        threads,
    };
    let seat = (order, question.seed);
    let permit = permit(&shared, &seat, question.ponder).await?;
    let control = Arc::new(Control::running());
    let guard = StopOnDrop(Arc::clone(&control));
    let (sender, queue) = queue();
    let ponder = question
        .ponder
        .then(|| shared.ponders.begin(seat.clone(), &control));
    let search = AnalysisJob {
        shared,
        seat,
        subject: question.subject(game),
        limits,
        played,
        control,
        sender,
        ponder,
        _permit: permit,
    };
    tokio::task::spawn_blocking(move || search.run());
    Ok(events(queue, guard))
}

/// A permit to run a search. Pondering searches end for the next search of their own seat, give way
/// to all other searches, and wait for none.
async fn permit(
    shared: &AppState,
    seat: &Seat,
    is_ponder: bool,
) -> Result<OwnedSemaphorePermit, ApiError> {
    let is_place_freed = shared.ponders.stop(Some(seat));
    if let Ok(permit) = Arc::clone(&shared.searches).try_acquire_owned() {
        return Ok(permit);
    }
    if !is_place_freed && !is_ponder {
        shared.ponders.stop(None);
    }
    if is_place_freed || !is_ponder {
        let places = Arc::clone(&shared.searches).acquire_owned();
        if let Ok(Ok(permit)) = tokio::time::timeout(PATIENCE, places).await {
            return Ok(permit);
        }
    }
    Err(ApiError::busy(format!(
        "{} searches are already running: stop one, or close another page",
        shared.max_searches
    )))
}

/// One search on its own thread.
struct AnalysisJob {
    shared: Arc<AppState>,
    seat: Seat,
    subject: SearchedGame,
    limits: SearchLimits,
    /// The move that is to be judged.
    played: Option<Move>,
    control: Arc<Control>,
    sender: Sender<Event>,
    /// Present if the search is pondering.
    ponder: Option<Ponder>,
    _permit: OwnedSemaphorePermit,
}

impl AnalysisJob {
    fn run(mut self) {
        let last = match self.analyze() {
            Ok(answer) => event("answer", &answer),
            Err(error) => event("failure", &json!({ "error": error })),
        };
        // Another request may wait for its player.
        drop(self.ponder.take());
        // The receiver is gone if the client has disconnected.
        let _ = self.sender.blocking_send(last);
    }

    fn analyze(&self) -> Result<FindingsView, String> {
        if let Some(outcome) = self.subject.game.outcome() {
            return Ok(FindingsView::over(outcome, &self.subject));
        }
        let (player, seed) = &self.seat;
        if self.ponder.is_none() {
            self.shared.ponders.wait(&self.seat);
        }
        let mut analyzer = self.shared.players.take(player)?;
        let task = Task {
            game: &self.subject.game,
            seed: Seed::new(*seed),
            stopper: Stopper {
                limits: self.limits,
                control: Arc::clone(&self.control),
            },
        };
        let view = |findings: &Findings| {
            FindingsView::new(findings, &self.subject, self.control.elapsed())
        };
        let report = &mut |findings: &Findings| {
            let sent = self.sender.try_send(event("info", &view(findings)));
            if matches!(sent, Err(TrySendError::Closed(_))) {
                self.control.stop();
            }
        };
        let found = match self.played {
            None => analyzer
                .analyze(&task, report)
                .map(|findings| view(&findings)),
            Some(played) => {
                judge(&mut *analyzer, &task, played, report).map(|(judgment, findings)| {
                    view(&findings).with_judgment(&judgment, &self.subject)
                })
            }
        };
        let found = found.map_err(|error| error.to_string())?;
        self.shared.players.put_back(player.clone(), analyzer);
        Ok(found)
    }
}
