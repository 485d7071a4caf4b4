//! `crownhead tournament`: plays a tournament and rates all players.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueHint;
use eval::Schedule;
use lab::tournament::{PlannedTournament, TournamentPlaces, TournamentRequest};
use roster::PlayerSpec;
use share::{Objects, Trust, variables};

use super::rate::write_ratings;
use crate::complete;
use crate::display::showing;
use crate::options::{
    ArenaArgs, Conditions, EffortArgs, FleetArgs, GameOption, one_of, pairs, warn_of_load,
};
use crate::output::{Format, Interrupted, Output};

/// Play any number of players against each other and rate them
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("url", |arg| {
        let help = "Share the games with machines that join by crownhead worker, as crownhead train \
                    does. The result is the same";
        arg.help(help)
    }),
    after_help = "\
Players are named as for crownhead match. With --to everything is kept there:
the same command resumes, more players or more pairs continue with the games
already played, and players that are no longer named keep theirs in the table.

With --fleet the pairs are shared with every machine that runs crownhead worker
--join URL. Players are handed over with their networks; clocks, other programs,
endgame databases and early ends of games stay on one machine.

Ratings are relative Elo, as of crownhead rate: 0 is random if it takes part,
else the mean. For Elo above random, the scale of runs, use crownhead strength.

Examples:
  crownhead tournament run:runs/thai@10 run:runs/thai@40 random --to thai-ladder
  crownhead tournament random alphabeta:depth=1 ab:bundled --variant frisian
  crownhead tournament run:new run:old random --schedule gauntlet --pdn a.pdn
  crownhead tournament run:new run:old --to new-old --fleet /shared/new-old"
)]
pub(crate) struct TournamentArgs {
    /// The players
    #[arg(required = true, num_args = 2.., value_name = "PLAYER", add = complete::players())]
    players: Vec<PlayerSpec>,
    #[command(flatten)]
    game: GameOption,
    /// Openings that two players who meet play, each twice with colors swapped
    ///
    /// [default: 20, or all of --openings where they are fewer]
    #[arg(long, value_name = "N", value_parser = pairs())]
    pairs: Option<u32>,
    /// The pairings
    #[arg(long, default_value = "round-robin", value_parser = one_of([
        ("round-robin", "All players meet", Schedule::RoundRobin),
        ("gauntlet", "The first player meets all others", Schedule::Gauntlet),
    ]))]
    schedule: Schedule,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// Keep results and games in this folder, and continue with those that are there
    #[arg(long, alias = "dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    to: Option<PathBuf>,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl TournamentArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let adjudication = self.conditions.adjudication();
        let openings = self.conditions.openings();
        let mut planned = PlannedTournament::new(&TournamentRequest {
            players: &self.players,
            variant: self.game.variant,
            effort: self.effort.effort(),
            schedule: self.schedule,
            openings: openings.as_ref(),
            pairs: self.pairs.map(|pairs| pairs as usize),
            adjudication,
            seed: self.arena.seed.seed,
            is_shared: self.fleet.url.is_some(),
            clock: self.conditions.clock(),
        })?;
        warn_of_load(planned.cores(self.arena.threads.count()));
        if let Some(url) = &self.fleet.url {
            let share = Objects::make(url, &variables())?;
            let trust = Trust::secretly(self.fleet.audit);
            planned.lead(Arc::new(share), trust, self.arena.threads.count())?;
            let url = types::shell_word(url);
            note!("Other machines play too: crownhead worker --join {url}");
            note!("To see their progress: crownhead fleet status {url}");
        }
        self.conditions.announce(planned.notices());
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(adjudication, &stop);
        let places = TournamentPlaces {
            dir: self.to.as_deref(),
            pdn: self.conditions.pdn.as_deref(),
        };
        let played = showing(|progress| planned.play(places, &arena, progress))?;
        if let Some(audit) = played.resignations.describe() {
            note!("Games of this call: {audit}.");
        }
        let tournament = &played.report.tournament;
        if output.is_json() {
            output.json(&played.report)?;
        } else if tournament.pairs > 0 {
            match (output.format(), tournament.forfeit_headline()) {
                (Format::Csv, Some(forfeits)) => note!("{forfeits}"),
                (_, Some(forfeits)) => writeln!(output, "{forfeits}\n")?,
                (_, None) => {}
            }
            write_ratings(output, &played.report.ratings)?;
        }
        let duplicates = tournament.duplicates;
        if duplicates > 0 {
            note!("{duplicates} games repeated earlier ones and were counted once");
        }
        let how_on = match &self.to {
            Some(_) => "The same command resumes.",
            None => "Without --to, nothing was saved.",
        };
        let stopped = format!("Stopped after {} pairs. {how_on}", tournament.pairs);
        anyhow::ensure!(tournament.complete, Interrupted(stopped));
        Ok(())
    }
}
