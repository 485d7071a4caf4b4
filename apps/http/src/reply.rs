//! Replies in JSON, errors included.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error reply: a status and a message for the user.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    message: String,
}

/// The result of a handler.
pub type ApiResult<T> = Result<Json<T>, ApiError>;

impl ApiError {
    /// The request is invalid.
    pub fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// The requested thing does not exist.
    pub fn missing(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// The server is busy.
    pub fn busy(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The server failed, for example to read a file.
    pub fn failed(error: impl std::fmt::Display) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }

    /// A reply with any status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> ApiError {
        ApiError {
            status,
            message: message.into(),
        }
    }
}

/// A response after which the connection ends.
pub fn closing(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// The refusal of a client that has too many connections.
pub fn too_many() -> Response {
    let message = "there are too many connections: close some, or come back later";
    let refusal = ApiError::new(StatusCode::TOO_MANY_REQUESTS, message);
    closing(refusal.into_response())
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}

/// The reply of blocking work.
///
/// # Errors
/// As [`aside`].
pub async fn answer<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> ApiResult<T> {
    aside(work).await.map(Json)
}

/// Runs blocking work, such as reading files, on another thread.
///
/// # Errors
/// As the work, or if it panics.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ApiError::failed("internal server error: a task panicked"))?
}
