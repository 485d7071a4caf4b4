//! `crownhead match`: two players, every opening with both colours.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use eval::{
    Arena, Audit, Counts, EloInterval, MatchGame, MatchResult, Pentanomial, SprtBounds, SprtState,
    openings, play_match,
};
use rules::Variant;
use search::Seed;
use serde::Serialize;

use pipeline::config::{ConfigSources, GateSection};
use pipeline::players::{PAIRS_AT_ONCE, PlayerSpec, common_variant};
use pipeline::settings;

use crate::conditions::{Conditions, EffortArgs, audit_in_words};
use crate::display::Display;
use crate::output::{Interrupted, Output, Usage};

/// Pairs when nothing else is said.
const USUAL_PAIRS: usize = 100;

/// Play two players against each other
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, alphabeta:depth=4, mcts:rollouts=1000, run:DIR (its champion), run:DIR@42,
model:DIR, bundled (a network that comes with the program), ab:DIR (alpha-beta search with an
evaluation that crownhead distill made), ab:bundled and hub:COMMAND, a program that speaks the Hub
protocol. Options after a comma: sims=N and precision=f32 or int8 for networks; depth=N, threads=N and
hash=MB for ab:DIR, which visits 100,000 positions a move when nothing is said; endgames=DIR (a
directory of endgame databases, whose results are taken as proven) for both; nodes=N for ab:DIR and
hub:COMMAND; time=LIMIT for all: run:DIR,sims=16

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
    /// Seed of the openings and of what players leave to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads to use, 0 for one per core; no influence on results
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// The result as JSON, seen from player `a`.
#[derive(Serialize)]
struct Report {
    variant: &'static str,
    a: String,
    b: String,
    pairs: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    moving_first: Counts,
    moving_second: Counts,
    elo: EloInterval,
    normalized_elo: f64,
    likelihood_of_superiority: f64,
    /// Pairs that gave 0, ½, 1, 1½ and 2 points.
    pentanomial: Pentanomial,
    llr: f64,
    llr_limits: (f64, f64),
    bounds: SprtBounds,
    verdict: &'static str,
    duplicates: u64,
    /// Games that ended by resignation, and those that would have.
    resignations: Audit,
    /// Games that were lost off the board.
    forfeits: Vec<Forfeit>,
    mean_plies: f64,
    seed: u64,
    seconds: f64,
}

/// A game that one side lost by what it did.
#[derive(Serialize)]
struct Forfeit {
    /// `pair.game`, as in the PDN.
    round: String,
    loser: String,
    fault: String,
}

impl MatchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let contenders = [self.a.load()?, self.b.load()?];
        let variant = common_variant(&contenders, self.variant)?;
        let effort = self.effort.effort();
        let mut factories = [
            contenders[0].player_factory(variant, &effort)?,
            contenders[1].player_factory(variant, &effort)?,
        ];
        if factories[0].name == factories[1].name {
            factories[1].name.push_str(" (2)");
        }
        let bounds = self.bounds(&ConfigSources::default().resolve(variant)?.config.gate)?;
        let file = self.conditions.openings(variant)?;
        let pairs = self
            .conditions
            .pairs(self.pairs, USUAL_PAIRS, file.as_deref())?;
        let seed = Seed::new(self.seed);
        let openings = match file {
            Some(openings) => openings::draw(openings, pairs, seed),
            None => openings::sample(variant, pairs, seed),
        };
        let stop = super::stop_on_ctrl_c()?;
        let arena = Arena {
            seed,
            threads: settings::threads(self.threads),
            pairs_at_once: PAIRS_AT_ONCE,
            first_pair: 0,
            adjudication: self.conditions.adjudication()?,
            stop: &stop,
        };
        let mut watch = Watch::new(self.pdn.as_deref(), openings.len() as u64)?;
        let started = Instant::now();
        let sides = [&factories[0], &factories[1]];
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
        let report = Report::new(variant, &result, bounds, self.seed, seconds);
        if output.is_json() {
            output.json(&report)?
        } else {
            report.write(output)?
        }
        let (played, planned) = (result.pairs_played(), openings.len() as u64);
        let decided = self.early_stop && bounds.state(&result.pairs) != SprtState::Continue;
        if played == planned || decided {
            return Ok(());
        }
        let message = format!("Stopped after {played} of {planned} pairs.");
        Err(Interrupted(message).into())
    }

    /// The hypotheses about which the LLR speaks: those asked for, else the gate's.
    fn bounds(&self, gate: &GateSection) -> Result<SprtBounds, Usage> {
        let bounds = SprtBounds {
            nelo0: self.elo0.unwrap_or(gate.nelo0),
            nelo1: self.elo1.unwrap_or(gate.nelo1),
            alpha: gate.alpha,
            beta: gate.beta,
        };
        let SprtBounds { nelo0, nelo1, .. } = bounds;
        if nelo0 < nelo1 && nelo0.is_finite() && nelo1.is_finite() {
            return Ok(bounds);
        }
        let message = format!("--elo0 must be below --elo1, and these are {nelo0} and {nelo1}");
        Err(Usage(message))
    }
}

fn forfeit(game: &MatchGame, names: &[String; 2]) -> Option<Forfeit> {
    let fault = game.fault.as_ref()?.to_string();
    let winner = usize::from(game.outcome.winner() != Some(game.color(0)));
    Some(Forfeit {
        round: game.round(),
        loser: names[1 - winner].clone(),
        fault,
    })
}

/// Follows the match: shows it and writes its games.
struct Watch {
    display: Display,
    pdn: Option<BufWriter<File>>,
    written: io::Result<()>,
}

impl Watch {
    fn new(pdn: Option<&Path>, n_pairs: u64) -> anyhow::Result<Watch> {
        let create = |path: &Path| {
            File::create(path).with_context(|| format!("failed to write {}", path.display()))
        };
        let pdn = pdn.map(create).transpose()?.map(BufWriter::new);
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
            self.written = write_newest_pair(result, pdn);
        }
        if self.written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn close(self) -> anyhow::Result<()> {
        self.display.close();
        self.written.context("failed to write the games")
    }
}

fn write_newest_pair(result: &MatchResult, pdn: &mut impl Write) -> io::Result<()> {
    for game in &result.games[result.games.len() - 2..] {
        pdn.write_all(game.to_pdn(&result.names, "crownhead match").as_bytes())?;
    }
    pdn.flush()
}

impl Report {
    fn new(
        variant: Variant,
        result: &MatchResult,
        bounds: SprtBounds,
        seed: u64,
        seconds: f64,
    ) -> Report {
        let Counts {
            wins,
            draws,
            losses,
        } = result.total();
        let [a, b] = result.names.clone();
        let verdict = match bounds.state(&result.pairs) {
            SprtState::AcceptH1 => "better",
            SprtState::AcceptH0 => "not better",
            SprtState::Continue => "inconclusive",
        };
        Report {
            variant: variant.name(),
            a,
            b,
            pairs: result.pairs_played(),
            wins,
            draws,
            losses,
            score: result.total().score(),
            moving_first: result.moving_first,
            moving_second: result.moving_second,
            elo: result.elo(),
            normalized_elo: result.normalized_elo(),
            likelihood_of_superiority: result.likelihood_of_superiority(),
            pentanomial: result.pairs,
            llr: bounds.llr(&result.pairs),
            llr_limits: bounds.limits(),
            bounds,
            verdict,
            duplicates: result.duplicates,
            resignations: result.audit(),
            forfeits: result
                .games
                .iter()
                .filter_map(|game| forfeit(game, &result.names))
                .collect(),
            mean_plies: result.mean_plies(),
            seed,
            seconds,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let row = |counts: Counts| {
            let Counts {
                wins,
                draws,
                losses,
            } = counts;
            format!(
                "{wins:>6} {draws:>6} {losses:>6}  {:>6.1} %",
                100.0 * counts.score()
            )
        };
        let Report {
            wins,
            draws,
            losses,
            ..
        } = *self;
        writeln!(out, "{}: {} against {}", self.variant, self.a, self.b)?;
        writeln!(out)?;
        writeln!(out, "                  won  drawn   lost   score")?;
        writeln!(out, "  moving first {}", row(self.moving_first))?;
        writeln!(out, "  moving second{}", row(self.moving_second))?;
        writeln!(
            out,
            "  all games    {}",
            row(Counts {
                wins,
                draws,
                losses
            })
        )?;
        writeln!(out)?;
        let points = self.pentanomial.0.map(|n| n.to_string()).join(" ");
        writeln!(
            out,
            "  pairs        {}; with 0, ½, 1, 1½, 2 points: {points}",
            self.pairs
        )?;
        writeln!(out, "  Elo          {} (95 %)", self.elo)?;
        let superior = 100.0 * self.likelihood_of_superiority;
        writeln!(
            out,
            "  normalised   {:+.0}; stronger with {superior:.1} %",
            self.normalized_elo
        )?;
        let (low, high) = self.llr_limits;
        let SprtBounds { nelo0, nelo1, .. } = self.bounds;
        writeln!(
            out,
            "  LLR          {:+.2} in {low:+.2}..{high:+.2} for {nelo1:+.0} against {nelo0:+.0} \
             normalised: {}",
            self.llr, self.verdict
        )?;
        write!(
            out,
            "  games        {:.0} plies on average",
            self.mean_plies
        )?;
        match self.duplicates {
            0 => writeln!(out)?,
            n => writeln!(out, "; {n} played twice and counted once")?,
        }
        if let Some(audit) = audit_in_words(&self.resignations) {
            writeln!(out, "  resignation  {audit}")?;
        }
        for Forfeit {
            round,
            loser,
            fault,
        } in &self.forfeits
        {
            writeln!(out, "  forfeit      game {round}, {loser}: {fault}")?;
        }
        Ok(())
    }
}
