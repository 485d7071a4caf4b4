//! Clients that use too many resources.

use std::io::{self, Read as _};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http::Limits;
use rules::Variant;
use serde_json::json;

use crate::support::{N_REPORTS, TestServer, runs};

/// Short enough for a test.
const SHORT: Duration = Duration::from_millis(100);

fn start(change: impl FnOnce(&mut Limits)) -> TestServer {
    let mut limits = Limits::default();
    change(&mut limits);
    TestServer::with_limits(runs(Variant::ALL[0]), limits)
}

/// The output of the server until it closes the connection. The system may drop a response to a
/// request that was not read completely, but it must not report a timeout.
fn until_closed(server: &TestServer, request: &str) -> String {
    let mut text = String::new();
    let read = server.send(request).read_to_string(&mut text);
    let is_reset = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset;
    assert!(read.as_ref().err().is_none_or(is_reset), "{read:?}");
    text
}

#[test]
fn half_a_request_ends_its_connection() {
    let server = start(|limits| (limits.head, limits.body) = (SHORT, SHORT));
    for request in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: "] {
        assert_eq!(until_closed(&server, request), "", "{request:?}");
    }
    let half = server.post_text("/api/game", &" ".repeat(100));
    let reply = until_closed(&server, &half[..half.len() - 1]);
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    assert!(reply.contains("was not received within 100ms"), "{reply}");
    // A complete request is answered, and its connection ends when no other follows.
    let whole = server.request("GET", "/api/variants", "", "");
    let reply = until_closed(&server, &whole.replace("connection: close\r\n", ""));
    assert!(reply.starts_with("HTTP/1.1 200 "), "{reply}");
}

#[test]
fn heads_are_limited() {
    let server = start(|_| {});
    let reply = |length: usize| {
        let header = |n| format!("x: {}\r\n", "x".repeat(n));
        let request = |n| server.request("GET", "/api/variants", &header(n), "");
        let n = length - request(0).len();
        until_closed(&server, &request(n))
    };
    assert!(reply(32 << 10).starts_with("HTTP/1.1 200 "));
    let reply = reply((32 << 10) + 1);
    assert!(reply.starts_with("HTTP/1.1 431 "), "{reply}");
}

/// Hundreds of connections that begin a request and never end it.
#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    let server = start(|limits| limits.strangers = 4);
    let mut idle: Vec<_> = (0..300).map(|_| server.send("GET ")).collect();
    let begun = Instant::now();
    for _ in 0..6 {
        assert_eq!(server.get("/api/variants").0, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{begun:?}");
    assert_eq!(idle[0].read(&mut [0]).unwrap_or(0), 0, "it had to go");
}

#[test]
fn the_connections_of_a_client_are_limited() {
    let server = start(|limits| limits.per_client = 2);
    let question = json!({"game": {"variant": "english"}, "player": "endless", "seconds": 600});
    let held =
        [(); 2].map(|()| server.send(&server.post_text("/api/think", &question.to_string())));
    let begun = Instant::now();
    let wait_for = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_for(&|| server.at_work.load(Ordering::SeqCst) == 2);
    let (status, head, _) = server.ask(&server.request("GET", "/api/variants", "", ""));
    assert!(
        status == 429 && head.contains("connection: close"),
        "{head}"
    );
    drop(held);
    wait_for(&|| server.get("/api/variants").0 == 200);
}

fn flood(server: &TestServer) -> String {
    let question = json!({"game": {"variant": "english"}, "player": "flood", "seconds": 600});
    server.post_text("/api/think", &question.to_string())
}

fn wait_for_floods(server: &TestServer, n: usize) {
    let start = Instant::now();
    while server.floods.load(Ordering::SeqCst) != n {
        assert!(start.elapsed() < Duration::from_secs(60), "{n}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// At most the system's buffers and a short queue wait for a client.
#[test]
fn events_do_not_pile_up() {
    let server = start(|_| {});
    let mut client = server.send(&flood(&server));
    wait_for_floods(&server, 1);
    let mut reply = String::new();
    client.read_to_string(&mut reply).unwrap();
    let n_infos = reply.matches("event: info").count();
    assert!((1..N_REPORTS / 2).contains(&n_infos), "{n_infos}");
    assert_eq!(reply.matches("event: answer").count(), 1);
}

/// Both searches are over, but no client reads their results.
#[test]
fn clients_that_do_not_read_are_let_go() {
    let server = start(|limits| limits.unread = SHORT);
    let _clients = [flood(&server), flood(&server)].map(|request| server.send(&request));
    wait_for_floods(&server, 2);
    let question = json!({"game": {"variant": "english"}, "player": "first", "seconds": 1});
    let (status, _, body) = server.ask(&server.post_text("/api/think", &question.to_string()));
    assert_eq!(status, 200, "{body}");
}

/// Invalid requests get an error or no response, and the server continues.
#[test]
fn what_is_no_request_is_refused() {
    let server = start(|limits| (limits.head, limits.body) = (SHORT, SHORT));
    let post = "POST /api/game HTTP/1.1\r\ncontent-type: application/json\r\nhost: ";
    let post = format!("{post}{}\r\nconnection: close\r\n", server.host());
    for request in [
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000)),
        format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200)),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        format!("{post}content-length: -1\r\n\r\n{{}}"),
        format!("{post}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}"),
        format!("{post}content-length: 99999999999999999999\r\n\r\n{{}}"),
        format!("{post}content-length: 9999999999\r\n\r\n{{}}"),
        format!("{post}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{{}}"),
        format!("{post}transfer-encoding: chunked\r\n\r\nx\r\n{{}}"),
        format!("{post}transfer-encoding: chunked\r\n\r\n1\r\n{{"),
    ] {
        let reply = until_closed(&server, &request);
        let status = reply.split(' ').nth(1).unwrap_or("400");
        assert!(status.starts_with('4'), "{request:.200}: {reply}");
    }
    assert_eq!(server.get("/api/variants").0, 200);
}
