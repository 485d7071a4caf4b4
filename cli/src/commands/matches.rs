//! `crownhead match`: two players, every opening with both colours.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use eval::{Counts, MatchReport, MatchResult, SprtBounds, SprtState, openings, play_match};
use rules::Variant;

use pipeline::config::{ConfigSources, GateSection};
use pipeline::pdn::PdnFile;
use pipeline::players::{PlayerSpec, load_players};

use crate::conditions::{ArenaArgs, Conditions, EffortArgs};
use crate::display::Display;
use crate::output::{Interrupted, Output, Usage};

/// Both errors of a match's sequential test.
const MATCH_ERROR: f64 = 0.05;

/// Pairs when nothing else is said.
const USUAL_PAIRS: usize = 100;
/// What its games are called in PDN.
const EVENT: &str = "crownhead match";

/// Play two players against each other
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, diluted:random=20, alphabeta:depth=4, learned:depth=4, mcts:rollouts=1000, run:DIR (its champion), run:DIR@42,
model:DIR, bundled (a network that comes with the program), ab:DIR (alpha-beta search with an
evaluation that crownhead distill made), ab:bundled, hub:COMMAND, a program that speaks the Hub
protocol (arguments with commas in quotes), hub1:COMMAND, one that speaks its version 1, and dxp:HOST:PORT, one that waits for games of 10x10 draughts by
DXP (time=300+0 is the only kind of limit that can be told to it, 5 minutes a game the usual one). Options after a comma: sims=N, precision=f32 or int8 and the
settings of search, as in mode=puct or c_scale=0.3 (crownhead config explain search lists them), for
networks; depth=N and hash=MB for ab:DIR, which visits 100,000 positions a move when nothing is said;
threads=N (of one position; of networks only with a clock) and endgames=DIR (a directory of endgame
databases, whose results are taken as proven) for both; nodes=N for ab:DIR and hub:COMMAND; time=LIMIT for
all: run:DIR,sims=16

elo=N holds bundled networks and agents of crownhead export --strength back to a rating, random having 0;
then they have no clock and no other option.

A time limit is 5 (seconds a move, and a fifth of it for a single forced capture), 40/300 (so many
moves in so many seconds, again and again, unused time kept) or 60+1 (seconds for the game and
before each move); units are ms, s, m, h. Whoever oversteps it, plays an illegal move or breaks down
loses the game. Networks, ab and mcts use the time they have; other players of ours think as always.
With a clock results depend on the machine: give every thread a core of its own.

Examples:
  crownhead match run:runs/english alphabeta:depth=4
  crownhead match run:runs/thai@40 run:runs/thai@10 --pairs 200 --sims 16 --pdn games.pdn
  crownhead match random alphabeta:depth=2 --variant frisian --format json
  crownhead match ab:english-ab run:runs/english --time 100ms --pairs 20
  crownhead match bundled:english,elo=900 alphabeta:depth=1
  crownhead match model:new model:old --pairs 5000 --elo0 0 --elo1 10 --early-stop
  crownhead match run:runs/thai random --openings openings.pdn --resign -0.95 --agree-draw 20
  crownhead match run:runs/frisian 'hub:scan hub' --time 60+1 --pairs 10 --threads 1")]
pub(crate) struct MatchArgs {
    /// The player whose results are given
    a: PlayerSpec,
    /// Its opponent
    b: PlayerSpec,
    /// The game, where the players do not tell
    #[arg(long)]
    variant: Option<Variant>,
    /// Openings, each played twice with colours swapped
    ///
    /// [default: 100, or all of --openings where they are fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// Normalised Elo that the LLR speaks against [default: the gate's]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Normalised Elo that the LLR speaks for [default: the gate's]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Stop as soon as the LLR decides between the two
    #[arg(long)]
    early_stop: bool,
    /// Write every game to this file; a comment after a move is what its side expects then, from -1
    /// for its loss to +1 for its win
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl MatchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let both = [&self.a, &self.b];
        let (variant, mut players) = load_players(both, self.variant, &self.effort.effort())?;
        if players[0].name == players[1].name {
            players[1].name.push_str(" (2)");
        }
        let bounds = self.bounds(&ConfigSources::default().resolve(variant)?.config.gate)?;
        let file = self.conditions.openings(variant)?;
        let pairs = self
            .conditions
            .pairs(self.pairs, USUAL_PAIRS, file.as_deref())?;
        let seed = search::Seed::new(self.arena.seed);
        let openings = match file {
            Some(openings) => openings::draw(openings, pairs, seed),
            None => openings::sample(variant, pairs, seed),
        };
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(self.conditions.adjudication(), &stop);
        let mut watch = Watch::new(self.pdn.as_deref(), openings.len() as u64)?;
        let started = Instant::now();
        let sides = [&players[0], &players[1]];
        let result = play_match(sides, &openings, &arena, &mut |result| {
            watch.see(result)?;
            match bounds.state(&result.pairs) {
                SprtState::AcceptH0 | SprtState::AcceptH1 if self.early_stop => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        })?;
        watch.close()?;
        let seconds = started.elapsed().as_secs_f64();
        let report = MatchReport::new(variant, &result, bounds, self.arena.seed, seconds);
        output.result(&report)?;
        let (played, planned) = (result.pairs_played(), openings.len() as u64);
        let decided = self.early_stop && bounds.state(&result.pairs) != SprtState::Continue;
        if played == planned || decided {
            return Ok(());
        }
        let message = format!("Stopped after {played} of {planned} pairs.");
        Err(Interrupted(message).into())
    }

    /// The hypotheses about which the LLR speaks: those asked for, else the gate's. The errors are not the
    /// gate's, which are meant for many gates in a row.
    fn bounds(&self, gate: &GateSection) -> Result<SprtBounds, Usage> {
        let bounds = SprtBounds {
            nelo0: self.elo0.unwrap_or(gate.nelo0),
            nelo1: self.elo1.unwrap_or(gate.nelo1),
            alpha: MATCH_ERROR,
            beta: MATCH_ERROR,
        };
        let SprtBounds { nelo0, nelo1, .. } = bounds;
        if nelo0 < nelo1 && nelo0.is_finite() && nelo1.is_finite() {
            return Ok(bounds);
        }
        let message = format!("--elo0 must be below --elo1, and these are {nelo0} and {nelo1}");
        Err(Usage(message))
    }
}

/// Follows the match: shows it and writes its games.
struct Watch {
    display: Display,
    pdn: Option<PdnFile>,
    written: pipeline::Result<()>,
}

impl Watch {
    fn new(pdn: Option<&Path>, n_pairs: u64) -> pipeline::Result<Watch> {
        let pdn = pdn.map(PdnFile::create).transpose()?;
        let mut display = Display::new();
        display.stage("pairs", n_pairs);
        Ok(Watch {
            display,
            pdn,
            written: Ok(()),
        })
    }

    /// After each pair. Breaks the match off when its games cannot be written.
    fn see(&mut self, result: &MatchResult) -> ControlFlow<()> {
        self.display.at(result.pairs_played(), || {
            let Counts {
                wins,
                draws,
                losses,
            } = result.total();
            format!(
                "{wins} won, {draws} drawn, {losses} lost; Elo {}",
                result.elo()
            )
        });
        if let Some(pdn) = &mut self.pdn {
            self.written = pdn.add(&result.newest_pair_to_pdn(EVENT));
        }
        if self.written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn close(self) -> pipeline::Result<()> {
        self.display.close();
        self.written
    }
}
