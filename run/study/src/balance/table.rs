//! Tables as text, HTML and Markdown.

use std::fmt::{self, Write as _};

use analyst::escaped;

/// Columns of a terminal.
pub(super) const WIDTH: usize = 80;

/// A table.
pub(super) struct Table {
    pub(super) title: String,
    /// The definition.
    pub(super) note: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub(super) fn html(&self) -> String {
        let mut html = format!(
            "<h2>{}</h2>\n<p>{}</p>\n<table>\n<thead><tr><td></td>",
            escaped(&self.title),
            escaped(&self.note)
        );
        for name in &self.head {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(name));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for (name, cells) in &self.rows {
            let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(name));
            for cell in cells {
                let _ = write!(html, "<td>{}</td>", escaped(cell));
            }
            html.push_str("</tr>\n");
        }
        html + "</tbody>\n</table>\n"
    }

    pub(super) fn markdown(&self) -> String {
        let cell = |cell: &String| format!(" {} |", cell.replace('|', "\\|"));
        let cells = |cells: &[String]| cells.iter().map(cell).collect::<String>();
        let (note, head) = (wrapped(&self.note, 100), cells(&self.head));
        let mut text = format!("## {}\n\n{note}\n|  |{head}\n", self.title);
        let _ = writeln!(text, "|---|{}", "---:|".repeat(self.head.len()));
        for (name, row) in &self.rows {
            let _ = writeln!(text, "| {name} |{}", cells(row));
        }
        text
    }
}

/// As text: as many columns at a time as fit a terminal.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.title, wrapped(&self.note, WIDTH))?;
        let len = |text: &String| text.chars().count();
        let names = self.rows.iter().map(|(name, _)| len(name));
        let label = names.max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().map(|(_, cells)| len(&cells[column]));
            cells.fold(len(&self.head[column]), usize::max)
        };
        let mut column = 0;
        while column < self.head.len() {
            let (first, mut used) = (column, 2 + label);
            while column < self.head.len() && (column == first || used + 2 + width(column) <= WIDTH)
            {
                used += 2 + width(column);
                column += 1;
            }
            let mut line = |name: &str, cells: &[String]| {
                write!(f, "  {name:label$}")?;
                for (index, cell) in cells.iter().enumerate().take(column).skip(first) {
                    write!(f, "  {cell:>0$}", width(index))?;
                }
                writeln!(f)
            };
            line("", &self.head)?;
            let mut rows = self.rows.iter();
            rows.try_for_each(|(name, cells)| line(name, cells))?;
        }
        Ok(())
    }
}

/// A paragraph in lines of limited length.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let len = word.chars().count();
        if used > 0 && used + 1 + len > width {
            lines.push('\n');
            used = 0;
        }
        if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += len;
    }
    lines + "\n"
}
