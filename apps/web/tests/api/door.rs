//! A server for the network: access control.

use std::sync::{Arc, Mutex};

use rules::Variant;
use web::Lan;

use crate::support::{TestServer, runs};

/// A server that others can reach, and the addresses it has announced.
fn start() -> (TestServer, Arc<Mutex<Vec<String>>>) {
    let links = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&links);
    let lan = Lan {
        address: [127, 0, 0, 1].into(),
        is_only: true,
        on_link: Box::new(move |link| heard.lock().unwrap().push(link.to_owned())),
    };
    (
        TestServer::start_for(runs(Variant::ALL[0]), http::Limits::default(), Some(lan)),
        links,
    )
}

/// The path in the newest address.
fn path(server: &TestServer, links: &Mutex<Vec<String>>) -> String {
    let link = links.lock().unwrap().last().unwrap().clone();
    let host = format!("http://{}", server.host());
    link.strip_prefix(&host).unwrap().to_owned()
}

#[test]
fn nothing_is_served_without_a_token() {
    let (server, links) = start();
    let token = path(&server, &links);
    let wrong = token.replace(&token[token.len() - 4..], "xxxx");
    for path in ["/", "/assets/main.js", "/nowhere", "/?token=", &wrong] {
        let (status, head, body) = server.ask(&server.request("GET", path, "", ""));
        assert_eq!(status, 401, "{path}");
        assert!(head.contains("default-src 'none'") && !head.contains("set-cookie"));
        assert!(body.contains("terminal where <code>crownhead serve</code> runs"));
    }
    let (status, answer) = server.get("/api/variants");
    assert_eq!(status, 401);
    assert!(answer["error"].as_str().unwrap().contains("printed last"));
    let (status, ..) = server.ask(&server.request("POST", &token, "", ""));
    assert_eq!(status, 401, "only a visit uses a token");
    assert_eq!(links.lock().unwrap().len(), 1);
}

#[test]
fn a_token_lets_one_browser_in() {
    let (server, links) = start();
    let ask = |path: &str, headers: &str| server.ask(&server.request("GET", path, headers, ""));
    let first = path(&server, &links);
    let (status, head, body) = ask(&first, "");
    assert_eq!(status, 200);
    assert!(body.contains("url=/"), "{body}");
    let (_, cookie) = head.split_once("set-cookie: ").unwrap();
    let (cookie, _) = cookie.split_once("\r\n").unwrap();
    let (pair, attributes) = cookie.split_once(';').unwrap();
    assert!(attributes.contains("httponly") && attributes.contains("samesite=strict"));

    let headers = format!("cookie: other=1; {pair}\r\n");
    for path in ["/", "/assets/main.js", "/api/variants"] {
        assert_eq!(ask(path, &headers).0, 200, "{path}");
    }
    let other = ask("/", &format!("cookie: {pair}0\r\n")).0;
    assert_eq!(other, 401, "not the key");
    let foreign = format!("{headers}origin: http://evil.example\r\n");
    assert_eq!(ask("/api/variants", &foreign).0, 403);

    assert_eq!(ask(&first, "").0, 401, "it was used");
    let second = path(&server, &links);
    assert_ne!(first, second);
    assert_eq!(ask(&second, "").0, 200);
}
