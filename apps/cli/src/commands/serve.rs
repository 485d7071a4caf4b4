//! `crownhead serve`: serves the page for a browser.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueHint;
use lab::doctor::{Course, History};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use roster::PlayerSpec;
use run::config;
use store::RunDir;
use study::puzzles::PuzzleFile;
use web::{Books, Lan, OfferedPlayers, RunVerdict, ServerOptions};

use crate::complete;
use crate::options::EndgamesArg;
use crate::output::Output;

/// Open a page to play, to replay games and to watch runs
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("endgames", |arg| {
        let help = "The folder of endgame databases. The databases of runs are used too; where \
                    there is none, one of three pieces is built";
        arg.help(help)
    }),
    after_help = "\
The page is for this machine alone: it is served on 127.0.0.1. With --lan it is
served to the network, to browsers that were opened with an address that is
shown, each valid once. The page offers PLAYER, the bundled networks,
the baselines and all runs in the directory --runs. Ctrl-C ends it.

Examples:
  crownhead serve
  crownhead serve run:runs/english
  crownhead serve --port 0 --runs /data/runs
  crownhead serve --puzzles puzzles.json
  crownhead serve --book english.book
  crownhead serve --lan"
)]
pub(crate) struct ServeArgs {
    /// A player to offer first: bundled, run:DIR, run:DIR@42, model:DIR, ab:DIR, mcts:rollouts=N or
    /// alphabeta:depth=N
    #[arg(value_name = "PLAYER", add = complete::players())]
    player: Option<PlayerSpec>,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8064)]
    port: u16,
    /// Let other machines in, by addresses that work once. With ADDRESS, one of this machine's, the
    /// server listens there alone
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true)]
    lan: Option<Option<IpAddr>>,
    /// The directory of runs
    #[arg(long, value_name = "DIR", default_value = "runs", value_hint = ValueHint::DirPath)]
    runs: PathBuf,
    /// A file of puzzles to solve on the page, from `crownhead puzzles`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    puzzles: Option<PathBuf>,
    /// An opening book to look into, from `crownhead book`; bundled engines and agents of full
    /// strength play from it. Repeat it for other games
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    book: Vec<PathBuf>,
    #[command(flatten)]
    endgames: EndgamesArg,
}

impl ServeArgs {
    /// A server for this machine alone, which offers no player first.
    pub(crate) fn local(port: u16, runs: PathBuf, endgames: EndgamesArg) -> ServeArgs {
        ServeArgs {
            player: None,
            port,
            lan: None,
            runs,
            puzzles: None,
            book: Vec::new(),
            endgames,
        }
    }

    /// Serves until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        self.run_at("", |_| (), output)
    }

    /// Serves until Ctrl-C. When the server can be reached, `on_start` gets the address of a view
    /// of the page.
    pub(crate) fn run_at(
        self,
        view: &str,
        on_start: impl FnOnce(&str),
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let stop = super::stop_on_ctrl_c()?;
        note_missing(&self.runs, "runs");
        note_missing(&self.endgames.endgames, "endgames");
        let puzzles = self.puzzles.as_deref().map(PuzzleFile::read).transpose()?;
        let source = self.player.as_ref();
        let books = Books::read(&self.book)?;
        let (folder, own) = (&self.endgames.endgames, books.clone());
        let players = OfferedPlayers::new(source, folder, own, |fault| note!("{fault}"))?;
        let (is_local, is_json) = (self.lan.is_none(), output.is_json());
        let lan = self.lan.map(|address| lan(address, is_json)).transpose()?;
        let server = web::bind(ServerOptions {
            port: self.port,
            lan,
            runs: self.runs,
            other_run: source.and_then(PlayerSpec::run_dir),
            max_searches: config::threads(0),
            players: Box::new(players),
            judge,
            puzzles: puzzles.map(serde_json::to_value).transpose()?,
            books,
        })?;
        let url = server.url() + view;
        // Addresses for the network have already been printed.
        if is_local {
            result_line!(output, { url: url }, "The page is at {url} (Ctrl-C ends it)")?;
        }
        on_start(&url);
        Ok(server.run(&stop)?)
    }
}

/// Notes that a folder is not there, unless it is the usual one, which may be made later.
fn note_missing(folder: &Path, usual: &str) {
    if folder != Path::new(usual) && !folder.is_dir() {
        note!("warning: there is no folder {}", folder.display());
    }
}

/// This machine's address in the network.
fn lan(address: Option<IpAddr>, is_json: bool) -> anyhow::Result<Lan> {
    Ok(Lan {
        is_only: address.is_some(),
        address: match address {
            Some(address) => address,
            None => web::lan_address()
                .context("failed to find this machine's address: give it with --lan=ADDRESS")?,
        },
        // A closed terminal must not end the server.
        on_link: Box::new(move |link: &str| drop(show(link, is_json))),
    })
}

/// Shows an address that works once.
fn show(link: &str, is_json: bool) -> io::Result<()> {
    let mut out = io::stdout();
    if is_json {
        return writeln!(out, "{}", serde_json::json!({ "url": link }));
    }
    let code = QrCode::with_error_correction_level(link, EcLevel::L).map_err(io::Error::other)?;
    // Black on white, whatever the colors of the terminal.
    let (begin, end) = match out.is_terminal() {
        true => ("\x1b[30;107m", "\x1b[0m"),
        false => ("", ""),
    };
    for line in code.render::<Dense1x2>().build().lines() {
        writeln!(out, "{begin}{line}{end}")?;
    }
    writeln!(
        out,
        "Open this page in one browser, with the code or the address: {link}\n\
         The next address is shown once this one has been used. Ctrl-C ends the server."
    )
}

/// The verdict on a run; `None` if its files cannot be read.
fn judge(run: &RunDir) -> Option<RunVerdict> {
    let Course { trend, reason } = History::read(run).ok()?.course();
    let word = trend.word();
    Some(RunVerdict { word, reason })
}
