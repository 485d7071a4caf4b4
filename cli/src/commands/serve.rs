//! `crownhead serve`: the page in a browser.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use endgame::Database;
use engine::Analyzer;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use rules::Variant;
use serde::Serialize;
use store::{Endgames, RunDir};
use web::{Lan, PlayerCatalog, PlayerInfo, RunVerdict, Server, ServerOptions};

use pipeline::doctor::{self, Course};
use pipeline::endgames::{self, QUICK_PIECES};
use pipeline::evaluations::bundled_variants as bundled_evaluations;
use pipeline::models::bundled_variants;
use pipeline::players::PlayerSpec;
use pipeline::{RequestError, settings};

use crate::output::Output;

/// The players of every game that need no network.
const BASELINES: [(&str, &str); 7] = [
    ("random", "Random mover"),
    ("alphabeta:depth=1", "Alpha-beta, depth 1"),
    ("alphabeta:depth=2", "Alpha-beta, depth 2"),
    ("alphabeta:depth=4", "Alpha-beta, depth 4"),
    ("alphabeta:depth=6", "Alpha-beta, depth 6"),
    ("mcts:rollouts=1000", "Tree search, 1000 random games"),
    ("mcts:rollouts=10000", "Tree search, 10000 random games"),
];

/// The group of players that are part of the program.
const COMES_ALONG: &str = "Comes with the program";

/// Open a page to play, to replay games and to watch runs
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The page is for this machine alone: it is served on 127.0.0.1. With --lan it is served to the network, to
browsers that were opened with an address that is shown, each of which works once. The page offers all
runs in the directory that --runs names, to look at, SOURCE, the bundled networks and the baselines.
Ctrl-C ends it.

Examples:
  crownhead serve
  crownhead serve run:runs/english
  crownhead serve --port 0 --runs /data/runs
  crownhead serve --lan")]
pub(crate) struct ServeArgs {
    /// A player to offer first: bundled, run:DIR, run:DIR@42, model:DIR, ab:DIR, mcts:rollouts=N or
    /// alphabeta:depth=N
    source: Option<PlayerSpec>,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8064)]
    port: u16,
    /// Let other machines in, by addresses that work once. ADDRESS is this machine's in the network, if
    /// another one than the usual is meant
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true)]
    lan: Option<Option<IpAddr>>,
    /// The directory of runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// The directory of endgame databases. Those of runs are used too; where there is none, one of three
    /// pieces is made
    #[arg(long, value_name = "DIR", default_value = "endgames")]
    endgames: PathBuf,
}

#[derive(Serialize)]
struct Address<'a> {
    url: &'a str,
}

impl ServeArgs {
    /// Serves until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let stop = super::stop_on_ctrl_c()?;
        let source = self.source.map(Source::load).transpose()?;
        let own_run = source.as_ref().and_then(|source| source.spec.run_dir());
        let lan = self.lan.map(|address| lan(address, output.is_json()));
        let lan = lan.transpose()?;
        let is_local = lan.is_none();
        let server = Server::bind(ServerOptions {
            port: self.port,
            lan,
            run_dirs: vec![self.runs],
            other_runs: own_run.map(PathBuf::from).into_iter().collect(),
            max_searches: settings::threads(0),
            players: Box::new(Known::new(source, &self.endgames)?),
            judge,
        })?;
        let url = server.url();
        // Addresses for the network have been shown already.
        if is_local && output.is_json() {
            output.json(&Address { url: &url })?;
        } else if is_local {
            writeln!(output, "The page is at {url} (Ctrl-C ends it)")?;
        }
        output.flush()?;
        Ok(server.run(&stop)?)
    }
}

/// How others reach this machine.
fn lan(address: Option<IpAddr>, is_json: bool) -> anyhow::Result<Lan> {
    let address = match address {
        Some(address) => address,
        None => web::lan_address()
            .context("failed to find this machine's address: name it with --lan=ADDRESS")?,
    };
    // A terminal that is closed must not end the server.
    let on_link = Box::new(move |link: &str| drop(show(link, is_json)));
    Ok(Lan { address, on_link })
}

/// Shows an address that works once.
fn show(link: &str, is_json: bool) -> io::Result<()> {
    let mut out = io::stdout();
    if is_json {
        serde_json::to_writer(&mut out, &Address { url: link })?;
        writeln!(out)?;
        return out.flush();
    }
    let code = QrCode::with_error_correction_level(link, EcLevel::L).map_err(io::Error::other)?;
    // Black on white, whatever the terminal's colours are.
    let (begin, end) = match out.is_terminal() {
        true => ("\x1b[30;107m", "\x1b[0m"),
        false => ("", ""),
    };
    for line in code.render::<Dense1x2>().build().lines() {
        writeln!(out, "{begin}{line}{end}")?;
    }
    writeln!(
        out,
        "Open this page in one browser, by the code or the address: {link}"
    )?;
    writeln!(
        out,
        "The next address is shown when it was used. Ctrl-C ends the server."
    )?;
    out.flush()
}

/// How a run is doing; nothing where its files cannot be read.
fn judge(run: &RunDir) -> Option<RunVerdict> {
    let Course { trend, reason } = doctor::course(run).ok()?;
    let word = trend.word();
    Some(RunVerdict { word, reason })
}

/// The player that was named on the command line.
struct Source {
    spec: PlayerSpec,
    text: String,
    name: String,
    games: Vec<Variant>,
}

impl Source {
    /// Reads it once, so that mistakes are told at once.
    fn load(spec: PlayerSpec) -> anyhow::Result<Source> {
        let contender = spec.load()?;
        contender.analyzer()?;
        Ok(Source {
            text: spec.to_string(),
            name: contender.name.clone(),
            games: contender.games.clone(),
            spec,
        })
    }
}

/// A database that was asked for.
struct Opened {
    /// What it was read from, and the size of that; nothing if it was made.
    source: Option<(Endgames, u64)>,
    database: Arc<Database>,
}

/// The players of this program.
struct Known {
    source: Option<Source>,
    endgames: PathBuf,
    /// Those that were asked for.
    databases: Mutex<BTreeMap<Variant, Opened>>,
    /// Those that come with the program, with those of stated strength that they can be.
    bundled: Vec<(Variant, PlayerInfo)>,
}

impl Known {
    fn new(source: Option<Source>, endgames: &Path) -> pipeline::Result<Known> {
        let networks = bundled_variants().map(|variant| {
            let id = format!("bundled:{variant}");
            let network = PlayerInfo {
                takes_simulations: true,
                analyses: true,
                ..PlayerInfo::new(id, "Bundled network", COMES_ALONG)
            };
            (variant, network)
        });
        let search = PlayerInfo {
            analyses: true,
            ..PlayerInfo::new("ab:bundled", "Alpha-beta search", COMES_ALONG)
        };
        let evaluations = bundled_evaluations().map(|variant| (variant, search.clone()));
        let mut bundled: Vec<(Variant, PlayerInfo)> = networks.chain(evaluations).collect();
        for (variant, player) in bundled.clone() {
            let spec: PlayerSpec = player.id.parse()?;
            let contender = spec.load()?;
            if let Some(strength) = contender.strength(variant) {
                let held_back = player.held_back(strength).into_iter();
                bundled.extend(held_back.map(|player| (variant, player)));
            }
        }
        Ok(Known {
            source,
            endgames: endgames.to_owned(),
            databases: Mutex::default(),
            bundled,
        })
    }
}

impl PlayerCatalog for Known {
    fn players(&self, variant: Variant) -> Vec<PlayerInfo> {
        let source = self
            .source
            .iter()
            .filter(|source| source.games.contains(&variant));
        let source = source.map(|source| PlayerInfo {
            is_named: true,
            takes_simulations: source.spec.is_network(),
            analyses: source.spec.is_learned(),
            ..PlayerInfo::new(&source.text, &source.name, "From the command line")
        });
        let baselines = BASELINES
            .iter()
            .map(|(id, name)| PlayerInfo::new(*id, *name, "Baselines"));
        let bundled = self.bundled.iter().filter(|(game, _)| *game == variant);
        let bundled = bundled.map(|(_, player)| player.clone());
        source.chain(bundled).chain(baselines).collect()
    }

    fn analyzer(&self, text: &str) -> Result<Box<dyn Analyzer>, String> {
        let spec: PlayerSpec = text
            .parse()
            .map_err(|error: RequestError| error.to_string())?;
        let analyzer = spec.load().and_then(|contender| contender.analyzer());
        analyzer.map_err(|error| error.to_string())
    }

    fn endgames(&self, variant: Variant, of_runs: &[PathBuf]) -> Option<Arc<Database>> {
        let dirs = [&self.endgames].into_iter().chain(of_runs);
        let largest = endgames::largest(dirs.map(PathBuf::as_path), variant);
        let mut databases = self
            .databases
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = databases.get(&variant)
            && opened.source == largest
        {
            return Some(Arc::clone(&opened.database));
        }
        let kept = largest.as_ref().map(|(endgames, _)| endgames);
        let database = endgames::read_or_quick(kept, variant).or_else(|error| {
            note!("{error}: analysis knows endings of {QUICK_PIECES} pieces only");
            endgames::read_or_quick(None, variant)
        });
        let database = Arc::new(database.ok()?);
        let opened = Opened {
            source: largest,
            database: Arc::clone(&database),
        };
        databases.insert(variant, opened);
        Some(database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offer_is_a_player() {
        let source = Source::load("random".parse().unwrap()).unwrap();
        let known = Known::new(Some(source), Path::new("/nowhere")).unwrap();
        for variant in Variant::ALL {
            let database = known.endgames(variant, &[]).unwrap();
            assert_eq!(database.n_pieces(), QUICK_PIECES);
            for player in known.players(variant) {
                assert!(known.analyzer(&player.id).is_ok(), "{}", player.id);
            }
        }
        assert!(
            known.analyzer("hub:x").is_err(),
            "an engine is not an analyzer"
        );
    }
}
