//! Requests in JSON.

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use http::{ApiError, Limits};
use page::Refusal;
use rules::pdn::MAX_GAME_BYTES;
use serde::de::DeserializeOwned;

/// Maximum size of a request, in bytes.
pub(crate) const MAX_BODY: usize = 64 << 10;
/// Maximum size of a request with PDN. JSON may need two bytes for a character of the largest game.
pub(crate) const MAX_PDN_BODY: usize = 2 * MAX_GAME_BYTES + MAX_BODY;

/// The reply to a request that the page's rules reject.
pub(crate) fn refused(refusal: Refusal) -> ApiError {
    ApiError::bad(refusal.0)
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
