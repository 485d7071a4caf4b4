//! Matches between two players: openings, sequential test, and the file of games.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use eval::{
    Arena, ClockKind, ClockTerms, Computes, MatchReport, MatchResult, Opening, PlayerFactory,
    openings, play_match,
};
use ratings::{SprtBounds, Verdict};
use rules::Variant;
use types::Seed;

use crate::openings::{OpeningsSource, ReadOpenings};
use crate::pdn::PdnFile;
use roster::{Effort, PlayerSpec, load_factories};
use run::StageProgress;
use run::config::{ConfigSources, GateSection};
use run::{RequestError, Result};

/// Both error probabilities of a match's sequential test. The gate uses others, chosen for a long
/// series of gates.
const TEST_ERROR: f64 = 0.05;
/// Default number of pairs.
const USUAL_PAIRS: usize = 100;
/// Event tag of its games in PDN.
const EVENT: &str = "crownhead match";

/// Request for a match.
#[derive(Clone, Debug)]
pub struct MatchRequest<'a> {
    /// The player whose results are reported, and its opponent.
    pub players: [&'a PlayerSpec; 2],
    /// The game, if the players do not determine it.
    pub variant: Option<Variant>,
    /// Default effort of players without options of their own.
    pub effort: Effort,
    /// A file of openings that replaces the variant's own.
    pub openings: Option<&'a OpeningsSource>,
    /// Number of pairs; 100 by default, or all openings of a file if there are fewer.
    pub pairs: Option<usize>,
    /// Hypotheses of the test in normalized Elo; the gate's by default.
    pub hypotheses: [Option<f64>; 2],
    /// `true` if the match ends as soon as the test has decided.
    pub early_stop: bool,
    /// Seed of the openings; the same as the arena's.
    pub seed: u64,
    /// Rules for clocks.
    pub clock: ClockTerms,
}

/// A match that is ready to be played.
pub struct PlannedMatch {
    variant: Variant,
    players: Vec<PlayerFactory<'static>>,
    openings: Vec<Opening>,
    notices: Vec<String>,
    bounds: SprtBounds,
    early_stop: bool,
}

/// Result of a match.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// The report.
    pub report: MatchReport,
    /// Planned pairs.
    pub planned: u64,
    /// `true` if all pairs were played, or the test decided earlier.
    pub is_complete: bool,
}

impl PlannedMatch {
    /// Loads the players and the openings.
    ///
    /// # Errors
    /// If the request is invalid, or a player or the openings cannot be read.
    pub fn new(request: &MatchRequest<'_>) -> Result<PlannedMatch> {
        let (variant, mut players) =
            load_factories(request.players, request.variant, &request.effort)?;
        set_clocks(&mut players, request.clock)?;
        if players[0].name == players[1].name {
            players[1].name.push_str(" (2)");
        }
        let gate = ConfigSources::default().resolve(variant)?.config.gate;
        let bounds = bounds(request.hypotheses, &gate)?;
        let file = ReadOpenings::read(request.openings, variant)?;
        let pairs = n_pairs(request.pairs, USUAL_PAIRS, file.as_ref())?;
        let openings = match &file {
            Some(file) => file.draw(pairs, request.seed),
            None => openings::sample(variant, pairs, Seed::new(request.seed)),
        };
        Ok(PlannedMatch {
            variant,
            players,
            openings,
            notices: file.map_or_else(Vec::new, |file| file.notices),
            bounds,
            early_stop: request.early_stop,
        })
    }

    /// The faults in the file of openings, as a message.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Plays the match, writes every game to the file `pdn` and reports progress to `on_progress`.
    /// If the arena's `stop` is set, returns the result so far.
    ///
    /// # Errors
    /// If a player fails, or the games cannot be written: then no more are played.
    pub fn play(
        &self,
        pdn: Option<&Path>,
        arena: &Arena<'_>,
        on_progress: &mut dyn FnMut(&StageProgress),
    ) -> Result<PlayedMatch> {
        let mut pdn = pdn.map(PdnFile::open).transpose()?;
        let planned = self.openings.len() as u64;
        let stage = |done, note| StageProgress::new("pairs", done, planned, note);
        on_progress(&stage(0, String::new()));
        let (started, mut written) = (Instant::now(), Ok(()));
        let sides = [&self.players[0], &self.players[1]];
        let result = play_match(sides, &self.openings, arena, &mut |result| {
            let note = format!("{}; Elo {}", result.total(), result.elo());
            on_progress(&stage(result.pairs_played(), note));
            if let Some(pdn) = &mut pdn {
                written = pdn.add(&result.newest_pair_to_pdn(EVENT));
            }
            match written.is_err() || self.is_decided(result) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        written?;
        let (seed, seconds) = (arena.seed.get(), started.elapsed().as_secs_f64());
        Ok(PlayedMatch {
            planned,
            is_complete: result.pairs_played() == planned || self.is_decided(&result),
            report: MatchReport::new(self.variant, &result, self.bounds, seed, seconds),
        })
    }

    /// Cores that the match needs on this number of threads so that no player waits while its clock
    /// runs; `None` without such clocks.
    #[must_use]
    pub fn cores(&self, threads: usize) -> Option<usize> {
        cores(&self.players, threads)
    }

    /// Returns `true` if the test may end the match and has decided.
    fn is_decided(&self, result: &MatchResult) -> bool {
        self.early_stop && self.bounds.verdict(&result.pairs) != Verdict::Inconclusive
    }
}

/// The hypotheses of the test: the requested ones, or the gate's.
fn bounds([nelo0, nelo1]: [Option<f64>; 2], gate: &GateSection) -> Result<SprtBounds> {
    let nelo0 = nelo0.unwrap_or(gate.nelo0);
    let nelo1 = nelo1.unwrap_or(gate.nelo1);
    if nelo0 < nelo1 && nelo0.is_finite() && nelo1.is_finite() {
        return Ok(SprtBounds {
            nelo0,
            nelo1,
            alpha: TEST_ERROR,
            beta: TEST_ERROR,
        });
    }
    let message = format!("--elo0 must be below --elo1, but they are {nelo0} and {nelo1}");
    Err(RequestError(message).into())
}

/// Applies rules for clocks to the players of a match or tournament.
///
/// # Errors
/// When no player has a clock, or the processor time of one cannot be measured.
pub(crate) fn set_clocks(
    players: &mut [PlayerFactory<'_>],
    clock: ClockTerms,
) -> Result<(), RequestError> {
    let refused = |message: String| Err(RequestError(message));
    if clock != ClockTerms::default() && players.iter().all(|player| player.time.is_none()) {
        let asked = match clock.kind {
            ClockKind::Cpu => "--clock cpu",
            ClockKind::Wall => "--time-margin",
        };
        return refused(format!(
            "{asked} needs players with a time limit: give --time"
        ));
    }
    for player in players {
        let reason = match player.computes {
            _ if clock.kind == ClockKind::Wall => None,
            Computes::Here { .. } => None,
            Computes::Program if cfg!(target_os = "linux") => None,
            Computes::Program => Some("this system does not tell the processor time of programs"),
            Computes::Elsewhere => {
                Some("the processor time of a program that runs elsewhere is not known")
            }
        };
        if let Some(reason) = reason {
            return refused(format!(
                "{}: --clock cpu is not possible: {reason}",
                player.name
            ));
        }
        player.clock = clock;
    }
    Ok(())
}

/// Cores that players need so that none of them waits while its clock runs; `None` without such
/// clocks.
pub(crate) fn cores(players: &[PlayerFactory<'_>], threads: usize) -> Option<usize> {
    let timed = players
        .iter()
        .filter(|player| player.time.is_some() && player.clock.kind == ClockKind::Wall);
    let each = timed.map(|player| match player.computes {
        Computes::Here { threads } => threads,
        Computes::Program | Computes::Elsewhere => 1,
    });
    Some(each.max()? * threads)
}

/// The number of pairs: the requested one, or the default limited by the number of openings.
pub(crate) fn n_pairs(
    asked: Option<usize>,
    usual: usize,
    file: Option<&ReadOpenings>,
) -> Result<usize, RequestError> {
    let most = file.map_or(usize::MAX, |file| file.openings.len());
    match asked {
        Some(pairs) if pairs > most => Err(RequestError(format!(
            "--pairs {pairs}: the file has {most} different openings: use at most that many pairs, \
             since repeating an opening adds no information"
        ))),
        _ => Ok(asked.unwrap_or(usual.min(most))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicBool;

    use super::*;

    const VARIANT: Variant = Variant::ALL[0];

    fn specs(texts: [&str; 2]) -> [PlayerSpec; 2] {
        texts.map(|text| text.parse().unwrap())
    }

    fn request(players: &[PlayerSpec; 2]) -> MatchRequest<'_> {
        MatchRequest {
            players: players.each_ref(),
            variant: Some(VARIANT),
            effort: Effort::USUAL,
            openings: None,
            pairs: None,
            hypotheses: [None, None],
            early_stop: false,
            seed: 1,
            clock: ClockTerms::default(),
        }
    }

    fn play(
        request: &MatchRequest<'_>,
        pdn: Option<&Path>,
    ) -> (Result<PlayedMatch>, Vec<StageProgress>) {
        let stop = AtomicBool::new(false);
        let arena = Arena {
            pairs_at_once: 1,
            ..Arena::new(Seed::new(request.seed), 1, &stop)
        };
        let mut steps = Vec::new();
        let planned = PlannedMatch::new(request).unwrap();
        let played = planned.play(pdn, &arena, &mut |stage| steps.push(stage.clone()));
        (played, steps)
    }

    #[test]
    fn openings_of_a_file_are_played_once_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings");
        fs::write(&path, "W:WK1:BK32,28\nB:W30:B3\n").unwrap();
        let players = specs(["random", "random"]);
        let source = OpeningsSource::from(path.as_path());
        let mut request = MatchRequest {
            openings: Some(&source),
            ..request(&players)
        };
        let pdn = folder.path().join("games.pdn");
        let (played, steps) = play(&request, Some(&pdn));
        let PlayedMatch {
            report,
            planned,
            is_complete,
        } = played.unwrap();
        assert_eq!((report.pairs, planned, is_complete), (2, 2, true));
        assert_eq!([report.a, report.b], ["random", "random (2)"]);
        assert_eq!(steps[0], StageProgress::new("pairs", 0, 2, String::new()));
        assert!(steps[2].done == 2 && steps[2].note.contains(" drawn, "));
        let games = fs::read_to_string(&pdn).unwrap();
        assert_eq!(games.matches("[Event \"crownhead match\"]").count(), 4);

        request.pairs = Some(1);
        assert_eq!(PlannedMatch::new(&request).unwrap().openings.len(), 1);
        request.pairs = Some(3);
        let error = PlannedMatch::new(&request).err().unwrap();
        assert!(error.is_request() && error.to_string().contains("has 2 different openings"));
    }

    #[test]
    fn clocks_need_players_whose_time_is_known() {
        let players = specs(["alphabeta:depth=1", "random"]);
        let dxp = specs(["dxp:localhost", "random"]);
        let clock = ClockTerms {
            kind: ClockKind::Cpu,
            ..ClockTerms::default()
        };
        let effort = Effort {
            time: "300+0".parse().ok(),
            ..Effort::USUAL
        };
        let message =
            |request: &MatchRequest<'_>| PlannedMatch::new(request).err().unwrap().to_string();
        let untimed = MatchRequest {
            clock,
            ..request(&players)
        };
        assert!(message(&untimed).contains("--clock cpu needs players with a time limit"));
        let elsewhere = MatchRequest {
            clock,
            effort,
            variant: "frisian".parse().ok(),
            ..request(&dxp)
        };
        let refused = message(&elsewhere);
        assert!(
            refused.starts_with("dxp:localhost") && refused.contains("--clock cpu"),
            "{refused}"
        );
        let timed = MatchRequest {
            clock,
            effort,
            ..request(&players)
        };
        assert_eq!(PlannedMatch::new(&timed).unwrap().cores(2), None);
        let usual = MatchRequest {
            effort,
            ..request(&players)
        };
        assert_eq!(PlannedMatch::new(&usual).unwrap().cores(2), Some(2));
    }

    #[test]
    fn a_test_that_has_decided_ends_the_match() {
        let players = specs(["alphabeta:depth=2", "random"]);
        let request = MatchRequest {
            hypotheses: [Some(0.0), Some(200.0)],
            early_stop: true,
            ..request(&players)
        };
        let played = play(&request, None).0.unwrap();
        assert!(played.is_complete && played.report.pairs < played.planned);
        assert_eq!(
            (played.report.verdict.as_str(), played.planned),
            ("better", 100)
        );
    }

    #[test]
    fn hypotheses_are_in_order() {
        let gate = ConfigSources::default()
            .resolve(VARIANT)
            .unwrap()
            .config
            .gate;
        let usual = bounds([None, None], &gate).unwrap();
        assert_eq!([usual.nelo0, usual.nelo1], [gate.nelo0, gate.nelo1]);
        assert_eq!([usual.alpha, usual.beta], [0.05, 0.05]);
        assert_eq!(bounds([Some(-5.0), Some(5.0)], &gate).unwrap().nelo0, -5.0);
        for wrong in [
            [10.0, 10.0],
            [3.0, -3.0],
            [f64::NAN, 1.0],
            [0.0, f64::INFINITY],
        ] {
            assert!(
                bounds(wrong.map(Some), &gate).unwrap_err().is_request(),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn games_that_cannot_be_written_end_the_match() {
        let players = specs(["random", "alphabeta:depth=1"]);
        let full = Path::new("/dev/full");
        if full.exists() {
            let (played, steps) = play(&request(&players), Some(full));
            assert!(played.unwrap_err().to_string().contains("/dev/full"));
            assert_eq!(steps.len(), 2);
        }
    }
}
