//! The files of the page.

use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use http::ApiError;
use page::ASSETS;

/// A file of the page, by the last part of its path: some have to be next to the page, the others
/// are in a folder below it.
pub(crate) async fn file(uri: Uri) -> Response {
    let name = match uri.path().rsplit('/').next() {
        None | Some("") => "index.html",
        Some(name) => name,
    };
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.kind)], asset.text).into_response(),
        None => ApiError::missing(format!("the page has no file {name:?}")).into_response(),
    }
}
