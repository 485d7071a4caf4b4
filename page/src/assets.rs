//! The files of the page.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name, as `index.html` and the scripts refer to it.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

macro_rules! assets {
    ($($name:literal: $kind:expr;)*) => {
        /// All files of the page.
        pub const ASSETS: &[Asset] = &[
            $(Asset { name: $name, kind: $kind, text: include_str!(concat!("../assets/", $name)) }),*
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
