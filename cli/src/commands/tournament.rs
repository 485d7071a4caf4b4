//! `crownhead tournament`: any number of players, ratings of them all.

use std::path::PathBuf;
use std::sync::Arc;

use eval::{
    Hall, PlayedBatch, Schedule, Terms, Tournament, TournamentReport, TournamentSetup, openings,
};
use fleet::Objects;
use pipeline::fleet::FleetHall;
use pipeline::players::{Contender, Effort, PlayerSpec, load_contenders};
use pipeline::tournament::TournamentFiles;
use rules::Variant;

use super::fleet::{trust, variables};
use super::rate::write_ratings;
use crate::conditions::{ArenaArgs, Conditions, EffortArgs, number_in, one_of};
use crate::display::Display;
use crate::output::{Format, Interrupted, Output, Usage};

/// Pairs when nothing else is said.
const USUAL_PAIRS: usize = 20;
/// Pairs that one thread of a machine of a fleet plays at a time.
const FLEET_PAIRS: usize = 4;

/// Let any number of players meet, and rate them
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players are those of `crownhead match`. With --dir everything is kept there: the same command goes on
where it was stopped, more players or more pairs continue with the games already played, and
players who are no longer named keep theirs in the table.

With --fleet the pairs are shared with every machine that runs crownhead worker --join URL. Players are handed over
with their networks; clocks, other programs, endgame databases and early ends of games stay on one machine.

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
        ("swiss", "Rounds between neighbours in the standings", Schedule::Swiss),
        ("informative", "As many games as a round robin, each where it is expected to tell the most", Schedule::Informative),
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
        let effort = self.effort.effort();
        let (variant, contenders) = load_contenders(&self.players, self.variant)?;
        let players = contenders.iter();
        let players = players.map(|player| player.player_factory(variant, &effort));
        let players = players.collect::<pipeline::Result<Vec<_>>>()?;
        let openings = self.conditions.openings(variant)?;
        let pairs = self
            .conditions
            .pairs(self.pairs, USUAL_PAIRS, openings.as_deref())?;
        let adjudication = self.conditions.adjudication();
        let terms = Terms {
            variant: variant.name().to_owned(),
            rules_version: variant.rules().version,
            seed: self.arena.seed,
            thinking: effort.to_string(),
            openings: openings
                .as_deref()
                .map(openings::digest)
                .unwrap_or_default(),
            adjudication: adjudication.to_string(),
        };
        let hall = self.hall(variant, &terms, (&contenders, &effort))?;
        let (files, mut tournament) =
            TournamentFiles::open(self.dir.as_deref(), self.pdn.as_deref(), terms)?;
        let field = TournamentSetup {
            variant,
            players: &players,
            schedule: self.schedule,
            openings: openings.as_deref(),
            pairs,
            hall: hall.as_ref().map(|hall| -> &dyn Hall { hall }),
        };
        let stop = super::stop_on_ctrl_c()?;
        let mut arena = self.arena.arena(adjudication, &stop);
        if self.fleet.is_some() {
            // Small parts, so that all machines have some.
            arena.pairs_at_once = FLEET_PAIRS;
        }
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let mut display = Display::new();
        let total = field.schedule.total_pairs(players.len(), pairs);
        display.stage(field.schedule.to_string(), total as u64);
        let shown = &mut |tournament: &Tournament, batch: &PlayedBatch| {
            let [one, other] = &batch.names;
            let played = tournament.pairs_among(&names) as u64;
            display.at(played, || format!("{one} against {other}"));
        };
        let played = files.play(&mut tournament, &field, &arena, shown);
        display.close();
        let (complete, resignations) = played?;
        // Workers wait for one that goes on.
        if let (Some(hall), true) = (&hall, complete) {
            hall.dismiss()?;
        }
        if let Some(audit) = resignations.in_words() {
            note!("Games of this call: {audit}.");
        }
        let report = TournamentReport::new(&tournament, field.schedule, complete)?;
        match output.format() {
            Format::Json => output.json(&report)?,
            _ => write_ratings(output, &report.ratings)?,
        }
        let duplicates = report.tournament.duplicates;
        if duplicates > 0 {
            note!("{duplicates} games had been played before and count once");
        }
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

    /// All who join, if they are asked to.
    fn hall(
        &self,
        variant: Variant,
        terms: &Terms,
        (contenders, effort): (&[Contender], &Effort),
    ) -> anyhow::Result<Option<FleetHall>> {
        let Some(url) = &self.fleet else {
            return Ok(None);
        };
        if !terms.adjudication.is_empty() {
            let message = "--fleet plays every game out: leave --resign and --agree-draw out";
            return Err(Usage(message.to_owned()).into());
        }
        let (share, trust) = (Objects::make(url, &variables())?, trust(self.audit));
        let (threads, who) = (self.arena.threads(), (contenders, effort));
        let hall = FleetHall::lead(Arc::new(share), trust, (variant, terms), who, threads)?;
        note!("Other machines play too: crownhead worker --join {url}");
        note!("How far they are: crownhead fleet status {url}");
        Ok(Some(hall))
    }
}
