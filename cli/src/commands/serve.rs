//! `crownhead serve`: the page in a browser.

use std::io::Write as _;
use std::path::PathBuf;

use engine::Analyzer;
use rules::Variant;
use serde::Serialize;
use web::{PlayerCatalog, PlayerInfo, Server, ServerOptions};

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
The page is for this machine alone: it is served on 127.0.0.1. It offers all runs in the directory
that --runs names, SOURCE, the bundled networks and the baselines. Ctrl-C ends it.

Examples:
  crownhead serve
  crownhead serve run:runs/english
  crownhead serve --port 0 --runs /data/runs")]
pub(crate) struct ServeArgs {
    /// A player to offer first: bundled, run:DIR, run:DIR@42, model:DIR, ab:DIR, mcts:rollouts=N or
    /// alphabeta:depth=N
    source: Option<PlayerSpec>,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8064)]
    port: u16,
    /// The directory of runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
}

#[derive(Serialize)]
struct Address {
    url: String,
}

impl ServeArgs {
    /// Serves until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let stop = super::stop_on_ctrl_c()?;
        let source = self.source.map(Source::load).transpose()?;
        let own_run = source.as_ref().and_then(|source| source.spec.run_dir());
        let server = Server::bind(ServerOptions {
            port: self.port,
            run_dirs: vec![self.runs],
            other_runs: own_run.map(PathBuf::from).into_iter().collect(),
            max_searches: settings::threads(0),
            players: Box::new(Known::new(source)?),
        })?;
        let url = server.url();
        if output.is_json() {
            output.json(&Address { url })?;
        } else {
            writeln!(output, "The page is at {url} (Ctrl-C ends it)")?;
        }
        output.flush()?;
        Ok(server.run(&stop)?)
    }
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

/// The players of this program.
struct Known {
    source: Option<Source>,
    /// Those that come with the program, with those of stated strength that they can be.
    bundled: Vec<(Variant, PlayerInfo)>,
}

impl Known {
    fn new(source: Option<Source>) -> pipeline::Result<Known> {
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
        Ok(Known { source, bundled })
    }
}

impl PlayerCatalog for Known {
    fn players(&self, variant: Variant) -> Vec<PlayerInfo> {
        let source = self
            .source
            .iter()
            .filter(|source| source.games.contains(&variant));
        let source = source.map(|source| PlayerInfo {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offer_is_a_player() {
        let source = Source::load("random".parse().unwrap()).unwrap();
        let known = Known::new(Some(source)).unwrap();
        for variant in Variant::ALL {
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
