//! Requests and replies in JSON, errors included.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use page::Refusal;
use rules::pdn::MAX_GAME_BYTES;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::connections::Limits;

/// Maximum size of a request, in bytes.
pub(crate) const MAX_BODY: usize = 64 << 10;
/// Maximum size of a request with PDN. JSON may need two bytes for a character of the largest game.
pub(crate) const MAX_PDN_BODY: usize = 2 * MAX_GAME_BYTES + MAX_BODY;

/// An error reply: a status and a message for the user.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    message: String,
}

/// The result of a handler.
pub(crate) type ApiResult<T> = Result<Json<T>, ApiError>;

impl ApiError {
    /// The request is invalid.
    pub(crate) fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// The requested thing does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// The server is busy.
    pub(crate) fn busy(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The server failed, for example to read a file.
    pub(crate) fn failed(error: impl std::fmt::Display) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }

    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> ApiError {
        ApiError {
            status,
            message: message.into(),
        }
    }
}

/// A response after which the connection ends.
pub(crate) fn closing(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// The refusal of a client that has too many connections.
pub(crate) fn too_many() -> Response {
    let message = "there are too many connections: close some, or come back later";
    let refusal = ApiError::new(StatusCode::TOO_MANY_REQUESTS, message);
    closing(refusal.into_response())
}

/// A request rejected by the page's rules.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        ApiError::bad(refusal.0)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}

/// A request's body as JSON, of at most `MOST` bytes.
pub(crate) struct Body<T, const MOST: usize = MAX_BODY>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync, const MOST: usize> FromRequest<S> for Body<T, MOST> {
    type Rejection = ApiError;

    async fn from_request(mut request: Request, state: &S) -> Result<Body<T, MOST>, ApiError> {
        let is_json = request
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(';').next() == Some("application/json"));
        if !is_json {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with the header content-type: application/json",
            ));
        }
        let limits: Limits = request.extensions().get().copied().unwrap_or_default();
        DefaultBodyLimit::max(MOST).apply(&mut request);
        let reading = tokio::time::timeout(limits.body, Bytes::from_request(request, state));
        let read = reading.await.map_err(|_| {
            let message = format!("the request was not received within {:?}", limits.body);
            ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
        })?;
        let bytes = read.map_err(|error| {
            let message = match error.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    format!("the request is larger than {MOST} bytes: send less at a time")
                }
                _ => error.body_text(),
            };
            ApiError::new(error.status(), message)
        })?;
        let body = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::bad(format!("invalid request: {error}")))?;
        Ok(Body(body))
    }
}

/// Runs blocking work, such as reading files, on another thread.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ApiError::failed("internal server error: a task panicked"))?
}
