//! The server: routes, and what one volunteer may take of it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router, middleware};
use futures_util::stream;
use http::{
    ApiError, ApiResult, Place, Server, ServerError, aside, closing, too_many, with_refusals,
};
use share::{Assignment, ListedThere, ObjectError, Share};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::{Quota, Upload, Usage, Volunteers, may_read};

/// Maximum number of bytes to read from a request. All but those that the object may have are
/// dropped: a client reads the reply once it has sent everything.
const MAX_READ: usize = 64 << 20;
/// Maximum number of objects received from one volunteer at the same time.
const MAX_RECEIVED: usize = 2;
/// Time limit for receiving one, and the minimum speed in bytes per second beyond that.
const RECEIVING: Duration = Duration::from_secs(15);
const SLOWEST: u64 = 64 << 10;
/// Maximum number of connections of one volunteer.
const MAX_CONNECTIONS: usize = 32;
/// Size of the pieces in which an object is sent, and maximum number of waiting pieces.
const PIECE: usize = 64 << 10;
const MAX_PIECES: usize = 4;

struct Gate {
    share: Box<dyn Share>,
    volunteers: Volunteers,
    /// By name: places for objects that are received.
    receiving: BTreeMap<String, Arc<Semaphore>>,
    usage: Mutex<Usage>,
}

/// An authenticated volunteer.
#[derive(Clone)]
struct Volunteer(String);

/// A gateway that is bound to its address. No volunteer keeps more in the share than the quota.
///
/// | route | reply |
/// |---|---|
/// | `GET /objects/{name}` | an object of the share |
/// | `PUT /objects/{name}` | writes an object |
/// | `GET /lists/{folder}` | the objects in a folder: a [`ListedThere`] for each |
///
/// Each request has the header `authorization: Bearer NAME:SECRET`. It is meant for a trusted
/// network, or for use behind a TLS proxy.
///
/// # Errors
/// If the address is not available.
pub fn bind(
    address: SocketAddr,
    share: Box<dyn Share>,
    volunteers: Volunteers,
    quota: Quota,
) -> Result<Server, ServerError> {
    let places = |name: &str| (name.to_owned(), Arc::new(Semaphore::new(MAX_RECEIVED)));
    let gate = Arc::new(Gate {
        share,
        receiving: volunteers.names().map(places).collect(),
        volunteers,
        usage: Mutex::new(Usage::new(quota)),
    });
    let routes = Router::new()
        .route("/objects/{*name}", get(read).put(write))
        .route("/lists/{*folder}", get(list));
    let mut server = Server::bind(address)?;
    server.router = with_refusals(routes)
        .layer(middleware::from_fn_with_state(Arc::clone(&gate), admit))
        .with_state(gate);
    server.limits.per_client = MAX_CONNECTIONS;
    Ok(server)
}

/// Authenticates volunteers.
async fn admit(
    State(gate): State<Arc<Gate>>,
    Extension(place): Extension<Arc<Place>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(name) = volunteer(&gate.volunteers, request.headers()) else {
        let status = StatusCode::UNAUTHORIZED;
        let message = "no volunteer has this name and secret: ask for an invitation";
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return closing((challenge, ApiError::new(status, message)).into_response());
    };
    if !place.admit(&name) {
        return too_many();
    }
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

/// The reply to a failed call. The share's own message may name files of its machine.
fn of_share(_: ObjectError) -> ApiError {
    let message = "the share behind the gateway does not answer: come back later";
    ApiError::new(StatusCode::BAD_GATEWAY, message)
}

/// `GET /objects/{name}`. Of an object only the next pieces are in memory.
async fn read(State(gate): State<Arc<Gate>>, Path(name): Path<String>) -> Result<Body, ApiError> {
    if !may_read(&name) {
        return Err(hidden(&name));
    }
    let (sender, mut pieces) = mpsc::channel(MAX_PIECES);
    let (found, is_found) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let mut found = Some(found);
        let mut tell = |outcome| found.take().map(|found| found.send(outcome));
        let read = gate.share.read(&name, &mut |bytes| {
            tell(Ok(()));
            let mut pieces = bytes.chunks(PIECE).map(Bytes::copy_from_slice);
            pieces.all(|piece| sender.blocking_send(Ok(piece)).is_ok())
        });
        let is_whole = read.is_ok();
        let outcome = match read {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(ApiError::missing(format!("there is no {name}"))),
            Err(error) => Err(of_share(error)),
        };
        if tell(outcome).is_none() && !is_whole {
            // Otherwise the client would take the pieces so far for the whole object.
            let _ = sender.blocking_send(Err(io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
    });
    is_found.await.map_err(ApiError::failed)??;
    let pieces = stream::poll_fn(move |cx| pieces.poll_recv(cx));
    Ok(Body::from_stream(pieces))
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
    let forbidden = |reason: String| ApiError::new(StatusCode::FORBIDDEN, reason);
    let places = gate.receiving.get(&volunteer).cloned();
    let places = places.ok_or_else(|| forbidden(format!("{volunteer} is not a volunteer")))?;
    let place = places.acquire().await.map_err(ApiError::failed)?;
    let upload = Upload::new(&volunteer, &name);
    let limit = upload.as_ref().map_or(0, |upload| upload.max_bytes);
    let received = receive(&name, limit, request).await;
    let forbidden_name = |reason| forbidden(format!("{name}: {reason}"));
    let upload = upload.map_err(forbidden_name)?;
    let bytes = received?;
    upload.check(&bytes).map_err(forbidden_name)?;
    let kept = Arc::clone(&gate);
    aside(move || {
        let assignment = Assignment::read(&*kept.share).ok().flatten();
        if !assignment.is_none_or(|assignment| assignment.wants(&name)) {
            return Err(forbidden(format!(
                "{name} is not part of the current assignment"
            )));
        }
        let mut usage = kept.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let reserved = usage.reserve(&*kept.share, &name, bytes.len() as u64);
        drop(usage);
        let full = |reason| ApiError::new(StatusCode::INSUFFICIENT_STORAGE, reason);
        reserved.map_err(of_share)?.map_err(full)?;
        kept.share.put(&name, bytes).map_err(of_share)
    })
    .await?;
    drop(place);
    Ok(StatusCode::NO_CONTENT)
}

/// The body of a request of at most `limit` bytes, which comes in a time that grows with its size;
/// bytes beyond the limit get no more time.
async fn receive(name: &str, limit: usize, request: Request) -> Result<Vec<u8>, ApiError> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let length = length.unwrap_or(limit);
    let patience = RECEIVING + Duration::from_secs(length.min(limit) as u64 / SLOWEST);
    let receiving = collect(request.into_body(), length, limit);
    let received = tokio::time::timeout(patience, receiving).await;
    let received = received.map_err(|_| {
        let message = format!("{name} did not come within {} s", patience.as_secs());
        ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
    })?;
    received.ok_or_else(|| {
        let message = format!("{name} has more than {limit} bytes, or did not come whole");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    })
}

/// The bytes of a body whose length should be `length`; `None` if there are more than `limit`, or
/// the connection broke.
async fn collect(mut body: Body, length: usize, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(if length > limit { 0 } else { length });
    let mut n_read = 0;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(piece) = frame.ok()?.into_data() else {
            continue;
        };
        n_read += piece.len();
        if n_read > MAX_READ {
            return None;
        } else if n_read.max(length) > limit {
            // The rest is read so that the client, which is still writing, reads the reply.
            bytes = Vec::new();
        } else {
            bytes.extend_from_slice(&piece);
        }
    }
    (n_read <= limit).then_some(bytes)
}
