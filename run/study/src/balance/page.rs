//! A study as a page of HTML or Markdown, and its picture.

use std::path::{Component, Path, PathBuf};

use analyst::{escaped, page_head};
use ratings::Estimate;

use super::table::{Table, wrapped};
use super::tables::percent;
use super::{Column, Level, Measures, Study};
use crate::chart::{Panel, STYLE, chart};

/// The page, without other files.
pub(super) fn html(study: &Study) -> String {
    let remarks = study.remarks().into_iter();
    let remarks = remarks.map(|remark| format!("<p>{}</p>\n", escaped(&remark)));
    let tables = study.tables().iter().map(Table::html).collect::<String>();
    format!(
        "{}<pre>{}</pre>\n{}{}{tables}</body>\n</html>\n",
        page_head(&title(study), &format!("{STYLE}{PAGE_STYLE}")),
        escaped(&study.command),
        remarks.collect::<String>(),
        figure(study),
    )
}

const PAGE_STYLE: &str = "\
body { margin: 1rem auto; max-width: 60rem; padding: 0 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.1rem 0.7rem; border-bottom: 1px solid var(--faint); text-align: right; }
tbody th { text-align: left; font-weight: normal; }
pre { white-space: pre-wrap; }
svg { width: 100%; }
";

/// The page as Markdown, with a link to its picture.
pub(super) fn markdown(study: &Study, figure: Option<PathBuf>) -> String {
    let (title, command) = (title(study), &study.command);
    let mut text = format!("# {title}\n\n```sh parse\n{command}\n```\n\n");
    for remark in study.remarks() {
        text += &wrapped(&remark, 100);
        text.push('\n');
    }
    if let Some(figure) = figure {
        let words: Vec<_> = figure
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        text += &format!("![The measures as plots]({})\n\n", words.join("/"));
    }
    let tables: Vec<String> = study.tables().iter().map(Table::markdown).collect();
    text + &tables.join("\n")
}

fn title(study: &Study) -> String {
    let names: Vec<&str> = study.columns.iter().map(|column| &*column.name).collect();
    let names = match &names[..] {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        one => one.concat(),
    };
    format!("What self-play says about {names}")
}

/// The way from a page to a file. Both paths are relative to the same folder, or absolute.
pub(super) fn link(page: &Path, file: &Path) -> PathBuf {
    let folder = page.parent().unwrap_or(Path::new(""));
    let both = folder.components().zip(file.components());
    let common = both.take_while(|(a, b)| a == b).count();
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

/// The picture: six panels.
pub(super) fn figure(study: &Study) -> String {
    let names: Vec<&str> = study.columns.iter().map(|column| &*column.name).collect();
    let of_last = |values: &dyn Fn(&Measures) -> Vec<Option<Estimate>>| {
        let columns = study.columns.iter();
        columns
            .map(|column| column.last().map(values).unwrap_or_default())
            .collect()
    };
    let exact = |value: &f64| Some(Estimate::around(*value, 0.0));
    let kings = Panel {
        title: "value of a king, in men",
        x: "pieces, share of all",
        marks: ["over 3/4", "to 3/4", "to 1/2", "to 1/3"]
            .map(str::to_owned)
            .to_vec(),
        is_line: false,
        series: of_last(&|last| last.kings.iter().map(|phase| phase.king).collect()),
    };
    let moves = Panel {
        title: "legal moves",
        x: "ply",
        marks: Vec::new(),
        is_line: true,
        series: of_last(&|last| last.moves_by_ply.iter().map(exact).collect()),
    };
    let panels = [
        by_level(study, "score of the first side, %", |level| {
            level.measures.score.map(percent)
        }),
        by_level(study, "draws, %", |level| level.measures.draws.map(percent)),
        by_level(study, "length, plies", |level| level.measures.plies),
        by_level(study, "results predicted by the first lead, %", |level| {
            level.measures.lead.predicted.map(percent)
        }),
        moves,
        kings,
    ];
    chart(&title(study), &panels, &names)
}

fn by_level<'a>(
    study: &Study,
    title: &'a str,
    value: impl Fn(&Level) -> Option<Estimate>,
) -> Panel<'a> {
    let names = study.level_names();
    // Numbers of nodes need no unit, parts of a run no total.
    let mark = |name: &&str| {
        let name = name.strip_suffix(" nodes").unwrap_or(name);
        name.split(" of ").next().unwrap_or_default().to_owned()
    };
    let of = |column: &Column| {
        let levels = names.iter().map(|name| column.level(name));
        levels.map(|level| level.and_then(&value)).collect()
    };
    Panel {
        title,
        x: match names.iter().all(|name| name.ends_with(" nodes")) {
            true => "nodes of a move",
            false => "level",
        },
        marks: names.iter().map(mark).collect(),
        is_line: false,
        series: study.columns.iter().map(of).collect(),
    }
}
