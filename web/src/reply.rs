//! Answers: JSON, also when something is wrong.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;

/// The most bytes that a request may have.
pub(crate) const MAX_BODY: usize = 64 << 10;

/// Why a request has no proper answer: a status and a sentence for people.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
}

/// What a handler returns.
pub(crate) type Answer<T> = Result<Json<T>, Problem>;

impl Problem {
    /// The request makes no sense.
    pub(crate) fn bad(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub(crate) fn missing(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// Not now.
    pub(crate) fn busy(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The server is at fault, or its disk.
    pub(crate) fn failed(error: impl std::fmt::Display) -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("failed to {error}"),
        )
    }

    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem {
            status,
            message: message.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}

/// A request's body as JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Problem> {
        let is_json = request
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(';').next() == Some("application/json"));
        if !is_json {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with the header content-type: application/json",
            ));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|error| {
            let message = match error.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    format!("the request is larger than {MAX_BODY} bytes: send less")
                }
                _ => error.body_text(),
            };
            Problem::new(error.status(), message)
        })?;
        let body = serde_json::from_slice(&bytes)
            .map_err(|error| Problem::bad(format!("cannot read the request: {error}")))?;
        Ok(Body(body))
    }
}

/// Runs what may take a while, such as reading files, beside the server's own thread.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Problem::failed("answer: the work broke off"))?
}
