//! The files of the page.

use axum::extract::Path;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use http::ApiError;
use page::ASSETS;

/// The page.
pub(crate) async fn index() -> Response {
    asset("index.html")
}

/// A file that has to be next to the page, not in a folder below it.
pub(crate) async fn beside(uri: Uri) -> Response {
    asset(uri.path().trim_start_matches('/'))
}

/// One of its files.
pub(crate) async fn file(Path(name): Path<String>) -> Response {
    asset(&name)
}

fn asset(name: &str) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.kind)], asset.text).into_response(),
        None => ApiError::missing(format!("the page has no file {name:?}")).into_response(),
    }
}
