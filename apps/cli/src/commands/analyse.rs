//! `crownhead analyse`: judges the moves of games, and analyzes positions.

use std::io::{self, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::view::Analysis;
use clap::ValueHint;
use engine::{MAX_LINES, TimeControl};
use roster::PlayerSpec;
use run::RequestError;
use serde_json::{Value as Json, json};
use study::analysis::{
    AnalysisObserver, AnalysisRequest, Analysts, Answer, FoundPosition, Limit, PositionQuestion,
    Source, analyse, answer_positions,
};
use study::collection::output_error;

use crate::complete;
use crate::display::showing;
use crate::options::{EncodingOption, GameOption, ThreadsArg, number_in};
use crate::output::{Interrupted, Output};

/// Judge the moves of games, or analyze positions
///
/// Each move is compared with the best one in the same search. A loss is what the
/// move costs, as a share of a point, between strong players.
#[derive(clap::Args, Debug)]
#[command(
    alias = "analyze",
    mut_arg("variant", |arg| arg.help("The game of positions, and of games in the file that do not say")),
    after_help = "\
Marks: ?! costs 15 % of a point or more, ? 25 %, ?? 45 %. In games that were
played on from such moves the result became worse in 36, 64 and 84 % of the
cases. Only moves that had an alternative count for the average loss. Judgments
depend on the game, the player and the nodes; with --time also on the machine.

Finished games are kept in a file next to --to (or --report) whose name ends
with .progress: the same command resumes an analysis that was stopped.

JSON of games: {\"game\",\"white\",\"black\",\"result\",\"first\",\"plies\":[{\"move\",
\"value\",\"best\",\"loss\",\"mark\",\"line\"}],\"faults\":[{\"what\"}]}, a line a game. value
is the expected score of the side that moves, after its move, from 0 to 1.

--stdin reads a position a line: a FEN or the word start, and moves after it.
The answers are lines of JSON in the same order: {\"line\",\"fen\",\"status\",\"value\",
\"best\",\"lines\",\"nodes\"}, or {\"line\",\"error\"}. Probabilities are from the view of
the side to move.

Examples:
  crownhead analyse games.pdn --to annotated.pdn --report report.html
  crownhead analyse games.pdn --time 1s --to annotated.pdn
  crownhead analyse games.pdn --player run:runs/english --format json
  crownhead analyse --stdin --variant frisian --nodes 50000 < positions.txt"
)]
pub(crate) struct AnalyseArgs {
    /// The file of games, PDN; - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "stdin")]
    file: Option<PathBuf>,
    /// Analyze positions from standard input, one a line
    #[arg(long, conflicts_with_all = ["file", "to", "report"])]
    stdin: bool,
    /// The player that analyzes [default: the strongest of each game]
    #[arg(long, value_name = "PLAYER", add = complete::players())]
    player: Option<PlayerSpec>,
    /// Nodes or simulations for each position
    /// [default: 100000 nodes, or 64 simulations of a network]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time for each position, as 300ms or 1s, instead of nodes
    #[arg(long, value_name = "TIME", conflicts_with = "nodes", value_parser = time_of_position)]
    time: Option<Duration>,
    /// Lines of each position, with --stdin
    #[arg(long, value_name = "N", default_value_t = 1, requires = "stdin", conflicts_with = "file", value_parser = number_in(1, MAX_LINES))]
    lines: usize,
    /// Write the annotated games to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    to: Option<PathBuf>,
    /// Write a report with graphs to this file, a page of HTML
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    encoding: EncodingOption,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    threads: ThreadsArg,
}

/// Reads the time for a position.
pub(super) fn time_of_position(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(TimeControl::Move(time)) => Ok(time),
        _ => Err("write the time for a position, as 300ms or 1s".to_owned()),
    }
}

impl AnalyseArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let limit = Limit::of(self.nodes, self.time);
        let analysts = Arc::new(Analysts::new(self.player.as_ref(), limit)?);
        match self.file.clone() {
            Some(file) => self.analyse_file(file, &analysts, output),
            None => self.answer_lines(&analysts, output),
        }
    }

    fn analyse_file(
        self,
        file: PathBuf,
        analysts: &Arc<Analysts>,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let request = AnalysisRequest {
            source: Source::new(file)?,
            variant: self.game.variant,
            encoding: self.encoding.encoding,
            to: self.to,
            report: self.report,
            threads: self.threads.count(),
        };
        let stop = super::stop_on_ctrl_c()?;
        let has_files = request.to.is_some() || request.report.is_some();
        let game = &mut |game: &_| super::shown(output.result(game), has_files);
        let summary = showing(|progress| {
            let mut observer = AnalysisObserver { game, progress };
            analyse(&request, analysts, &mut observer, &stop)
        })?;
        if let Some(notice) = &summary.notice {
            note!("{notice}");
        }
        if !output.is_json() {
            write!(output, "\n{summary}")?;
        }
        let stopped = format!("Stopped after {} games.", summary.games);
        anyhow::ensure!(summary.is_complete, Interrupted(stopped));
        Ok(())
    }

    fn answer_lines(self, analysts: &Arc<Analysts>, output: &mut Output) -> anyhow::Result<()> {
        let variant = self.game.variant.or(analysts.only_game()).ok_or_else(|| {
            RequestError("a FEN does not say which game it is: write --variant english".to_owned())
        })?;
        let question = PositionQuestion {
            variant,
            lines: self.lines,
            threads: self.threads.count(),
        };
        let mut n_bad = 0;
        let input = BufReader::new(io::stdin());
        answer_positions(input, &question, analysts, |answer| {
            n_bad += u64::from(answer.found.is_err());
            let written = output.json(&answer_json(&answer));
            written.map_err(|error| output_error(super::io_error(error)))
        })?;
        anyhow::ensure!(n_bad == 0, "lines that are no positions: {n_bad}");
        Ok(())
    }
}

fn answer_json(answer: &Answer) -> Json {
    let line = answer.line;
    let FoundPosition { game, findings } = match &answer.found {
        Ok(found) => found,
        Err(error) => return json!({"line": line, "error": error}),
    };
    let (position, outcome) = (game.position(), game.outcome());
    let status = rules::status(outcome);
    let fen = position.to_fen();
    let Some(findings) = findings else {
        let reason = outcome.map_or("", |outcome| outcome.reason());
        return json!({"line": line, "fen": fen, "status": status, "reason": reason, "value": null,
            "best": null, "lines": [], "nodes": 0});
    };
    let best = findings.best();
    let analysis = Analysis::new(findings, position);
    json!({"line": line, "fen": fen, "status": status, "value": best.value,
        "best": position.move_text(best.moves[0]), "lines": analysis.lines, "nodes": analysis.nodes})
}
