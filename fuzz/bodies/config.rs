//! Parsing of `run.toml` and of option values.

use config::{ConfigSources, RunFile};
use rules::Variant;

/// A valid `run.toml` survives rendering and parsing.
pub(crate) fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(file) = RunFile::parse("fuzzed", &text) {
        let again = RunFile::parse("fuzzed", &file.render()).expect("it was just written");
        assert_eq!(again.resolved.settings.len(), file.resolved.settings.len());
    }
    let sources = ConfigSources {
        set: vec![text.into_owned()],
        ..ConfigSources::default()
    };
    let _ = sources.resolve(Variant::ALL[0]);
}
