//! The pages of `docs/reference` that the program writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::{env, fs};

use clap::CommandFactory as _;
use rules::{Card, Variant};
use run::CURVE_DOCS;
use run::config::{SCHEMA, game_defaults, preset_summaries};
use settings::{Change, Domain};

use super::root;
use crate::args::{GROUPS, command};

/// Set to write the pages instead of comparing them.
const WRITE: &str = "CROWNHEAD_WRITE_DOCS";
const NOTE: &str =
    "<!-- Written by `CROWNHEAD_WRITE_DOCS=1 cargo test --release -p crownhead reference`. -->";

#[test]
fn reference_pages_are_current() {
    let folder = root().join("docs/reference");
    for (name, text) in pages() {
        let path = folder.join(&name);
        if env::var_os(WRITE).is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a page");
        } else {
            let found = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == text,
                "docs/reference/{name} is stale: write it with {WRITE}=1 cargo test --release -p crownhead reference"
            );
        }
    }
}

/// The pages, by name.
fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::from([
        ("commands.md".to_owned(), commands()),
        ("settings.md".to_owned(), settings()),
        ("curves.md".to_owned(), curves()),
        ("interfaces.md".to_owned(), interfaces()),
        ("rules/README.md".to_owned(), games()),
    ]);
    pages.extend(Variant::ALL.map(|variant| (format!("rules/{variant}.md"), game(variant))));
    pages
}

/// A cell of a table: one line, in which bars and angle brackets are text.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', r"\|").replace('<', r"\<")
}

fn commands() -> String {
    let mut root = command().term_width(80);
    root.build();
    let mut page = format!(
        "# Commands\n\n{NOTE}\n\n`crownhead COMMAND --help` prints the same texts.\n\n```text\n{}```\n",
        trimmed(&root.render_long_help().to_string())
    );
    for (group, names) in GROUPS {
        let _ = write!(page, "\n## {group}\n");
        for name in *names {
            let found = root.find_subcommand(name.to_lowercase());
            describe(found.expect("a command of the group"), 3, &mut page);
        }
    }
    page.push_str("\n## The gateway\n");
    let mut gateway = gateway::Program::command().term_width(80);
    gateway.build();
    describe(&gateway, 3, &mut page);
    page
}

/// The help of a command, and of those below it.
fn describe(command: &clap::Command, level: usize, page: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let help = command.clone().render_long_help().to_string();
    let marks = "#".repeat(level);
    let _ = write!(page, "\n{marks} {name}\n\n```text\n{}```\n", trimmed(&help));
    let is_shown = |c: &&clap::Command| c.get_name() != "help" && !c.is_hide_set();
    let below = command.get_subcommands().filter(is_shown);
    below.for_each(|command| describe(command, level + 1, page));
}

/// Lines without blanks at their ends.
fn trimmed(text: &str) -> String {
    let lines = text.trim_end().lines().map(str::trim_end);
    lines.map(|line| format!("{line}\n")).collect()
}

fn settings() -> String {
    let mut page = format!(
        "# Settings\n\n{NOTE}\n\nEvery setting with its default, its meaning and when it may change in a run. `configs/base.toml`\n\
         has the same as a file to copy from. `crownhead config show english` prints the values of a game\n\
         with their origin.\n\
         [Change a setting](../how-to/change-settings.md) says how.\n"
    );
    let mut section = String::new();
    let changed = game_defaults();
    for key in SCHEMA.keys() {
        let name = key.name.split_once('.').map_or("", |(section, _)| section);
        if section != name || page.ends_with("how.\n") {
            section = name.to_owned();
            let title = if section.is_empty() {
                "The run".to_owned()
            } else {
                format!("`{section}`")
            };
            let _ = write!(
                page,
                "\n## {title}\n\n| setting | default | values | may change | meaning |\n|---|---|---|---|---|\n"
            );
        }
        let change = match key.change {
            Change::Never => "no",
            Change::NextGeneration => "from the next generation",
            Change::Anytime => "any time",
        };
        let values = match &key.domain {
            Domain::Any => String::new(),
            Domain::OneOf(names) => names.iter().map(|name| format!("`{name}` ")).collect(),
            range => range.to_string(),
        };
        let mut default = format!("`{}`", key.default);
        for (game, value) in changed.get(&key.name).into_iter().flatten() {
            let _ = write!(default, ", {game} `{value}`");
        }
        let (values, meaning) = (values.trim_end(), cell(key.doc));
        let _ = writeln!(
            page,
            "| `{}` | {default} | {values} | {change} | {meaning} |",
            key.name
        );
    }
    page.push_str("\n## Presets\n\n| `--preset` | meaning |\n|---|---|\n");
    for (name, summary) in preset_summaries() {
        let _ = writeln!(page, "| `{name}` | {} |", cell(&summary));
    }
    page
}

fn curves() -> String {
    let mut page = format!(
        "# Curves\n\n{NOTE}\n\nA run writes these curves to `metrics.jsonl` and, for TensorBoard, to `tensorboard/`. The part in\n\
         front of the slash is TensorBoard's group. [Numbers](../explanation/numbers.md) says how to\n\
         read them.\n"
    );
    for (group, curves) in CURVE_DOCS {
        let mut groups: Vec<&str> = curves
            .iter()
            .filter_map(|(tag, _)| tag.name().split('/').next())
            .collect();
        groups.dedup();
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n",
            groups.join(" and "),
            wrapped(group)
        );
        page.push_str("| curve | meaning |\n|---|---|\n");
        for (tag, meaning) in *curves {
            let _ = writeln!(page, "| `{tag}` | {} |", cell(meaning));
        }
    }
    page
}

/// Prose of at most 100 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("a line");
        if line.len() + 1 + word.len() > 100 {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// The declarations of the libraries.
fn interfaces() -> String {
    let mut page = format!(
        "# Interfaces\n\n{NOTE}\n\nThe declarations of the [libraries](libraries.md) for C, Python and JavaScript.\n"
    );
    for (title, language, file) in [
        ("C and C++", "c", "bindings/c/include/crownhead.h"),
        (
            "Python",
            "python",
            "bindings/python/python/crownhead/_crownhead.pyi",
        ),
        ("JavaScript", "typescript", "bindings/web/js/crownhead.d.ts"),
    ] {
        let text = fs::read_to_string(root().join(file)).expect("a file of declarations");
        let _ = write!(
            page,
            "\n## {title}\n\n`{file}`\n\n```{language}\n{}```\n",
            trimmed(&text)
        );
    }
    page
}

fn games() -> String {
    let mut page =
        format!("# Rules\n\n{NOTE}\n\n| game | summary | other names |\n|---|---|---|\n");
    for variant in Variant::ALL {
        let about = variant.about();
        let names = about.aliases.iter().map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            page,
            "| [{variant}]({variant}.md) | {} | {names} |",
            cell(about.summary)
        );
    }
    page.push_str("\n`rules/RULES.md` is the full specification of the first five games, with the source of each rule.\n");
    page
}

/// The card of a game: its prose as prose, its diagrams as text.
fn game(variant: Variant) -> String {
    let mut page = format!(
        "# {variant}\n\n{NOTE}\n\n![The start position](../../figures/board-{variant}.svg)\n\n"
    );
    let (mut is_diagram, mut is_point) = (false, false);
    for line in Card(variant).to_string().lines() {
        let is_text = line.starts_with("  |") || line.is_empty() && is_diagram;
        if is_text != is_diagram {
            is_diagram = is_text;
            if !is_text && page.ends_with("\n\n") {
                page.pop();
            }
            page.push_str(if is_text { "```text\n" } else { "```\n\n" });
        }
        is_point = line.starts_with("* ") || is_point && !line.is_empty();
        let line = match line {
            "The game is drawn" => "## Draws\n",
            "Sources" => "## Sources\n",
            _ if is_text || is_point => line,
            _ => line.trim_start(),
        };
        let _ = writeln!(page, "{line}");
    }
    page
}
