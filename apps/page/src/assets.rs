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

/// The Content-Security-Policy of the page: it loads from its own place only. A server adds that no
/// other page shows it in a frame, an exported page that it runs WebAssembly.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                          connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
                          form-action 'none'";

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
    "icon.svg": "image/svg+xml";
    "manifest.webmanifest": "application/manifest+json";
    "analysis.js": SCRIPT;
    "annotate.js": SCRIPT;
    "api.js": SCRIPT;
    "board.js": SCRIPT;
    "chart.js": SCRIPT;
    "charts.js": SCRIPT;
    "clock.js": SCRIPT;
    "database.js": SCRIPT;
    "document.js": SCRIPT;
    "dom.js": SCRIPT;
    "editor.js": SCRIPT;
    "encoding.js": SCRIPT;
    "entry.js": SCRIPT;
    "exchange.js": SCRIPT;
    "explorer.js": SCRIPT;
    "games.js": SCRIPT;
    "learn.js": SCRIPT;
    "library.js": SCRIPT;
    "main.js": SCRIPT;
    "movetree.js": SCRIPT;
    "notify.js": SCRIPT;
    "panel.js": SCRIPT;
    "pdn.js": SCRIPT;
    "play.js": SCRIPT;
    "puzzles.js": SCRIPT;
    "replay.js": SCRIPT;
    "rules.js": SCRIPT;
    "runlist.js": SCRIPT;
    "runs.js": SCRIPT;
    "screen.js": SCRIPT;
    "search.js": SCRIPT;
    "service-worker.js": SCRIPT;
    "session.js": SCRIPT;
    "settings.js": SCRIPT;
    "setup.js": SCRIPT;
    "sound.js": SCRIPT;
    "storage.js": SCRIPT;
    "table.js": SCRIPT;
    "tree.js": SCRIPT;
    "value.js": SCRIPT;
    "words-en.js": SCRIPT;
    "words-nl.js": SCRIPT;
    "words-ru.js": SCRIPT;
    "words-th.js": SCRIPT;
    "words.js": SCRIPT;
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn no_file_names_a_variant() {
        for asset in ASSETS {
            for name in Variant::ALL.map(Variant::name) {
                assert!(!asset.text.contains(name), "{}: {name}", asset.name);
            }
        }
    }
}
