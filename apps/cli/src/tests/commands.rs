//! Every command in the documents is one that the program understands.

use std::fs;
use std::path::Path;

use clap::Parser as _;
use clap::error::ErrorKind;

use super::{documents, root};
use crate::args::Args;

/// The program of the gateway.
const GATEWAY: &str = "crownhead-gateway";

/// The command lines of this program and of the gateway in a line of a shell.
fn command_lines(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" #").next().unwrap_or_default();
    let parts = line
        .split(['|', '>', '<', ';', '(', ')'])
        .flat_map(|part| part.split("&&"));
    let words = parts.map(|part| shlex::split(part.trim()).expect("closed quotes"));
    let begins = ["crownhead", "target/release/crownhead", GATEWAY];
    words
        .filter_map(|words| {
            let words: Vec<String> = words
                .into_iter()
                .skip_while(|word| word.contains('='))
                .collect();
            match words.first().map(String::as_str) {
                Some(name) if begins.contains(&name) => Some(words),
                Some("cargo") if words[1] == "run" => {
                    let at = words.iter().position(|word| word == "--")?;
                    Some(words[at..].to_vec())
                }
                _ => None,
            }
        })
        .collect()
}

/// The shell lines of a document, each joined with those that continue it, with their numbers.
fn shell_lines(text: &str) -> Vec<(usize, String)> {
    let (mut lines, mut is_shell, mut open) = (Vec::new(), false, String::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if let Some(language) = line.strip_prefix("```") {
            is_shell = !is_shell && language.split_whitespace().next() == Some("sh");
        } else if is_shell && let Some(begin) = line.strip_suffix('\\') {
            open.push_str(begin);
        } else if is_shell {
            lines.push((number + 1, format!("{}{line}", std::mem::take(&mut open))));
        }
    }
    lines
}

/// The command lines in code within prose and tables.
fn spans(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let spans = line.split('`').skip(1).step_by(2);
        let commands = spans.filter(|span| {
            let name = span.split(' ').next();
            name.is_some_and(|name| ["crownhead", GATEWAY].contains(&name))
        });
        found.extend(commands.map(|span| (number + 1, span.to_owned())));
    }
    found
}

/// Reads a command line; a mention in prose may leave out required arguments.
fn check(words: &[String], is_mention: bool) -> Result<(), String> {
    let parsed = match words.first().map(String::as_str) {
        Some(GATEWAY) => gateway::Program::try_parse_from(words).map(drop),
        _ => Args::try_parse_from(words).map(drop),
    };
    match parsed {
        Ok(()) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
            ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                if is_mention =>
            {
                Ok(())
            }
            _ => Err(error.to_string()),
        },
    }
}

/// Faults of the commands of a document.
fn faults(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a document");
    let shell = shell_lines(&text)
        .into_iter()
        .map(|(number, line)| (number, line, false));
    // Words in capitals are names that the reader has to choose.
    let is_whole = |line: &str| {
        !line
            .split_whitespace()
            .any(|word| word.contains(char::is_uppercase))
    };
    let mentions = spans(&text).into_iter().filter(|(_, line)| is_whole(line));
    let mentions = mentions.map(|(number, line)| (number, line, true));
    let mut found = Vec::new();
    for (number, line, is_mention) in shell.chain(mentions) {
        for words in command_lines(&line) {
            if let Err(error) = check(&words, is_mention) {
                found.push(format!("{}:{number}: {line}\n{error}", path.display()));
            }
        }
    }
    found
}

#[test]
fn commands_of_the_documents_are_understood() {
    let root = root();
    let mut paths = documents(&root.join("docs"));
    paths.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    // Records of commands as they were given, by the names of that time.
    paths.retain(|path| {
        !path.starts_with(root.join("docs/results")) && !path.ends_with("docs/benchmarks.md")
    });
    let found: Vec<String> = paths.iter().flat_map(|path| faults(path)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn commands_are_found_in_lines() {
    let found = command_lines(
        "X=1 crownhead rules frisian | head && cargo run --release -- moves thai  # all",
    );
    let rules = vec!["crownhead", "rules", "frisian"];
    assert_eq!(found, [rules, vec!["--", "moves", "thai"]]);
    let lines = shell_lines("a\n```sh\ncrownhead \\\n  rules\n```\n```text\ncrownhead x\n```");
    assert_eq!(lines, [(4, "crownhead rules".to_owned())]);
    for words in [["crownhead", "train"], [GATEWAY, "invite"]] {
        let words = words.map(str::to_owned);
        assert!(check(&words, false).is_err());
        assert!(check(&words, true).is_ok());
    }
}
