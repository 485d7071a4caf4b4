//! JSON for people as well: objects are spread out, lists of numbers and objects in lists are not.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Objects within each other that are spread out; deeper ones stand on one line.
const SPREAD_DEPTH: usize = 2;

/// The text of a value, with an end of line.
pub(super) fn to_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Layout::default());
    value.serialize(&mut serializer)?;
    bytes.push(b'\n');
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is open, outermost first.
#[derive(Default)]
struct Layout {
    open: Vec<Open>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Object,
    /// A list, and whether it holds objects.
    List(bool),
}

impl Layout {
    fn is_spread(&self) -> bool {
        let objects = self.open.iter().filter(|open| **open == Open::Object);
        objects.count() <= SPREAD_DEPTH
    }

    fn line(&self, writer: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        write!(writer, "\n{:width$}", "", width = 2 * self.open.len())
    }
}

impl Formatter for Layout {
    fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(Open::List(holds_objects)) = self.open.last_mut() {
            *holds_objects = true;
            self.line(writer)?;
        }
        self.open.push(Open::Object);
        writer.write_all(b"{")
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        let is_spread = self.is_spread();
        self.open.pop();
        if is_spread {
            self.line(writer)?;
        }
        writer.write_all(b"}")
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        match (self.is_spread(), first) {
            (true, _) => self.line(writer),
            (false, true) => Ok(()),
            (false, false) => writer.write_all(b" "),
        }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn begin_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open.push(Open::List(false));
        writer.write_all(b"[")
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.open.pop() == Some(Open::List(true)) {
            self.line(writer)?;
        }
        writer.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_stay_on_a_line() {
        let value = json!({"a": [1, [2.5]], "b": [{"c": {"d": []}, "f": 2}, {"g": null}]});
        let text = to_text(&value).unwrap();
        let expected = r#"{
  "a": [1,[2.5]],
  "b": [
    {
      "c": {"d": []},
      "f": 2
    },
    {
      "g": null
    }
  ]
}
"#;
        assert_eq!(text, expected);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
