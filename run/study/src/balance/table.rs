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
        let Table {
            title,
            note,
            head,
            rows,
        } = self;
        let mut html = format!(
            "<h2>{}</h2>\n<p>{}</p>\n<table>\n<thead><tr><td></td>",
            escaped(title),
            escaped(note)
        );
        for name in head {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(name));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for (name, cells) in rows {
            let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(name));
            for cell in cells {
                let _ = write!(html, "<td>{}</td>", escaped(cell));
            }
            html.push_str("</tr>\n");
        }
        html + "</tbody>\n</table>\n"
    }

    pub(super) fn markdown(&self) -> String {
        let Table {
            title,
            note,
            head,
            rows,
        } = self;
        let cells = |cells: &[String]| -> String {
            cells
                .iter()
                .map(|cell| format!(" {} |", cell.replace('|', "\\|")))
                .collect()
        };
        let mut text = format!(
            "## {title}\n\n{}\n|  |{}\n",
            wrapped(note, 100),
            cells(head)
        );
        let _ = writeln!(text, "|---|{}", "---:|".repeat(head.len()));
        for (name, row) in rows {
            let _ = writeln!(text, "| {name} |{}", cells(row));
        }
        text
    }
}

/// As text: as many columns at a time as fit a terminal.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let len = |text: &String| text.chars().count();
        let label = self
            .rows
            .iter()
            .map(|(name, _)| len(name))
            .max()
            .unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().map(|(_, cells)| &cells[column]);
            cells
                .chain([&self.head[column]])
                .map(len)
                .max()
                .unwrap_or(0)
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
            self.rows
                .iter()
                .try_for_each(|(name, cells)| line(name, cells))?;
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
