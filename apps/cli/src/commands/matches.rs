//! `crownhead match`: plays two players against each other, every opening with both colors.

use lab::matches::{MatchRequest, PlannedMatch};
use roster::PlayerSpec;

use crate::complete;
use crate::display::showing;
use crate::options::{ArenaArgs, Conditions, EffortArgs, GameOption, pairs, warn_of_load};
use crate::output::{Interrupted, Output};

/// Play two players against each other
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players:
  english, thai, ..         the strongest player of the game in the program
  bundled                   the network of the game that comes with the program
  run:DIR, run:DIR@42       the champion or another model of a run
  model:DIR                 a network elsewhere; runs/x and a model's path alone
                            are understood too
  ab:bundled, ab:DIR        alpha-beta search with a learned evaluation: the one
                            that comes with the program, or of crownhead distill
  material:russian          alpha-beta search that counts material
  mcts:rollouts=1000        tree search with random games
  alphabeta:depth=4, learned:depth=4, diluted:random=20, random   baselines
  hub:COMMAND               a program that speaks the Hub protocol (quote its
                            arguments with commas); hub1:COMMAND for version 1
  dxp:HOST:PORT             a program that waits for games of 10x10 draughts by
                            DXP, with a time limit such as time=300+0

Options of a player follow a comma, as in run:DIR,sims=16:
  time=LIMIT                all players
  sims=N, precision=f32|int8   networks, and the settings of search, such as
                            mode=puct (crownhead config explain search)
  evaluation=bundled|DIR|none  networks: the mean of its value and the network's
                            counts; bundled has the one of its game, others none
  depth=N                   ab, which visits 100,000 positions a move by default
  nodes=N                   ab and hub
  threads=N                 ab and networks, for one position; networks only
                            with a clock or with more simulations than fit hash
  hash=MB                   ab (64 by default) and networks (256): search memory
  endgames=DIR              ab and networks: results in these endgame databases
  book=FILE                 searching players: moves of this opening book first
  variety=2                 with a book: any of its moves that lose at most 2 %
                            are taken as proven
  elo=N                     bundled networks and agents of crownhead export
                            --strength: limits the strength to a rating, where
                            random has 0; only precision may be given with it

A time limit is 5 (seconds a move, a fifth of it for a single forced capture),
40/300 (moves in seconds, again and again, unused time kept) or 60+1 (seconds
for the game and before each move); units are ms, s, m, h. A player that
oversteps it, plays an illegal move or breaks down loses the game. Networks, ab
and mcts use the time they have; other players of ours think as always. With a
clock results depend on the machine: give every thread a core of its own, or
measure processor time with --clock cpu. A match in which more than 2 % of the
games are forfeited is not a measure of strength.

Examples:
  crownhead match english random
  crownhead match run:runs/english alphabeta:depth=4
  crownhead match run:runs/thai@40 run:runs/thai@10 --pairs 200 --pdn games.pdn
  crownhead match random alphabeta:depth=2 --variant frisian --format json
  crownhead match ab:english-ab run:runs/english --time 100ms --pairs 20
  crownhead match bundled:english,elo=900 alphabeta:depth=1
  crownhead match model:a model:b --pairs 5000 --elo0 0 --elo1 10 --early-stop
  crownhead match run:runs/thai random --resign -0.95 --agree-draw 20
  crownhead match run:runs/frisian 'hub:scan hub' --time 60+1 --threads 1")]
pub(crate) struct MatchArgs {
    /// The player whose results are given
    #[arg(add = complete::players())]
    a: PlayerSpec,
    /// Its opponent
    #[arg(add = complete::players())]
    b: PlayerSpec,
    #[command(flatten)]
    game: GameOption,
    /// Openings, each played twice with colors swapped
    ///
    /// [default: 100, or all of --openings where they are fewer]
    #[arg(long, value_name = "N", value_parser = pairs())]
    pairs: Option<u32>,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// Normalized Elo that the LLR speaks against [default: the gate's]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Normalized Elo that the LLR speaks for [default: the gate's]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Stop as soon as the LLR decides between the two
    #[arg(long)]
    early_stop: bool,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl MatchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let openings = self.conditions.openings();
        let planned = PlannedMatch::new(&MatchRequest {
            players: [&self.a, &self.b],
            variant: self.game.variant,
            effort: self.effort.effort(),
            openings: openings.as_ref(),
            pairs: self.pairs.map(|pairs| pairs as usize),
            hypotheses: [self.elo0, self.elo1],
            early_stop: self.early_stop,
            seed: self.arena.seed.seed,
            clock: self.conditions.clock(),
        })?;
        warn_of_load(planned.cores(self.arena.threads.count()));
        self.conditions.announce(planned.notices());
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(self.conditions.adjudication(), &stop);
        let pdn = self.conditions.pdn.as_deref();
        let played = showing(|progress| planned.play(pdn, &arena, progress))?;
        let (pairs, planned) = (played.report.pairs, played.planned);
        // Of no games there is nothing to say.
        if pairs > 0 || output.is_json() {
            output.result(&played.report)?;
        }
        let stopped = format!("Stopped after {pairs} of {planned} pairs.");
        anyhow::ensure!(played.is_complete, Interrupted(stopped));
        Ok(())
    }
}
