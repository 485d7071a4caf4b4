//! `crownhead match`: two players, every opening with both colours.

use std::path::PathBuf;

use lab::matches::{MatchRequest, PlannedMatch};
use roster::PlayerSpec;
use rules::Variant;

use crate::conditions::{ArenaArgs, Conditions, EffortArgs};
use crate::display::Display;
use crate::output::{Interrupted, Output};

/// Play two players against each other
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, diluted:random=20, alphabeta:depth=4, learned:depth=4, mcts:rollouts=1000, run:DIR (its champion), run:DIR@42,
model:DIR, bundled (a network that comes with the program), ab:DIR (alpha-beta search with an
evaluation that crownhead distill made), ab:bundled, hub:COMMAND, a program that speaks the Hub
protocol (arguments with commas in quotes), hub1:COMMAND, one that speaks its version 1, and dxp:HOST:PORT, one that waits for games of 10x10 draughts by
DXP (time=300+0 is the only kind of limit that can be told to it, 5 minutes a game the usual one). Options after a comma: sims=N, precision=f32 or int8 and the
settings of search, as in mode=puct or c_scale=0.3 (crownhead config explain search lists them), for
networks; depth=N for ab:DIR, which visits 100,000 positions a move when nothing is said; hash=MB (what a
search remembers: 64 of ab:DIR, 256 of networks), threads=N (of one position; of networks only with a clock, or with more
simulations than that memory holds) and endgames=DIR (a directory of endgame databases, whose results are taken as
proven) for both; nodes=N for ab:DIR and hub:COMMAND; time=LIMIT for
all: run:DIR,sims=16

elo=N holds bundled networks and agents of crownhead export --strength back to a rating, random having 0;
then they have no clock and no other option but precision.

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
        let planned = PlannedMatch::new(&MatchRequest {
            players: [&self.a, &self.b],
            variant: self.variant,
            effort: self.effort.effort(),
            openings: self.conditions.openings.as_deref(),
            pairs: self.pairs.map(|pairs| pairs as usize),
            hypotheses: [self.elo0, self.elo1],
            early_stop: self.early_stop,
            seed: self.arena.seed,
        })?;
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(self.conditions.adjudication(), &stop);
        let mut display = Display::new();
        let played = planned.play(self.pdn.as_deref(), &arena, &mut |stage| {
            display.show(stage)
        });
        display.close();
        let played = played?;
        output.result(&played.report)?;
        if played.is_complete {
            return Ok(());
        }
        let (pairs, planned) = (played.report.pairs, played.planned);
        anyhow::bail!(Interrupted(format!(
            "Stopped after {pairs} of {planned} pairs."
        )))
    }
}
