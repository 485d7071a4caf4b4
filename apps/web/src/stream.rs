//! Server-sent events from a queue.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use serde::Serialize;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Maximum number of events waiting for their client.
const MAX_WAITING: usize = 16;

/// Events until the sender is dropped. `guard` is dropped at the end, including when the client
/// disconnects.
pub(crate) struct Events<G> {
    queue: Receiver<Event>,
    _guard: G,
}

impl<G: Unpin> Stream for Events<G> {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.queue.poll_recv(cx).map(|event| event.map(Ok))
    }
}

/// A stream of server-sent events.
pub(crate) type EventStream<G> = Sse<axum::response::sse::KeepAliveStream<Events<G>>>;

/// A queue of events. It is short: when it is full, further events must wait or can be skipped.
pub(crate) fn queue() -> (Sender<Event>, Receiver<Event>) {
    mpsc::channel(MAX_WAITING)
}

/// The reply that streams a queue.
pub(crate) fn events<G: Unpin + Send + 'static>(
    queue: Receiver<Event>,
    guard: G,
) -> EventStream<G> {
    let events = Events {
        queue,
        _guard: guard,
    };
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// One event, with its content as JSON.
pub(crate) fn event(kind: &str, content: &impl Serialize) -> Event {
    // JSON has no raw line breaks, which events must not contain.
    let json = serde_json::to_string(content).unwrap_or_else(|_| "null".to_owned());
    Event::default().event(kind).data(json)
}
