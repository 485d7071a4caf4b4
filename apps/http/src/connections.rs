//! Connections, and how much of the server each client may take.
//!
//! A client that has not shown yet that it may use the server is a stranger. Strangers have a few
//! places of their own: when these are taken, the oldest connection of the stranger that has most
//! of them is closed. So however many connections strangers open, clients that are known keep
//! theirs, and a new client has the time that it needs to show who it is.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_io_timeout::TimeoutStream;

/// Maximum size of a request's head in bytes; twice as many are buffered of pipelined requests and
/// unread responses.
const MAX_HEAD: usize = 32 << 10;
/// Time before the next attempt when the system has no connection to give.
const RETRY: Duration = Duration::from_millis(100);

/// Limits for clients. Times are for one client that sends or reads nothing.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open connections of known clients.
    pub connections: usize,
    /// Open connections of one known client.
    pub per_client: usize,
    /// Open connections of strangers; the next one ends another.
    pub strangers: usize,
    /// Time for the head of a request, the wait for it included: idle connections end then.
    pub head: Duration,
    /// Time for the body of a request.
    pub body: Duration,
    /// Time in which a client must read some of its answer.
    pub unread: Duration,
}

impl Default for Limits {
    /// 192 connections and 64 of strangers, 15 s for each part of a request, 60 s for an answer.
    fn default() -> Limits {
        Limits {
            connections: 192,
            per_client: 192,
            strangers: 64,
            head: Duration::from_secs(15),
            body: Duration::from_secs(15),
            unread: Duration::from_secs(60),
        }
    }
}

/// The owners of all connections.
#[derive(Debug, Default)]
struct Book {
    next: u64,
    /// By number, the oldest first.
    strangers: BTreeMap<u64, Stranger>,
    /// The clients by number.
    known: BTreeMap<u64, String>,
}

#[derive(Debug)]
struct Stranger {
    address: IpAddr,
    /// Told when it has to go.
    leave: Arc<Notify>,
}

impl Book {
    /// Ends the oldest connection of the stranger that has most.
    fn make_room(&mut self) {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for stranger in self.strangers.values() {
            *counts.entry(stranger.address).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        let mut all = self.strangers.iter();
        let oldest = all.find(|(_, stranger)| Some(stranger.address) == most.map(|most| most.0));
        if let Some(stranger) = oldest.map(|(&number, _)| number)
            && let Some(stranger) = self.strangers.remove(&stranger)
        {
            stranger.leave.notify_one();
        }
    }
}

/// The place of a connection. It is given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    book: Arc<Mutex<Book>>,
    limits: Limits,
    number: u64,
    leave: Arc<Notify>,
}

impl Place {
    fn new(book: &Arc<Mutex<Book>>, limits: Limits, address: IpAddr) -> Place {
        let leave = Arc::new(Notify::new());
        let mut open = lock(book);
        if open.strangers.len() >= limits.strangers {
            open.make_room();
        }
        let number = open.next;
        open.next += 1;
        let stranger = Stranger {
            address,
            leave: Arc::clone(&leave),
        };
        open.strangers.insert(number, stranger);
        Place {
            book: Arc::clone(book),
            limits,
            number,
            leave,
        }
    }

    /// Makes the connection one of a known client. Returns `false` if the client, or all together,
    /// have too many.
    pub fn admit(&self, client: &str) -> bool {
        let mut book = lock(&self.book);
        if book.known.contains_key(&self.number) {
            return true;
        }
        let own = book.known.values().filter(|known| *known == client);
        if own.count() >= self.limits.per_client || book.known.len() >= self.limits.connections {
            return false;
        }
        book.strangers.remove(&self.number);
        book.known.insert(self.number, client.to_owned());
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut book = lock(&self.book);
        book.strangers.remove(&self.number);
        book.known.remove(&self.number);
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers all connections, without end.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits) {
    let book = Arc::<Mutex<Book>>::default();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(MAX_HEAD)
        .max_buf_size(2 * MAX_HEAD);
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            tokio::time::sleep(RETRY).await;
            continue;
        };
        let place = Arc::new(Place::new(&book, limits, address.ip()));
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.unread));
        let router = router.clone().layer(Extension(Arc::clone(&place)));
        let service = TowerToHyperService::new(router);
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        tokio::spawn(async move {
            tokio::select! {
                // What fails here is the client's affair.
                _ = connection => {}
                () = place.leave.notified() => {}
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses() -> [IpAddr; 2] {
        [[10, 0, 0, 1], [10, 0, 0, 2]].map(IpAddr::from)
    }

    /// Tells whether a stranger has to go.
    fn has_to_go(place: &Place) -> bool {
        !lock(&place.book).strangers.contains_key(&place.number)
    }

    #[test]
    fn the_oldest_of_the_greediest_stranger_gives_way() {
        let book = Arc::default();
        let limits = Limits {
            strangers: 3,
            ..Limits::default()
        };
        let [one, other] = addresses();
        let first = Place::new(&book, limits, other);
        let greedy = [0; 2].map(|_| Place::new(&book, limits, one));
        let next = Place::new(&book, limits, one);
        assert!(has_to_go(&greedy[0]) && !has_to_go(&greedy[1]));
        assert!(!has_to_go(&first) && !has_to_go(&next));
        drop(next);
        let _again = Place::new(&book, limits, one);
        assert!(!has_to_go(&greedy[1]), "there was room");
    }

    #[test]
    fn known_clients_keep_their_places_and_have_so_many() {
        let book = Arc::default();
        let limits = Limits {
            connections: 3,
            per_client: 2,
            strangers: 1,
            ..Limits::default()
        };
        let [one, _] = addresses();
        let place = || Place::new(&book, limits, one);
        let ada = [place(), place()].map(|place| {
            assert!(place.admit("ada"));
            assert!(place.admit("ada"));
            place
        });
        assert!(!place().admit("ada"), "two at most");
        let bob = place();
        assert!(bob.admit("bob"));
        assert!(!place().admit("eve"), "three at most");
        let strangers = [place(), place()];
        assert!(has_to_go(&strangers[0]) && !has_to_go(&strangers[1]));
        assert_eq!(lock(&book).known.len(), 3);
        drop(ada);
        assert!(strangers[1].admit("eve"));
        drop((bob, strangers));
        assert!(lock(&book).known.is_empty() && lock(&book).strangers.is_empty());
    }
}
