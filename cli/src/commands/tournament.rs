//! `crownhead tournament`: any number of players, ratings of them all.

use std::path::PathBuf;
use std::sync::Arc;

use eval::Schedule;
use fleet::{Objects, Trust};
use lab::tournament::{PlannedTournament, TournamentPlaces, TournamentRequest};
use roster::PlayerSpec;
use rules::Variant;

use super::fleet::variables;
use super::rate::write_ratings;
use crate::conditions::{ArenaArgs, Conditions, EffortArgs, number_in, one_of};
use crate::display::Display;
use crate::output::{Interrupted, Output};

/// Let any number of players meet, and rate them
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players are those of `crownhead match`. With --dir everything is kept there: the same command goes on
where it was stopped, more players or more pairs continue with the games already played, and
players who are no longer named keep theirs in the table.

With --fleet the pairs are shared with every machine that runs crownhead worker --join URL. Players are handed over
with their networks; clocks, other programs, endgame databases and early ends of games stay on one machine.

Ratings are relative Elo, as of crownhead rate: 0 is random if it takes part, else the mean. For Elo
above random, the scale of runs, use crownhead strength.

Examples:
  crownhead tournament run:runs/thai@10 run:runs/thai@40 alphabeta:depth=4 --dir thai-ladder
  crownhead tournament random alphabeta:depth=1 alphabeta:depth=2 --variant frisian --pairs 50
  crownhead tournament run:new run:old alphabeta:depth=6 --schedule gauntlet --pdn games.pdn
  crownhead tournament run:new run:old --pairs 500 --dir new-old --fleet /shared/new-old")]
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
    #[arg(long, default_value = "round-robin", value_parser = one_of([
        ("round-robin", "Everybody meets everybody", Schedule::RoundRobin),
        ("gauntlet", "The first player meets all others", Schedule::Gauntlet),
    ]))]
    schedule: Schedule,
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
    /// Share the games with all who join here: what crownhead train takes as --fleet. The result is the same
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// With --fleet: share of what others have played that is played again, to see whether it is right
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = number_in(0_f64, 1.0), requires = "fleet")]
    audit: f64,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl TournamentArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let adjudication = self.conditions.adjudication();
        let mut planned = PlannedTournament::new(&TournamentRequest {
            players: &self.players,
            variant: self.variant,
            effort: self.effort.effort(),
            schedule: self.schedule,
            openings: self.conditions.openings.as_deref(),
            pairs: self.pairs.map(|pairs| pairs as usize),
            adjudication,
            seed: self.arena.seed,
            is_shared: self.fleet.is_some(),
        })?;
        if let Some(url) = &self.fleet {
            let share = Objects::make(url, &variables())?;
            let trust = Trust::secretly(self.audit);
            planned.lead(Arc::new(share), trust, self.arena.threads())?;
            note!("Other machines play too: crownhead worker --join {url}");
            note!("How far they are: crownhead fleet status {url}");
        }
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(adjudication, &stop);
        let places = TournamentPlaces {
            dir: self.dir.as_deref(),
            pdn: self.pdn.as_deref(),
        };
        let mut display = Display::new();
        let played = planned.play(places, &arena, &mut |stage| display.show(stage));
        display.close();
        let played = played?;
        if let Some(audit) = played.resignations.in_words() {
            note!("Games of this call: {audit}.");
        }
        let tournament = &played.report.tournament;
        match output.is_json() {
            true => output.json(&played.report)?,
            false => write_ratings(output, &played.report.ratings)?,
        }
        if tournament.duplicates > 0 {
            let duplicates = tournament.duplicates;
            note!("{duplicates} games had been played before and count once");
        }
        if tournament.complete {
            return Ok(());
        }
        let how_on = match &self.dir {
            Some(_) => "The same command goes on.",
            None => "Without --dir nothing is kept.",
        };
        let pairs = tournament.pairs;
        anyhow::bail!(Interrupted(format!(
            "Stopped after {pairs} pairs. {how_on}"
        )))
    }
}
