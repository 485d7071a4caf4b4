//! Reads requests and explains their errors.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Most characters of a wrong value that a message shows.
const SHOWN: usize = 40;

/// Reads a JSON object as a variant of `R`. The field `do` is the name of the variant.
///
/// # Errors
/// The message has the function of `js/crownhead.js`, the wrong field and the expected type.
pub(crate) fn read<R: for<'a> Deserialize<'a>>(request: &str) -> Result<R, String> {
    let read = serde_json::from_str::<Map<String, Json>>(request);
    let mut fields = read.map_err(|error| format!("a request is a JSON object: {error}"))?;
    let Some(Json::String(name)) = fields.remove("do") else {
        return Err("a request has its name in the field do: give a string".to_owned());
    };
    let mut named = Json::from(Map::from_iter([(name.clone(), Json::from(fields))]));
    let (place, error) = match parsed(&named) {
        Ok(read) => return Ok(read),
        Err(found) => found,
    };
    let missing = quoted(&error, "missing field").filter(|_| place == name);
    if let Some(field) = missing {
        // The error of null has the expected type.
        named[&name][field] = Json::Null;
        if let Err((place, error)) = parsed::<R>(&named) {
            return Err(message(&place, &error.replacen("null", "missing", 1)));
        }
    }
    Err(message(&place, &error))
}

/// Reads a request; an error with its place, such as `choose.limits.nodes`.
fn parsed<'a, R: Deserialize<'a>>(named: &'a Json) -> Result<R, (String, String)> {
    serde_path_to_error::deserialize(named)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))
}

fn message(place: &str, error: &str) -> String {
    let (name, field) = match place {
        "." => ("do", ""),
        place => place.split_once('.').unwrap_or((place, "")),
    };
    let function = function(name);
    let wrong = error
        .strip_prefix("invalid type: ")
        .or_else(|| error.strip_prefix("invalid value: "))
        .and_then(|error| error.rsplit_once(", expected "));
    match (wrong, quoted(error, "unknown variant")) {
        (Some((found, wanted)), _) => {
            format!(
                "{function}: {field} is {}: give {}",
                shown(found),
                words(wanted)
            )
        }
        (None, Some(found)) if !field.is_empty() => {
            let (_, known) = error.split_once(", expected ").unwrap_or_default();
            format!("{function}: {field} is {found:?}: give {known}")
        }
        _ => format!("{function}: {error}"),
    }
}

/// The function that makes a request.
fn function(name: &str) -> &str {
    match name {
        "new_game" => "game",
        "read_pdn" => "readPdn",
        "open_pdn" | "next_pdn" => "pdnGames",
        "write_pdn" => "pdn",
        "take_back" => "takeBack",
        "load" => "agent",
        same => same,
    }
}

/// The name in an error such as ``missing field `fen` ``.
fn quoted<'a>(error: &'a str, kind: &str) -> Option<&'a str> {
    error.strip_prefix(kind)?.split('`').nth(1)
}

/// A value as it was written, from serde's words for it.
fn shown(found: &str) -> String {
    let value = match found {
        "sequence" => "a list",
        "map" => "an object",
        found => found
            .trim_start_matches(|letter: char| letter.is_ascii_lowercase() || letter == ' ')
            .trim_matches('`'),
    };
    match value.char_indices().nth(SHOWN) {
        _ if value.is_empty() => found.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// The expected type of a field, from serde's words for it.
fn words(wanted: &str) -> &str {
    match wanted {
        "f64" => "a number",
        "u64" => "a whole number from 0",
        // WebAssembly has 32 bits.
        "u32" | "usize" => "a whole number from 0 to 4294967295",
        "a sequence" => "a list",
        "string or map" => "a string",
        other if other == "a map" || other.starts_with("struct ") => "an object",
        other => other,
    }
}
