//! Colors and signs beyond ASCII, where the terminal has them.

use std::env;
use std::io;

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};
use terminal_size::{Height, Width, terminal_size_of};

/// Style of labels and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// Style of headings and details.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Style of successes.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Style of warnings.
pub(crate) const ALERT: Style = AnsiColor::Yellow.on_default().bold();
/// Style of bars and curves.
pub(crate) const PROGRESS: Style = AnsiColor::Cyan.on_default();

/// Columns where the texts next to labels begin, in `status` and in the report of `train`.
const LABELED: [usize; 2] = [12, 20];
/// Signs of our texts with their ASCII form.
const SIGNS: [(char, &str); 5] = [
    ('±', "+-"),
    ('½', "1/2"),
    ('·', "."),
    ('–', "-"),
    ('…', "..."),
];
/// Heights of a curve in one line.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The signs that a stream can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Escape sequences of colors: as `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say.
    pub(crate) color: bool,
    /// Signs beyond ASCII: on terminals whose locale is UTF-8.
    pub(crate) unicode: bool,
    /// Columns of a terminal.
    pub(crate) columns: Option<usize>,
}

impl Paint {
    /// The signs of standard output.
    pub(crate) fn stdout() -> Paint {
        Paint::of(&io::stdout(), terminal_size_of(io::stdout()))
    }

    /// The signs of standard error.
    pub(crate) fn stderr() -> Paint {
        Paint::of(&io::stderr(), terminal_size_of(io::stderr()))
    }

    fn of(stream: &impl RawStream, size: Option<(Width, Height)>) -> Paint {
        Paint {
            color: AutoStream::choice(stream) != ColorChoice::Never
                && (!stream.is_terminal() || has_escapes()),
            unicode: stream.is_terminal() && has_unicode(|name| env::var(name).ok()),
            columns: size.map(|(Width(columns), _)| columns.into()),
        }
    }

    /// A part of a line in a style.
    pub(crate) fn styled(self, style: Style, text: &str) -> String {
        match self.color && !text.is_empty() {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// Lines of a result, wrapped to the terminal: labels, headings and notes in color, or all in
    /// ASCII.
    pub(crate) fn lines(self, text: &str) -> String {
        let lines = text.split_inclusive('\n');
        let wrapped = lines.map(|line| wrapped(line, self.columns.unwrap_or(usize::MAX)));
        wrapped.map(|line| self.line(&line)).collect()
    }

    fn line(self, line: &str) -> String {
        let label = |end: usize, style| {
            let (label, rest) = line.split_at(end);
            self.styled(style, label) + rest
        };
        let colored = match line.split_once(':') {
            Some((word @ ("Note" | "warning"), _)) => label(word.len(), ALERT),
            _ if line.trim_start().starts_with("time ") => label(line.trim_end().len(), FAINT),
            _ => label(labeled(line).map_or(0, |(end, _)| end), STRONG),
        };
        self.signs(&colored)
    }

    /// A text with the signs that the stream has.
    pub(crate) fn signs(self, text: &str) -> String {
        let signs = if self.unicode { &[][..] } else { &SIGNS };
        let replaced = |text: String, (sign, ascii): &(char, &str)| text.replace(*sign, ascii);
        signs.iter().fold(text.to_owned(), replaced)
    }

    /// A bar of this width that shows a share from 0 to 1.
    pub(crate) fn bar(self, share: f64, columns: usize) -> String {
        let done = (share.clamp(0.0, 1.0) * columns as f64) as usize;
        let (full, empty) = match self.unicode {
            true => ("━", "─"),
            false => ("#", "."),
        };
        let done_part = self.styled(PROGRESS, &full.repeat(done));
        done_part + &self.styled(FAINT, &empty.repeat(columns - done))
    }

    /// A curve of numbers in one line; `None` if there are fewer than two, or without Unicode.
    pub(crate) fn curve(self, values: &[f64]) -> Option<String> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        let height = |value: &f64| {
            let share = (value - least) / range.max(1e-9);
            HEIGHTS[((share * HEIGHTS.len() as f64) as usize).min(HEIGHTS.len() - 1)]
        };
        let curve: String = values.iter().map(height).collect();
        (self.unicode && values.len() > 1).then(|| self.styled(PROGRESS, &curve))
    }
}

/// Lets consoles of Windows follow escape sequences; false for one that cannot.
fn has_escapes() -> bool {
    anstyle_query::windows::enable_ansi_colors() != Some(false)
}

/// Wraps a line of words at this width; later lines are aligned with the text of the first one.
/// Lines of tables stay whole.
fn wrapped(line: &str, columns: usize) -> String {
    let text = labeled(line).map_or(0, |(_, text)| text);
    let is_table = line[text..].trim_end().contains("  ");
    if is_table || line.chars().count() <= columns || columns <= 2 * text {
        return line.to_owned();
    }
    let (mut lines, mut column) = (line[..text].to_owned(), text);
    // No line begins with a unit.
    let words = line[text..].replace(" %", "\u{a0}%");
    for word in words.split_inclusive(' ') {
        let width = word.trim_end().chars().count();
        if column + width > columns && column > text {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.push_str(&" ".repeat(text));
            column = text;
        }
        lines.push_str(word);
        column += word.chars().count();
    }
    lines.replace('\u{a0}', " ")
}

/// The end of the label that a line begins with, and the start of the text next to it.
fn labeled(line: &str) -> Option<(usize, usize)> {
    let end = line
        .find("  ")
        .filter(|_| line.starts_with(char::is_alphabetic))?;
    let text = end + line[end..].find(|c: char| c != ' ')?;
    LABELED.contains(&text).then_some((end, text))
}

/// Tells whether a terminal with these variables shows signs beyond ASCII.
fn has_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    if variable("TERM").is_some_and(|term| term == "dumb") {
        return false;
    }
    // The first of them that is set decides. Systems without them have terminals of their own.
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable);
    let locale = set
        .map(|name| name.to_lowercase())
        .find(|name| !name.is_empty());
    match locale {
        Some(name) => name.contains("utf-8") || name.contains("utf8"),
        None => cfg!(any(windows, target_os = "macos")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint {
        color: false,
        unicode: false,
        columns: None,
    };
    const RICH: Paint = Paint {
        color: true,
        unicode: true,
        columns: Some(80),
    };

    #[test]
    fn plain_lines_are_ascii() {
        let text = "variant     english\n   time  Elo\n     9s  812 ±40\nNote: look: there.\n";
        let plain = PLAIN.lines(text);
        assert!(plain.is_ascii() && plain.contains("812 +-40"), "{plain}");
        assert_eq!(PLAIN.bar(0.5, 4), "##..");
        assert_eq!(PLAIN.curve(&[1.0, 2.0]), None);
    }

    #[test]
    fn labels_headings_and_notes_have_colors() {
        let strong = |text: &str| RICH.styled(STRONG, text);
        assert_eq!(
            RICH.lines("variant     thai\n"),
            strong("variant") + "     thai\n"
        );
        assert_eq!(
            RICH.lines("Resume training     crownhead train\n"),
            strong("Resume training") + "     crownhead train\n"
        );
        assert_eq!(
            RICH.lines("a long sentence  of words\n"),
            "a long sentence  of words\n"
        );
        assert_eq!(RICH.lines("\n"), "\n");
        assert!(
            RICH.lines("Note: look")
                .starts_with(&RICH.styled(ALERT, "Note"))
        );
        assert!(
            RICH.lines("   time  Elo\n")
                .starts_with(&RICH.styled(FAINT, "   time  Elo"))
        );
        assert!(RICH.curve(&[1.0, 2.0, 3.0]).unwrap().contains("▁▅█"));
        let text = RICH.bar(0.5, 4);
        assert!(text.contains("━━") && text.contains("──"), "{text:?}");
    }

    #[test]
    fn words_are_wrapped_below_their_label() {
        let line = "last gate   the new one is not better\n";
        assert_eq!(wrapped(line, 80), line);
        assert_eq!(
            wrapped(line, 30),
            "last gate   the new one is not\n            better\n"
        );
        assert_eq!(wrapped("one two three\n", 8), "one two\nthree\n");
        assert_eq!(wrapped("one two 3 %\n", 9), "one two\n3 %\n");
        let table = "   time   gen  champion\n";
        assert_eq!(wrapped(table, 10), table);
        assert_eq!(wrapped("indivisible\n", 4), "indivisible\n");
    }

    #[test]
    fn the_locale_says_what_a_terminal_shows() {
        let shows = |set: &[(&str, &str)]| {
            has_unicode(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(shows(&[("LANG", "de_DE.UTF-8")]));
        assert!(shows(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!shows(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!shows(&[("TERM", "dumb"), ("LANG", "de_DE.UTF-8")]));
    }
}
