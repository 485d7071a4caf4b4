//! Gives access to a fleet's share to volunteers' machines, which cannot reach it directly, by name
//! and secret.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router, middleware};
use serde::Serialize;
use share::{ListedThere, ObjectError, Share, Volunteers, may_read, may_write};
use tokio::sync::Semaphore;

use crate::connections::Limits;
use crate::door::secret;
use crate::error::WebError;
use crate::reply::{ApiError, ApiResult, aside};
use crate::server::{listen, serve, unknown, wrong_method};

/// Maximum size in bytes of an object that a volunteer writes.
const MAX_OBJECT: usize = 32 << 20;
/// Maximum number of objects received at the same time.
const MAX_RECEIVED: usize = 8;
/// Time limit for receiving one.
const RECEIVING: Duration = Duration::from_secs(120);

/// A gateway that is bound to its address and not running yet. [`may_read`] and [`may_write`]
/// define the volunteers' permissions.
///
/// | route | reply |
/// |---|---|
/// | `GET /objects/{name}` | an object of the share |
/// | `PUT /objects/{name}` | writes an object of at most 32 MiB |
/// | `GET /lists/{folder}` | the objects in a folder: a [`ListedThere`] for each |
///
/// Each request has the header `authorization: Bearer NAME:SECRET`. It is meant for a trusted
/// network, or for use behind a TLS proxy.
pub struct Gateway {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

/// An invitation to play through a gateway. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invitation {
    /// Name of the volunteer.
    pub name: String,
    /// Secret of the volunteer.
    pub secret: String,
    /// Address for the volunteer's machines to join, with `HOST:PORT` in place of the gateway's
    /// address.
    pub join: String,
}

impl Invitation {
    /// An invitation with a new secret.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new(name: &str) -> Result<Invitation, WebError> {
        let secret = secret()?;
        Ok(Invitation {
            name: name.to_owned(),
            join: format!("http://{name}:{secret}@HOST:PORT"),
            secret,
        })
    }
}

impl fmt::Display for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Invitation { name, join, .. } = self;
        writeln!(f, "Send this to {name}, with the address of the gateway:")?;
        writeln!(f, "crownhead worker --join {join}")
    }
}

struct Gate {
    share: Box<dyn Share>,
    volunteers: Volunteers,
    receiving: Semaphore,
}

/// An authenticated volunteer.
#[derive(Clone)]
struct Volunteer(String);

impl Gateway {
    /// Binds to an address.
    ///
    /// # Errors
    /// If the address is not available.
    pub fn bind(
        address: SocketAddr,
        share: Box<dyn Share>,
        volunteers: Volunteers,
    ) -> Result<Gateway, WebError> {
        let (listener, address) = listen(address)?;
        let gate = Arc::new(Gate {
            share,
            volunteers,
            receiving: Semaphore::new(MAX_RECEIVED),
        });
        let router = Router::new()
            .route("/objects/{*name}", get(read).put(write))
            .route("/lists/{*folder}", get(list))
            .fallback(unknown)
            .method_not_allowed_fallback(wrong_method)
            .layer(middleware::from_fn_with_state(Arc::clone(&gate), admit))
            .with_state(gate);
        Ok(Gateway {
            listener,
            address,
            router,
        })
    }

    /// The address it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` becomes true.
    ///
    /// # Errors
    /// If the system runs out of resources.
    pub fn run(self, stop: &AtomicBool) -> Result<(), WebError> {
        serve(self.listener, self.router, Limits::default(), stop)
    }
}

/// Authenticates volunteers.
async fn admit(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let Some(name) = volunteer(&gate.volunteers, request.headers()) else {
        let status = StatusCode::UNAUTHORIZED;
        let message = "no volunteer has this name and secret: ask for an invitation";
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (challenge, ApiError::new(status, message)).into_response();
    };
    request.extensions_mut().insert(Volunteer(name));
    next.run(request).await
}

fn volunteer(volunteers: &Volunteers, headers: &HeaderMap) -> Option<String> {
    let shown = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (name, secret) = shown.strip_prefix("Bearer ")?.split_once(':')?;
    volunteers.admit(name, secret).then(|| name.to_owned())
}

fn hidden(name: &str) -> ApiError {
    let message = format!("volunteers can only see objects below fleet/, not {name}");
    ApiError::new(StatusCode::FORBIDDEN, message)
}

fn of_share(error: ObjectError) -> ApiError {
    ApiError::failed(error.reason)
}

/// `GET /objects/{name}`.
async fn read(
    State(gate): State<Arc<Gate>>,
    Path(name): Path<String>,
) -> Result<Vec<u8>, ApiError> {
    if !may_read(&name) {
        return Err(hidden(&name));
    }
    aside(move || {
        let found = gate.share.get(&name).map_err(of_share)?;
        found.ok_or_else(|| ApiError::missing(format!("there is no {name}")))
    })
    .await
}

/// `GET /lists/{folder}`.
async fn list(
    State(gate): State<Arc<Gate>>,
    Path(folder): Path<String>,
) -> ApiResult<Vec<ListedThere>> {
    if !may_read(&folder) {
        return Err(hidden(&folder));
    }
    let listed = aside(move || gate.share.list(&folder).map_err(of_share)).await?;
    let line = |listed: share::Listed| {
        let since = listed.modified.duration_since(SystemTime::UNIX_EPOCH);
        let modified_ms = since.unwrap_or_default().as_millis() as u64;
        (listed.name, modified_ms)
    };
    Ok(Json(listed.into_iter().map(line).collect()))
}

/// `PUT /objects/{name}`.
async fn write(
    State(gate): State<Arc<Gate>>,
    Path(name): Path<String>,
    Extension(Volunteer(volunteer)): Extension<Volunteer>,
    request: Request,
) -> Result<StatusCode, ApiError> {
    let place = gate.receiving.acquire().await.map_err(ApiError::failed)?;
    let receiving = tokio::time::timeout(RECEIVING, to_bytes(request.into_body(), MAX_OBJECT));
    let received = receiving.await.map_err(|_| {
        let message = format!("{name} was not received within {} s", RECEIVING.as_secs());
        ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
    })?;
    let bytes = received.map_err(|_| {
        let message = format!(
            "{name} has more than {MAX_OBJECT} bytes, or was not received \
            completely"
        );
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    })?;
    may_write(&volunteer, &name, &bytes)
        .map_err(|reason| ApiError::new(StatusCode::FORBIDDEN, format!("{name}: {reason}")))?;
    let kept = Arc::clone(&gate);
    aside(move || kept.share.put(&name, bytes.into()).map_err(of_share)).await?;
    drop(place);
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_invitation_has_its_secret() {
        let [one, other] = ["ada", "ada"].map(|name| Invitation::new(name).unwrap());
        assert!(one.secret.len() == 32 && one.secret != other.secret);
        let join = format!("http://ada:{}@HOST:PORT", one.secret);
        let text = "Give ada this, with the address of the gateway:\ncrownhead worker --join ";
        assert_eq!(one.to_string(), format!("{text}{join}\n"));
        assert_eq!(one.join, join);
    }
}
