//! Rejected requests, and files that are not served.

use std::path::PathBuf;
use std::sync::Arc;

use endgame::Database;
use rules::Variant;
use serde_json::json;

use crate::support::{TestServer, runs};

#[test]
fn the_page_is_strict_about_what_it_loads() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let (status, head, body) = server.ask(&server.request("GET", "/", "", ""));
    assert_eq!(status, 200);
    assert!(head.contains("default-src 'none'") && head.contains("nosniff"));
    for name in body.split('"').filter(|name| name.starts_with("/assets/")) {
        let (status, _, file) = server.ask(&server.request("GET", name, "", ""));
        assert_eq!(status, 200, "{name}");
        assert!(!file.is_empty(), "{name}");
    }
    // The files that make it installable are next to it.
    for (name, kind) in [
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/service-worker.js", "text/javascript"),
    ] {
        let (status, head, _) = server.ask(&server.request("GET", name, "", ""));
        assert!(status == 200 && head.contains(kind), "{name}: {head}");
    }
    assert!(head.contains("manifest-src 'self'"));
    // Every imported module exists, and nothing is loaded from elsewhere.
    let (_, _, main) = server.ask(&server.request("GET", "/assets/main.js", "", ""));
    for line in main.lines().filter(|line| line.starts_with("import ")) {
        let name = line.split("\"./").nth(1).unwrap().trim_end_matches("\";");
        let (status, ..) = server.ask(&server.request("GET", &format!("/assets/{name}"), "", ""));
        assert_eq!(status, 200, "{name}");
    }
}

#[test]
fn strangers_are_turned_away() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let with_host = |host: &str| {
        let text = server.request("GET", "/api/variants", "", "");
        server.ask(&text.replace(&server.host(), host))
    };
    assert_eq!(with_host(&format!("localhost:{}", server.port)).0, 200);
    assert_eq!(with_host("localhost:9000").0, 200, "through a tunnel");
    for host in ["evil.example", "127.0.0.1.evil.example", "evil.example:80"] {
        let (status, _, body) = with_host(host);
        assert_eq!(status, 403, "{host}");
        assert!(body.contains("may not use this server"), "{body}");
    }
    let own = format!("http://{}", server.host());
    for (origin, expected) in [
        (own.as_str(), 200),
        ("http://evil.example", 403),
        ("null", 403),
    ] {
        let headers = format!("origin: {origin}\r\n");
        let (status, ..) = server.ask(&server.request("GET", "/api/variants", &headers, ""));
        assert_eq!(status, expected, "{origin}");
    }
}

#[test]
fn nothing_else_is_served() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    for path in [
        "/etc/passwd",
        "/assets/../../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/",
        "/assets/none.js",
        "/api",
        "/api/runs/..",
        "/api/runs/..%2fsmall",
        "/api/runs/small%2f..",
        "/api/runs/nobody",
        "/api/runs/small/games/7",
        "/api/runs/small/games/1/99",
    ] {
        let (status, answer) = server.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(answer["error"].is_string(), "{path}: {answer}");
    }
    let (status, answer) = server.post("/api/variants", &json!({}));
    assert_eq!(status, 405);
    assert!(answer["error"].is_string());
}

#[test]
fn large_and_odd_requests_are_refused() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let padded = |n: usize| {
        let text = json!({"variant": Variant::ALL[0].name()}).to_string();
        let text = text.clone() + &" ".repeat(n - text.len());
        server.ask(&server.post_text("/api/game", &text))
    };
    assert_eq!(padded(65_536).0, 200);
    let (status, _, error) = padded(65_537);
    assert_eq!(status, 413);
    assert!(error.contains("65536 bytes"), "{error}");
    let (status, ..) = server.ask(&server.request("POST", "/api/game", "", "{}"));
    assert_eq!(status, 415, "a form of another site has no such type");
    let (status, _, body) = server.ask(&server.post_text("/api/game", "{\"variant\": "));
    assert_eq!(status, 400);
    assert!(body.contains("invalid request"), "{body}");
    let unknown = json!({"variant": "english", "color": 1});
    assert!(server.refusal("/api/game", &unknown, 400).contains("color"));
}

#[test]
fn a_port_in_use_is_explained() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let second = std::net::TcpListener::bind(("127.0.0.1", server.port));
    assert!(second.is_err());
    let error = web::bind(web::ServerOptions {
        port: server.port,
        lan: None,
        runs: std::path::PathBuf::new(),
        other_run: None,
        max_searches: 1,
        players: Box::new(Nobody),
        judge: |_| None,
        puzzles: None,
        books: web::Books::default(),
    });
    let message = error.err().unwrap().to_string();
    assert!(message.contains("--port"), "{message}");
}

struct Nobody;

impl web::PlayerCatalog for Nobody {
    fn players(&self, _: Variant) -> Vec<web::PlayerInfo> {
        Vec::new()
    }

    fn analyzer(&self, _: &str, _: Variant, _: usize) -> Result<Box<dyn engine::Analyzer>, String> {
        Err("nobody".to_owned())
    }

    fn endgames(&self, _: Variant, _: &[PathBuf]) -> Option<Arc<Database>> {
        None
    }
}
