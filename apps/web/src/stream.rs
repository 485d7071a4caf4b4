//! Server-sent events from a queue.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::poll_fn;
use serde::Serialize;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Maximum number of events waiting for their client.
const MAX_WAITING: usize = 16;

/// A queue of events. It is short: when it is full, further events must wait or can be skipped.
pub(crate) fn queue() -> (Sender<Event>, Receiver<Event>) {
    mpsc::channel(MAX_WAITING)
}

/// The reply that streams a queue until the sender is dropped. `guard` is dropped at the end,
/// including when the client disconnects.
pub(crate) fn events(mut queue: Receiver<Event>, guard: impl Send + 'static) -> Response {
    let events = poll_fn(move |cx| {
        let _until_the_end = &guard;
        queue
            .poll_recv(cx)
            .map(|event| event.map(Ok::<_, Infallible>))
    });
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// One event, with its content as JSON.
pub(crate) fn event(kind: &str, content: &impl Serialize) -> Event {
    // JSON has no raw line breaks, which events must not contain.
    let json = serde_json::to_string(content).unwrap_or_else(|_| "null".to_owned());
    Event::default().event(kind).data(json)
}
