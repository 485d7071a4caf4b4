//! A message: a command and its arguments.

use std::fmt;

/// A line of the protocol.
///
/// ```
/// use engine::hub::Line;
///
/// let line = Line::parse("pos pos=Wwb moves=\"32-28 19-23\" fast");
/// assert_eq!((line.command(), line.value("moves")), ("pos", Some("32-28 19-23")));
/// assert!(line.has("fast") && line.value("fast").is_none());
/// assert_eq!(Line::new("done").with("move", "28x19x23").to_string(), "done move=28x19x23");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    command: String,
    arguments: Vec<Argument>,
}

/// `name=value`, or only a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The text before the `=`.
    pub name: String,
    /// The text after it, without quotes.
    pub value: Option<String>,
}

impl Line {
    /// A message without arguments. The command is one word.
    pub fn new(command: &str) -> Line {
        Line {
            command: command.to_owned(),
            arguments: Vec::new(),
        }
    }

    /// A message that sets a parameter of the engine.
    pub(super) fn parameter(name: &str, value: &str) -> Line {
        Line::new("set-param")
            .with("name", name)
            .with("value", value)
    }

    /// Adds `name=value`. Double quotes in the value become single ones, and line breaks become spaces,
    /// because the protocol cannot express them.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Line {
        let value = value.to_string().replace('"', "'");
        self.arguments.push(Argument {
            name: name.to_owned(),
            value: Some(value.replace(|c: char| c.is_control(), " ")),
        });
        self
    }

    /// Adds a name without a value.
    #[must_use]
    pub fn with_flag(mut self, name: &str) -> Line {
        self.arguments.push(Argument {
            name: name.to_owned(),
            value: None,
        });
        self
    }

    /// Parses a message leniently; an unclosed quote ends with the line.
    pub fn parse(text: &str) -> Line {
        let text = text.trim();
        let (command, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut line = Line::new(command);
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return line;
            }
            let (argument, after) = argument(rest);
            line.arguments.push(argument);
            rest = after;
        }
    }

    /// The first word; empty for an empty line.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The arguments in order.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// True if there is an argument with this name, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The value of the first argument with this name, if any.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.find(name)?.value.as_deref()
    }

    fn find(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }
}

/// The first argument of a text, and the rest of the text.
fn argument(text: &str) -> (Argument, &str) {
    let ends_name = |c: char| c == '=' || c.is_whitespace();
    let (name, rest) = text.split_at(text.find(ends_name).unwrap_or(text.len()));
    let name = name.to_owned();
    let Some(rest) = rest.strip_prefix('=') else {
        return (Argument { name, value: None }, rest);
    };
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
    };
    // A quote inside a value is dropped.
    let value = Some(value.replace('"', "'"));
    (Argument { name, value }, rest)
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command)?;
        for Argument { name, value } in &self.arguments {
            write!(f, " {name}")?;
            match value.as_deref() {
                None => {}
                Some(value) if is_plain(value) => write!(f, "={value}")?,
                Some(value) => write!(f, "=\"{value}\"")?,
            }
        }
        Ok(())
    }
}

/// True if a value needs no quotes.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && !value.contains(|c: char| c == '=' || c == '"' || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_far_as_they_go() {
        let line = Line::parse("  info  depth=3 pv=\"32-28 19x28x23\" empty=\"\" flag =x a=b=c ");
        assert_eq!(line.command(), "info");
        assert_eq!(line.value("pv"), Some("32-28 19x28x23"));
        assert_eq!(line.value("empty"), Some(""));
        assert_eq!(line.value(""), Some("x"));
        assert_eq!(line.value("a"), Some("b=c"));
        assert!(line.has("flag") && line.value("flag").is_none());
        assert_eq!(line.arguments().len(), 6);
        assert_eq!(
            Line::parse("x y=\"not closed").value("y"),
            Some("not closed")
        );
        assert_eq!(Line::parse("x y=\"a\"b").arguments().len(), 2);
        assert_eq!(Line::parse(" \t").command(), "");
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let line = Line::new("error").with("message", "say \"no\"\nnow");
        assert_eq!(line.to_string(), "error message=\"say 'no' now\"");
        let line = Line::new("go").with_flag("think");
        assert_eq!(line.to_string(), "go think");
        let line = Line::new("id")
            .with("country", "")
            .with("name", "Crown=head");
        assert_eq!(line.to_string(), "id country=\"\" name=\"Crown=head\"");
    }
}
