//! Tournaments: requests, and their storage in a resumable directory, in a file of games, or
//! nowhere.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use eval::{
    Adjudication, Arena, ClockTerms, Opening, PlayedBatch, PlayerFactory, Resignations, Schedule,
    Terms, Tournament, TournamentReport, TournamentRunner, TournamentSetup, openings,
    play_tournament,
};
use fleet::{FleetTournament, SharedTournament};
use roster::{Effort, LoadedPlayer, PlayerSpec, load_all};
use rules::Variant;
use run::StageProgress;
use share::{Share, Trust};
use store::disk::File;
use store::{AtomicFile, StoreError, TournamentDir};

use crate::matches::{cores, n_pairs, set_clocks};
use crate::openings::{OpeningsSource, ReadOpenings};
use crate::pdn::PdnFile;
use run::{RequestError, Result, Within as _};

/// Event tag of its games in PDN.
const EVENT: &str = "crownhead tournament";
/// Default number of pairs per pairing.
const USUAL_PAIRS: usize = 20;
/// Pairs that one thread of a fleet machine plays at a time: few, so that all machines get some.
const FLEET_PAIRS: usize = 4;

/// Request for a tournament.
#[derive(Clone, Debug)]
pub struct TournamentRequest<'a> {
    /// The players.
    pub players: &'a [PlayerSpec],
    /// The game, if the players do not determine it.
    pub variant: Option<Variant>,
    /// Default effort of players without options of their own.
    pub effort: Effort,
    /// The schedule.
    pub schedule: Schedule,
    /// A file of openings that replaces the variant's own.
    pub openings: Option<&'a OpeningsSource>,
    /// Openings per pairing; 20 by default, or all of a file if there are fewer.
    pub pairs: Option<usize>,
    /// Adjudication rules; the same as the arena's.
    pub adjudication: Adjudication,
    /// Seed of the openings and the players; the same as the arena's.
    pub seed: u64,
    /// `true` if a fleet plays, which plays every game to its end.
    pub is_shared: bool,
    /// Rules for clocks.
    pub clock: ClockTerms,
}

/// A tournament that is ready to be played.
pub struct PlannedTournament {
    variant: Variant,
    loaded: Vec<LoadedPlayer>,
    players: Vec<PlayerFactory<'static>>,
    effort: Effort,
    schedule: Schedule,
    openings: Option<Vec<Opening>>,
    notices: Vec<String>,
    pairs: usize,
    terms: Terms,
    runner: Option<FleetTournament>,
}

/// Output paths of a tournament.
#[derive(Clone, Copy, Debug, Default)]
pub struct TournamentPlaces<'a> {
    /// A directory for results and games, to resume from.
    pub dir: Option<&'a Path>,
    /// A file for every game in PDN.
    pub pdn: Option<&'a Path>,
}

/// The outcome of a tournament.
#[derive(Clone, Debug)]
pub struct PlayedTournament {
    /// The ratings and the results.
    pub report: TournamentReport,
    /// Resignations of the games of this call.
    pub resignations: Resignations,
}

impl PlannedTournament {
    /// Loads the players and the openings.
    ///
    /// # Errors
    /// If the request is invalid, or a player or the openings cannot be read.
    pub fn new(request: &TournamentRequest<'_>) -> Result<PlannedTournament> {
        let (variant, loaded) = load_all(request.players, request.variant)?;
        let players = loaded
            .iter()
            .map(|player| player.factory(variant, &request.effort));
        let mut players = players.collect::<roster::Result<Vec<_>>>()?;
        set_clocks(&mut players, request.clock)?;
        let file = ReadOpenings::read(request.openings, variant)?;
        let pairs = n_pairs(request.pairs, USUAL_PAIRS, file.as_ref())?;
        let digest = file.as_ref().map(|file| openings::digest(&file.openings));
        let terms = Terms {
            variant: variant.name().to_owned(),
            rules_version: variant.rules().version,
            seed: request.seed,
            thinking: request.effort.to_string() + &request.clock.to_string(),
            openings: digest.unwrap_or_default(),
            adjudication: request.adjudication.to_string(),
        };
        if request.is_shared && !terms.adjudication.is_empty() {
            let message =
                "--fleet plays every game to its end: leave --resign and --agree-draw out";
            return Err(RequestError(message.to_owned()).into());
        }
        Ok(PlannedTournament {
            variant,
            loaded,
            players,
            effort: request.effort,
            schedule: request.schedule,
            openings: file
                .as_ref()
                .map(|file| file.draw(usize::MAX, request.seed)),
            notices: file.map_or_else(Vec::new, |file| file.notices),
            pairs,
            terms,
            runner: None,
        })
    }

    /// Cores that the tournament needs on this number of threads, as
    /// [`PlannedMatch::cores`](crate::matches::PlannedMatch::cores).
    #[must_use]
    pub fn cores(&self, threads: usize) -> Option<usize> {
        cores(&self.players, threads)
    }

    /// The faults of the file of openings, in words for the user.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Shares the games with all machines that join, as [`FleetTournament::lead`].
    ///
    /// # Errors
    /// As there.
    pub fn lead(&mut self, share: Arc<dyn Share>, trust: Trust, threads: usize) -> Result<()> {
        let shared = SharedTournament {
            variant: self.variant,
            terms: &self.terms,
            players: &self.loaded,
            effort: &self.effort,
            threads,
        };
        self.runner = Some(FleetTournament::lead(share, trust, &shared)?);
        Ok(())
    }

    /// Plays the rest of the tournament, stored in these files, until it is complete or the arena's
    /// `stop` is set; reports progress to `on_progress`.
    ///
    /// # Errors
    /// If the files hold a tournament with other terms, players fail, or the disk fails: then no
    /// more games are played.
    pub fn play(
        &self,
        places: TournamentPlaces<'_>,
        arena: &Arena<'_>,
        on_progress: &mut dyn FnMut(&StageProgress),
    ) -> Result<PlayedTournament> {
        let (mut files, mut tournament) = TournamentFiles::open(places, self.terms.clone())?;
        let runner = self.runner.as_ref();
        let setup = TournamentSetup {
            variant: self.variant,
            players: &self.players,
            schedule: self.schedule,
            openings: self.openings.as_deref(),
            pairs: self.pairs,
            runner: runner.map(|runner| runner as &dyn TournamentRunner),
        };
        let mut arena = *arena;
        if runner.is_some() {
            arena.pairs_at_once = FLEET_PAIRS;
        }
        let names = self.players.iter().map(|player| player.name.as_str());
        let names: Vec<&str> = names.collect();
        let total = self.schedule.total_pairs(names.len(), self.pairs) as u64;
        let stage = |done, note| StageProgress::new(self.schedule.to_string(), done, total, note);
        on_progress(&stage(tournament.pairs_among(&names) as u64, String::new()));
        let (mut resignations, mut kept) = (Resignations::default(), Ok(()));
        let played = play_tournament(&mut tournament, &setup, &arena, &mut |tournament, batch| {
            kept = files.keep(tournament, batch);
            if kept.is_err() {
                arena.stop.store(true, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
            resignations = resignations.plus(Resignations::of(&batch.games));
            let played = tournament.pairs_among(&names) as u64;
            on_progress(&stage(played, batch.names.join(" against ")));
            ControlFlow::Continue(())
        });
        kept?;
        files.close()?;
        let is_complete = played?;
        // Workers wait for an unfinished tournament to resume.
        if let (Some(runner), true) = (runner, is_complete) {
            runner.dismiss()?;
        }
        let report = TournamentReport::new(&tournament, self.schedule, is_complete)?;
        Ok(PlayedTournament {
            report,
            resignations,
        })
    }
}

/// Output files of a tournament.
#[derive(Debug)]
struct TournamentFiles<'a> {
    places: TournamentPlaces<'a>,
    dir: Option<TournamentDir>,
    /// Destination of all games, if no directory keeps them.
    pdn: Option<PdnFile>,
}

impl<'a> TournamentFiles<'a> {
    /// Opens the files, with the tournament in the directory `dir` or a new one. Every game is also
    /// written to the file `pdn`.
    ///
    /// # Errors
    /// If the directory has a tournament with other terms, or the disk fails.
    fn open(places: TournamentPlaces<'a>, terms: Terms) -> Result<(Self, Tournament)> {
        let (mut dir, mut pdn, mut stored) = (None, None, None);
        match (places.dir, places.pdn) {
            (Some(path), _) => {
                let (opened, known) = TournamentDir::open::<Tournament>(path)?;
                let checked = known.as_ref().map_or(Ok(()), |known| known.check(&terms));
                checked.within(|| format!("failed to resume in {}", path.display()))?;
                (dir, stored) = (Some(opened), known);
            }
            (None, Some(path)) => pdn = Some(PdnFile::open(path)?),
            (None, None) => {}
        }
        let tournament = stored.unwrap_or_else(|| Tournament::new(terms));
        Ok((TournamentFiles { places, dir, pdn }, tournament))
    }

    /// Saves the games of a batch, and the tournament with their results.
    ///
    /// # Errors
    /// If the disk fails.
    fn keep(&mut self, tournament: &Tournament, batch: &PlayedBatch) -> Result<()> {
        match (&mut self.dir, &mut self.pdn) {
            (Some(dir), _) => Ok(dir.commit(&batch.to_pdn(EVENT), tournament)?),
            (None, Some(file)) => file.add(&batch.to_pdn(EVENT)),
            (None, None) => Ok(()),
        }
    }

    /// Copies the games of the directory to the requested file.
    ///
    /// # Errors
    /// If the disk fails.
    fn close(self) -> Result<()> {
        if let (Some(dir), Some(path)) = (&self.dir, self.places.pdn) {
            let games = dir.games_path();
            let mut from = File::open(&games).map_err(StoreError::io("open", &games))?;
            let mut to = AtomicFile::create(path)?;
            io::copy(&mut from, &mut to).map_err(StoreError::io("write", path))?;
            to.finish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use types::Seed;

    use super::*;

    fn specs() -> [PlayerSpec; 2] {
        ["random", "alphabeta:depth=1"].map(|text| text.parse().unwrap())
    }

    fn request(players: &[PlayerSpec]) -> TournamentRequest<'_> {
        TournamentRequest {
            players,
            variant: Some(Variant::ALL[0]),
            effort: Effort::USUAL,
            schedule: Schedule::RoundRobin,
            openings: None,
            pairs: Some(3),
            adjudication: Adjudication::OFF,
            seed: 1,
            is_shared: false,
            clock: ClockTerms::default(),
        }
    }

    fn play(
        request: &TournamentRequest<'_>,
        places: TournamentPlaces<'_>,
        stop: bool,
    ) -> (Result<PlayedTournament>, Vec<StageProgress>) {
        let stop = AtomicBool::new(stop);
        let arena = Arena {
            pairs_at_once: 1,
            ..Arena::new(Seed::new(request.seed), 1, &stop)
        };
        let mut steps = Vec::new();
        let planned = PlannedTournament::new(request).unwrap();
        let played = planned.play(places, &arena, &mut |stage| steps.push(stage.clone()));
        (played, steps)
    }

    #[test]
    fn one_that_was_stopped_goes_on_under_the_same_terms() {
        let (folder, players) = (tempfile::tempdir().unwrap(), specs());
        let request = request(&players);
        let place = TournamentPlaces {
            dir: Some(folder.path()),
            pdn: None,
        };
        let (played, steps) = play(&request, place, true);
        assert!(!played.unwrap().report.tournament.complete);
        assert_eq!(
            steps,
            [StageProgress::new("round robin", 0, 3, String::new())]
        );
        let (played, steps) = play(&request, place, false);
        let report = played.unwrap().report;
        assert!(report.tournament.complete && report.tournament.pairs == 3);
        let last = steps.last().unwrap();
        assert_eq!(
            (last.done, last.note.as_str()),
            (3, "random against alphabeta:depth=1")
        );

        let other = TournamentRequest { seed: 2, ..request };
        let error = play(&other, place, false).0.unwrap_err();
        assert!(
            error.is_request() && error.to_string().contains("has seed 1, not 2"),
            "{error}"
        );
    }

    #[test]
    fn games_are_copied_also_to_where_they_are() {
        let (folder, players) = (tempfile::tempdir().unwrap(), specs());
        let request = request(&players);
        let [own, copy] = ["games.pdn", "copy.pdn"].map(|name| folder.path().join(name));
        for pdn in [&copy, &own, &own] {
            let places = TournamentPlaces {
                dir: Some(folder.path()),
                pdn: Some(pdn),
            };
            play(&request, places, false).0.unwrap();
        }
        let games = std::fs::read_to_string(&own).unwrap();
        assert_eq!(games.matches("[Event ").count(), 6);
        assert_eq!(games, std::fs::read_to_string(&copy).unwrap());
    }

    #[test]
    fn a_fleet_plays_every_game_out() {
        let players = specs();
        let adjudication = Adjudication {
            draw: Some(eval::DrawAgreement {
                within: 0.1,
                plies: 4,
                after_ply: 9,
            }),
            ..Adjudication::OFF
        };
        let mut request = TournamentRequest {
            adjudication,
            ..request(&players)
        };
        let planned = PlannedTournament::new(&request).unwrap();
        assert_eq!(planned.terms.adjudication, adjudication.to_string());
        request.is_shared = true;
        assert!(PlannedTournament::new(&request).err().unwrap().is_request());
    }
}
