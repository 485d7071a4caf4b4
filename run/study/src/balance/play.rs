//! The games of a study: it plays them, or takes the self-play of runs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use analyst::expected_score;
use engine::{Findings, MAX_LINES};
use ratings::Estimate;
use rules::{Game, Move, Position, Variant};
use run::Ratings;
use run::config::RunFile;
use serde::{Deserialize, Serialize};
use store::{Games, RunDir};
use types::Seed;

use super::Level;
use super::measures::measure;
use super::trace::StudiedGame;
use crate::analysis::Seats;
use run::{RequestError, Result, RunError};

/// Plies at the start of a game that are drawn from the search's best moves, so that games differ.
pub(super) const DRAWN_PLIES: u32 = 8;
/// A move whose expected score is lower by this difference is drawn `e` times more rarely.
pub(super) const TEMPERATURE: f32 = 0.04;
/// Plies after which a game is broken off.
pub(super) const MAX_PLIES: u32 = 600;
/// Levels of a run.
const PARTS: usize = 4;

/// A game to play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// The number of its column.
    pub(super) column: usize,
    pub(super) variant: Variant,
    /// Nodes of a move.
    pub(super) nodes: u64,
    pub(super) seed: Seed,
}

/// A game that was played: [ply] the number of its move in the list of legal moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Played {
    moves: Vec<u16>,
}

impl Job {
    /// Plays the game; `None` if `stop` ends it.
    pub(super) fn play(&self, seats: &mut Seats, stop: &AtomicBool) -> Result<Option<Played>> {
        let mut game = Game::new(Position::start(self.variant));
        let (mut played, nodes) = (Played::default(), Some(self.nodes));
        while game.outcome().is_none() && game.plies() < MAX_PLIES {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let legal = game.legal_moves();
            let mv = match (&legal[..], game.plies() < DRAWN_PLIES) {
                ([only], _) => *only,
                (_, true) => {
                    let findings = seats.analyze(&game, MAX_LINES, nodes)?;
                    let seed = self.seed.derive("move", &[game.plies().into()]);
                    drawn(&findings, seed)
                }
                _ => seats.analyze(&game, 1, nodes)?.best().moves[0],
            };
            let number = legal.iter().position(|one| *one == mv).unwrap_or_default();
            played.moves.push(number as u16);
            game.play(legal[number]);
        }
        Ok(Some(played))
    }
}

/// A move of the best variations, better ones more often.
fn drawn(findings: &Findings, seed: Seed) -> Move {
    let scores = findings.variations.iter().map(expected_score);
    let scores: Option<Vec<f32>> = scores.collect();
    let index = scores.map_or(0, |scores| types::draw(&scores, TEMPERATURE, seed));
    findings.variations[index].moves[0]
}

impl Played {
    /// The game.
    ///
    /// # Errors
    /// If it is not one, because its file was changed.
    pub(super) fn replay(&self, variant: Variant) -> Result<StudiedGame> {
        let mut game = Game::new(Position::start(variant));
        let changed = || {
            let message = "the file of finished games was changed: remove it to begin again";
            RunError::Missing(message.to_owned())
        };
        for number in &self.moves {
            let mv = game.legal_moves().get(usize::from(*number)).copied();
            game.play(mv.ok_or_else(changed)?);
        }
        let result = game.outcome();
        match result.is_some() || game.plies() == MAX_PLIES {
            true => Ok(StudiedGame { game, result }),
            false => Err(changed()),
        }
    }
}

/// A level for each quarter of a run's generations, of up to `most` games, about as many of each
/// generation; and the games of the last level.
///
/// # Errors
/// If the run has no games, or they cannot be read.
pub(super) fn run_levels(path: &Path, most: usize) -> Result<(Vec<Level>, Vec<StudiedGame>)> {
    let run = RunDir::open(path)?;
    let variant = RunFile::read(&run)?.variant;
    let ratings: Ratings = run.ratings()?.unwrap_or_default();
    let games = run.games(variant);
    let generations = games.generations()?;
    if generations.is_empty() {
        let path = path.display();
        return Err(RequestError(format!("{path} has no games yet: train it first")).into());
    }
    let parts = generations.chunks(generations.len().div_ceil(PARTS));
    let n_parts = parts.len();
    let (mut levels, mut studied) = (Vec::new(), Vec::new());
    for (index, of) in parts.enumerate() {
        let (first, last) = (of[0], of[of.len() - 1]);
        let points = ratings.points.iter();
        let rated = points.filter(|point| (first..=last).contains(&point.generation));
        let middle = f64::midpoint(first.into(), last.into());
        let distance = |generation: u32| (f64::from(generation) - middle).abs();
        let nearest =
            rated.min_by(|a, b| distance(a.generation).total_cmp(&distance(b.generation)));
        studied = games_of(&games, of, most)?;
        levels.push(Level {
            name: format!("part {} of {n_parts}", index + 1),
            generations: Some([first, last]),
            elo: nearest.map(|point| Estimate::around(point.elo, point.interval())),
            measures: measure(&studied),
        });
    }
    Ok((levels, studied))
}

fn games_of(games: &Games, generations: &[u32], most: usize) -> Result<Vec<StudiedGame>> {
    let mut found = Vec::new();
    for (index, generation) in generations.iter().enumerate() {
        let due = most * (index + 1) / generations.len();
        let records = games.read(*generation)?.records;
        let wanted = due.saturating_sub(found.len());
        found.extend(records.iter().take(wanted).map(|record| {
            let mut game = Game::new(record.start);
            record.plies.iter().for_each(|ply| game.play(ply.mv));
            StudiedGame {
                game,
                result: record.result,
            }
        }));
    }
    Ok(found)
}
