//! Access to a server that others in the network can reach. An address with a token works once; the
//! browser that used it gets a cookie, and the next browser needs the next address.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use http::{ApiError, Place, ServerError, closing, secret, too_many};

/// Settings of a server that other machines can reach.
pub struct Lan {
    /// This machine's address for others.
    pub address: IpAddr,
    /// `true` to listen at this address alone, `false` at all addresses of this machine.
    pub is_only: bool,
    /// Called with the next address that opens the page, at the start and whenever one was used.
    pub on_link: Box<dyn Fn(&str) + Send + Sync>,
}

/// This machine's address in its network: the source address of packets to the internet. Sends
/// nothing.
///
/// # Errors
/// If this machine is in no network.
pub fn lan_address() -> io::Result<IpAddr> {
    // An address for documentation (RFC 5737), behind the default route.
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect("192.0.2.1:9")?;
    Ok(socket.local_addr()?.ip())
}

/// A secret for the browsers that were let in.
struct Secret(String);

impl Secret {
    fn new() -> io::Result<Secret> {
        secret().map(Secret)
    }

    /// Compares a text with the secret in constant time.
    fn is(&self, text: &str) -> bool {
        let differing = self
            .0
            .bytes()
            .zip(text.bytes())
            .fold(0, |sum, (a, b)| sum | (a ^ b));
        self.0.len() == text.len() && differing == 0
    }
}

/// Access control of a server that others can reach.
pub(crate) struct Door {
    lan: Lan,
    port: u16,
    /// The value of the cookie.
    key: Secret,
    /// The token in the next address.
    token: Mutex<Secret>,
}

/// The access control, if there is one.
pub(crate) type Entrance = Option<Arc<Door>>;

impl Door {
    /// Announces its first address.
    pub(crate) fn new(lan: Lan, port: u16) -> Result<Door, ServerError> {
        let door = Door {
            lan,
            port,
            key: Secret::new()?,
            token: Mutex::new(Secret::new()?),
        };
        (door.lan.on_link)(&door.link());
        Ok(door)
    }

    fn link(&self) -> String {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let host = SocketAddr::new(self.lan.address, self.port);
        format!("http://{host}/?token={}", token.0)
    }

    /// Name of the cookie; cookies of all ports of a machine are shared.
    fn cookie(&self) -> String {
        format!("crownhead-{}", self.port)
    }

    /// Admits requests with the cookie, and all requests for the stylesheet.
    fn admits(&self, request: &Request) -> bool {
        let name = self.cookie();
        let cookies = request.headers().get_all(header::COOKIE).into_iter();
        let mut cookies = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        request.uri().path() == LOOKS
            || cookies.any(|(known, value)| known == name && self.key.is(value))
    }

    /// Returns `true` if a request has the token, which is then replaced.
    fn takes(&self, request: &Request) -> bool {
        let query = request
            .uri()
            .query()
            .and_then(|query| query.strip_prefix("token="));
        let Some(text) = query.filter(|_| request.method() == Method::GET) else {
            return false;
        };
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let (true, Ok(next)) = (token.is(text), Secret::new()) else {
            return false;
        };
        *token = next;
        true
    }

    /// Sets the cookie. The browser must request the page itself: it does not send the cookie when
    /// it follows a link from another site.
    fn welcome(&self) -> Response {
        (self.lan.on_link)(&self.link());
        let cookie = format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie(),
            self.key.0
        );
        ([(header::SET_COOKIE, cookie)], Html(WELCOME)).into_response()
    }
}

const WELCOME: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Crownhead</title>
<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open Crownhead</a></p></html>
"#;

/// The stylesheet, which the page for closed doors needs too.
const LOOKS: &str = "/assets/style.css";

const CLOSED: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Crownhead</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/style.css"><main class="card failure">
<h1>Crownhead is closed to this browser</h1>
<p>Look at the terminal where <code>crownhead serve</code> runs. Open the address that it shows last, or scan
the code above it. Each address opens the page in one browser, which can come back until the server ends.</p></main></html>
"#;

/// Admits requests with the cookie or the token, and explains to all others what to do.
pub(crate) async fn enter(
    State(door): State<Entrance>,
    Extension(place): Extension<Arc<Place>>,
    request: Request,
    next: Next,
) -> Response {
    match door {
        Some(door) if !door.admits(&request) => match door.takes(&request) {
            true => door.welcome(),
            false => closing(refusal(request.uri().path())),
        },
        _ => match place.admit("page") {
            true => next.run(request).await,
            false => too_many(),
        },
    }
}

fn refusal(path: &str) -> Response {
    let status = StatusCode::UNAUTHORIZED;
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    if !path.starts_with("/api/") {
        return (status, challenge, Html(CLOSED)).into_response();
    }
    let message = "this browser may not use the server: open the address that crownhead serve \
                   printed last";
    (challenge, ApiError::new(status, message)).into_response()
}
