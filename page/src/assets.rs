//! The files of the page, embedded in the binary.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::reply::ApiError;

macro_rules! assets {
    ($($name:literal: $kind:expr;)*) => {
        /// (name, media type, content)
        const ASSETS: &[(&str, &str, &str)] = &[
            $(($name, $kind, include_str!(concat!("../assets/", $name)))),*
        ];
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

assets! {
    "index.html": "text/html; charset=utf-8";
    "style.css": "text/css; charset=utf-8";
    "views.css": "text/css; charset=utf-8";
    "icon.svg": "image/svg+xml";
    "main.js": SCRIPT;
    "api.js": SCRIPT;
    "dom.js": SCRIPT;
    "board.js": SCRIPT;
    "chart.js": SCRIPT;
    "clock.js": SCRIPT;
    "entry.js": SCRIPT;
    "exchange.js": SCRIPT;
    "game.js": SCRIPT;
    "play.js": SCRIPT;
    "panel.js": SCRIPT;
    "screen.js": SCRIPT;
    "setup.js": SCRIPT;
    "replay.js": SCRIPT;
    "runs.js": SCRIPT;
}

/// The page.
pub(crate) async fn index() -> Response {
    asset("index.html")
}

/// One of its files.
pub(crate) async fn file(Path(name): Path<String>) -> Response {
    asset(&name)
}

fn asset(name: &str) -> Response {
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => ApiError::missing(format!("the page has no file {name:?}")).into_response(),
    }
}
