//! `crownhead tournament`: any number of players, ratings of them all.

use std::fs::{self, File};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use eval::{
    Arena, Audit, DrawModel, EvalError, PlayedBatch, PlayerFactory, RatingOptions, RatingReport,
    Schedule, Terms, Tournament, TournamentSetup, USUAL_PRIOR, anchors, openings, play_tournament,
};
use rules::Variant;
use search::Seed;
use serde::Serialize;
use store::TournamentDir;

use super::rate::write_table;
use pipeline::players::{PAIRS_AT_ONCE, PlayerSpec, common_variant};
use pipeline::settings;

use crate::conditions::{Conditions, EffortArgs, audit_in_words};
use crate::display::Display;
use crate::output::{Interrupted, Output, Usage};

/// Pairs when nothing else is said.
const USUAL_PAIRS: usize = 20;

/// Let any number of players meet, and rate them
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players are those of `crownhead match`. With --dir everything is kept there: the same command goes on
where it was stopped, more players or more pairs continue with the games already played, and
players who are no longer named keep theirs in the table.

Schedules: round-robin (everybody meets everybody), gauntlet (the first player meets all others),
swiss (rounds between neighbours in the standings), informative (as many games as a round robin,
each where it is expected to tell the most).

Examples:
  crownhead tournament run:runs/thai@10 run:runs/thai@40 alphabeta:depth=4 --dir thai-ladder
  crownhead tournament random alphabeta:depth=1 alphabeta:depth=2 --variant frisian --pairs 50
  crownhead tournament run:new run:old alphabeta:depth=6 --schedule gauntlet --pdn games.pdn")]
pub(crate) struct TournamentArgs {
    /// The players
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<PlayerSpec>,
    /// The game, where the players do not tell
    #[arg(long)]
    variant: Option<Variant>,
    /// Openings that two players who meet play, each twice with colours swapped
    ///
    /// [default: 20, or all of --openings where they are fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    /// Who meets whom
    #[arg(long, value_enum, default_value = "round-robin")]
    schedule: ScheduleName,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// Keep results and games in this directory, and go on with what is there
    #[arg(long)]
    dir: Option<PathBuf>,
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

/// The schedules as the command line calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ScheduleName {
    RoundRobin,
    Gauntlet,
    Swiss,
    Informative,
}

impl From<ScheduleName> for Schedule {
    fn from(name: ScheduleName) -> Schedule {
        match name {
            ScheduleName::RoundRobin => Schedule::RoundRobin,
            ScheduleName::Gauntlet => Schedule::Gauntlet,
            ScheduleName::Swiss => Schedule::Swiss,
            ScheduleName::Informative => Schedule::Informative,
        }
    }
}

/// The result as JSON: the keys of `crownhead rate`, and the tournament's own.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    ratings: RatingReport,
    tournament: Summary,
}

#[derive(Serialize)]
struct Summary {
    variant: &'static str,
    schedule: Schedule,
    seed: u64,
    /// Pairs played by everybody, also in earlier calls.
    pairs: usize,
    /// Games that occurred before between the same players and do not count.
    duplicates: u64,
    complete: bool,
}

impl TournamentArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let contenders: Vec<_> = self
            .players
            .iter()
            .map(PlayerSpec::load)
            .collect::<pipeline::Result<_>>()?;
        let variant = common_variant(&contenders, self.variant)?;
        let effort = self.effort.effort();
        let factories: Vec<PlayerFactory<'_>> = contenders
            .iter()
            .map(|contender| contender.player_factory(variant, &effort))
            .collect::<pipeline::Result<_>>()?;
        let openings = self.conditions.openings(variant)?;
        let pairs = self
            .conditions
            .pairs(self.pairs, USUAL_PAIRS, openings.as_deref())?;
        let adjudication = self.conditions.adjudication()?;
        let terms = Terms {
            variant: variant.name().to_owned(),
            rules_version: variant.rules().version,
            seed: self.seed,
            thinking: effort.to_string(),
            openings: openings
                .as_deref()
                .map(openings::digest)
                .unwrap_or_default(),
            adjudication: adjudication.to_string(),
        };
        let (dir, mut tournament) = self.open(terms)?;
        let field = TournamentSetup {
            variant,
            players: &factories,
            schedule: self.schedule.into(),
            openings: openings.as_deref(),
            pairs,
        };
        let stop = super::stop_on_ctrl_c()?;
        let arena = Arena {
            seed: Seed::new(self.seed),
            threads: settings::threads(self.threads),
            pairs_at_once: PAIRS_AT_ONCE,
            first_pair: 0,
            adjudication,
            stop: &stop,
        };
        let mut keeper = Keeper::new(dir, self.pdn.as_deref(), &field, &stop)?;
        let played = play_tournament(&mut tournament, &field, &arena, &mut |tournament, batch| {
            keeper.see(tournament, batch)
        });
        let resignations = keeper.resignations;
        keeper.close(self.pdn.as_deref())?;
        let complete = played.map_err(as_usage)?;
        if let Some(audit) = audit_in_words(&resignations) {
            eprintln!("Games of this call: {audit}.");
        }
        self.write(output, &tournament, &field, complete)?;
        if complete {
            return Ok(());
        }
        let how_on = match &self.dir {
            Some(_) => "The same command goes on.",
            None => "Without --dir nothing is kept.",
        };
        let pairs = tournament.pairs_played();
        Err(Interrupted(format!("Stopped after {pairs} pairs. {how_on}")).into())
    }

    /// The tournament in the directory, or a new one.
    fn open(&self, terms: Terms) -> anyhow::Result<(Option<TournamentDir>, Tournament)> {
        let Some(path) = &self.dir else {
            return Ok((None, Tournament::new(terms)));
        };
        let (dir, stored) = TournamentDir::open::<Tournament>(path)?;
        if let Some(stored) = &stored {
            let context = || format!("failed to go on in {}", path.display());
            stored
                .check(&terms)
                .map_err(as_usage)
                .with_context(context)?;
        }
        Ok((Some(dir), stored.unwrap_or_else(|| Tournament::new(terms))))
    }

    fn write(
        &self,
        output: &mut Output,
        tournament: &Tournament,
        field: &TournamentSetup<'_>,
        complete: bool,
    ) -> anyhow::Result<()> {
        let (results, duplicates) = tournament.results();
        let options = RatingOptions {
            prior: USUAL_PRIOR,
            anchor: Some(anchors::ZERO.to_owned()),
            draw_model: DrawModel::BayesElo,
        };
        let ratings = RatingReport::new(&results, &options)?;
        let summary = Summary {
            variant: field.variant.name(),
            schedule: field.schedule,
            seed: self.seed,
            pairs: tournament.pairs_played(),
            duplicates,
            complete,
        };
        if output.is_json() {
            let tournament = summary;
            output.json(&Report {
                ratings,
                tournament,
            })?;
        } else {
            write_table(output, &ratings)?;
        }
        if duplicates > 0 {
            eprintln!("{duplicates} games had been played before and count once");
        }
        Ok(())
    }
}

/// Contradictions of the command line are wrong usage, the rest are failures.
fn as_usage(error: EvalError) -> anyhow::Error {
    match error {
        EvalError::OtherTerms { .. } | EvalError::NamedTwice { .. } => {
            Usage(error.to_string()).into()
        }
        error => error.into(),
    }
}

/// Follows the tournament: shows it and keeps its games and results.
struct Keeper<'a> {
    display: Display,
    names: Vec<&'a str>,
    dir: Option<TournamentDir>,
    /// Where games go that no directory keeps.
    pdn: Option<File>,
    stop: &'a AtomicBool,
    resignations: Audit,
    kept: anyhow::Result<()>,
}

impl<'a> Keeper<'a> {
    fn new(
        dir: Option<TournamentDir>,
        pdn: Option<&Path>,
        field: &TournamentSetup<'a>,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Keeper<'a>> {
        let create = |path| File::create(path).with_context(|| cannot_write(path));
        let mut display = Display::new();
        let total = field.schedule.total_pairs(field.players.len(), field.pairs);
        display.stage(field.schedule.to_string(), total as u64);
        Ok(Keeper {
            display,
            names: field
                .players
                .iter()
                .map(|player| player.name.as_str())
                .collect(),
            pdn: pdn.filter(|_| dir.is_none()).map(create).transpose()?,
            dir,
            stop,
            resignations: Audit::default(),
            kept: Ok(()),
        })
    }

    /// After each batch. Breaks the tournament off when its games cannot be kept.
    fn see(&mut self, tournament: &Tournament, batch: &PlayedBatch) -> ControlFlow<()> {
        self.kept = self.keep(tournament, batch);
        self.resignations = self.resignations.plus(Audit::of(&batch.games));
        if self.kept.is_err() {
            self.stop.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        let played = tournament.pairs_among(&self.names) as u64;
        self.display.at(played, || {
            format!("{} against {}", batch.names[0], batch.names[1])
        });
        ControlFlow::Continue(())
    }

    fn keep(&mut self, tournament: &Tournament, batch: &PlayedBatch) -> anyhow::Result<()> {
        if self.dir.is_none() && self.pdn.is_none() {
            return Ok(());
        }
        let games = batch.to_pdn("crownhead tournament");
        if let Some(dir) = &mut self.dir {
            dir.commit(&games, tournament)?;
        }
        if let Some(pdn) = &mut self.pdn {
            pdn.write_all(games.as_bytes())
                .context("failed to write the games")?;
        }
        Ok(())
    }

    /// Takes the display away, and copies the games of a directory to where they were asked for.
    fn close(self, pdn: Option<&Path>) -> anyhow::Result<()> {
        self.display.close();
        self.kept?;
        if let (Some(dir), Some(path)) = (&self.dir, pdn) {
            fs::copy(dir.games_path(), path).with_context(|| cannot_write(path))?;
        }
        Ok(())
    }
}

fn cannot_write(path: &Path) -> String {
    format!("failed to write {}", path.display())
}
