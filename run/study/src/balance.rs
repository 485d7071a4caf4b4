//! Self-play as a witness about games: first-move advantage, draws, lengths, choice, material and
//! openings against playing strength, and rule variants against each other.
//!
//! The idea is that of Tomašev, Paquet, Hassabis and Kramnik (2020), *Assessing Game Balance with
//! AlphaZero*. Every move of the games that a study plays is a search of its own, with a fixed
//! number of nodes, by one thread that forgets earlier searches. So the games depend on the player,
//! the nodes and the seed, and neither on the number of threads nor on interruptions.

mod kings;
mod measures;
mod openings;
mod page;
mod pairs;
mod play;
mod request;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod trace;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use analyst::expected_score;
use ratings::Estimate;
use rules::{Game, Variant};
use serde::{Deserialize, Serialize};
use store::AtomicFile;
use types::Seed;

use crate::analysis::{Analysts, Seats, pool};
use crate::journal::Journal;
use run::{Result, StageProgress};

pub use self::kings::KingValue;
pub use self::measures::{Lead, Measures};
pub use self::openings::OpeningLine;
pub use self::pairs::Difference;
pub use self::request::{StudyRequest, Subject};

use self::measures::measure;
use self::pairs::difference;
use self::play::{Job, Played};
use self::trace::StudiedGame;

/// Nodes of the search that values an opening line.
const VALUE_NODES: u64 = 50_000;
/// The version of the file of finished games.
const VERSION: u32 = 1;

/// A finished study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Study {
    /// The command, without its outputs.
    pub command: String,
    /// The games and runs.
    pub columns: Vec<Column>,
    /// The differences of two games, a level each; empty for other subjects.
    pub differences: Vec<Difference>,
}

/// The findings about a game or a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// The name of the game or the run.
    pub name: String,
    /// The game.
    pub variant: String,
    /// The player of the games; of a run, the player that values openings.
    pub player: String,
    /// The levels of strength, the weakest first.
    pub levels: Vec<Level>,
    /// The first moves at the last level; empty if the player only counts material.
    pub openings: Vec<OpeningLine>,
}

/// Games of one strength.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The name: nodes of a move, or the part of a run.
    pub name: String,
    /// The first and the last generation of a run.
    pub generations: Option<[u32; 2]>,
    /// Elo above random, of a run that was rated then.
    pub elo: Option<Estimate>,
    /// The measures.
    pub measures: Measures,
}

/// The end of a study.
#[derive(Debug)]
pub enum Ended {
    /// Complete, and written.
    Complete(Study),
    /// Stopped after this many games.
    Stopped(usize),
}

/// The settings on which finished games depend.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    study: u32,
    version: String,
    players: Vec<String>,
    games: u32,
    nodes: Vec<u64>,
    seed: u64,
}

/// Plays the games of a study until `stop` and measures them, or resumes a study that was stopped.
/// Finished games are kept in a file next to `to` until it is written.
///
/// # Errors
/// When an output file exists or belongs to another study, a run has no games, or the disk fails.
pub fn study(
    request: &StudyRequest,
    on_progress: &mut dyn FnMut(&StageProgress),
    stop: &Arc<AtomicBool>,
) -> Result<Ended> {
    request.check_outputs()?;
    let columns: Vec<(Variant, Arc<Analysts>)> = request
        .subjects
        .iter()
        .map(|subject| subject.player(request.is_material))
        .collect::<Result<_>>()?;
    let jobs = jobs(request);
    let mut journal = journal(request, &columns)?;
    let mut games = Vec::with_capacity(jobs.len());
    if let Some(journal) = &journal {
        for (job, played) in jobs.iter().zip(journal.items()?) {
            games.push(played?.replay(job.variant)?);
        }
    }
    let (done, total) = (games.len() as u64, jobs.len() as u64);
    let mut stage = StageProgress::new("playing", done, total, String::new());
    on_progress(&stage);
    let todo = jobs[games.len()..].to_vec();
    let worker = || {
        let seats = |(_, player): &(_, Arc<Analysts>)| Seats::new(Arc::clone(player));
        let mut seats: Vec<Seats> = columns.iter().map(seats).collect();
        let stop = Arc::clone(stop);
        move |job: Job| Ok((job, job.play(&mut seats[job.column], &stop)?))
    };
    let mut is_stopped = false;
    let mut each = |done: Result<(Job, Option<Played>)>| -> Result<()> {
        let (job, played) = done?;
        // Finished games have no gap: what follows one that was stopped is played again.
        is_stopped |= played.is_none();
        let Some(played) = played.filter(|_| !is_stopped) else {
            return Ok(());
        };
        if let Some(journal) = &mut journal {
            journal.add(&played)?;
        }
        games.push(played.replay(job.variant)?);
        stage.done += 1;
        stage.note = format!("{}, {} nodes", job.variant, job.nodes);
        on_progress(&stage);
        Ok(())
    };
    pool::in_order(todo.into_iter(), request.threads, worker, &mut each)?;
    if games.len() < jobs.len() {
        return Ok(Ended::Stopped(games.len()));
    }
    let differences = differences(request, &games);
    let mut games = games.into_iter();
    let mut measured = Vec::new();
    for (subject, (variant, player)) in request.subjects.iter().zip(columns) {
        let (levels, last) = match subject {
            Subject::Game(_) => played_levels(request, &mut games),
            Subject::Run(path) => play::run_levels(path, request.games as usize)?,
        };
        let name = player.name_of(variant)?;
        let openings = match subject {
            // Neither its choice of a first move nor its values say anything.
            Subject::Game(_) if counts_material(&name) => Vec::new(),
            _ => valued_openings(&last, variant, &player, request.threads, on_progress)?,
        };
        measured.push(Column {
            name: subject.name(),
            variant: variant.name().to_owned(),
            player: name,
            levels,
            openings,
        });
    }
    let study = Study {
        command: request.command(),
        columns: measured,
        differences,
    };
    write(request, &study)?;
    journal.map_or(Ok(()), Journal::remove)?;
    Ok(Ended::Complete(study))
}

/// True for the name of a player that has no learned evaluation.
fn counts_material(player: &str) -> bool {
    player.starts_with("material")
}

/// The games to play, in the order of columns and levels.
fn jobs(request: &StudyRequest) -> Vec<Job> {
    let seed = Seed::new(request.seed);
    let mut jobs = Vec::new();
    for (column, subject) in request.subjects.iter().enumerate() {
        if let Subject::Game(variant) = *subject {
            for &nodes in &request.nodes {
                // Games do not depend on the other columns.
                jobs.extend((0..request.games).map(|number| Job {
                    column,
                    variant,
                    nodes,
                    seed: seed.derive("study", &[nodes, number.into()]),
                }));
            }
        }
    }
    jobs
}

fn journal(
    request: &StudyRequest,
    columns: &[(Variant, Arc<Analysts>)],
) -> Result<Option<Journal<Played>>> {
    let Some(to) = &request.to else {
        return Ok(None);
    };
    let players = request.subjects.iter().zip(columns);
    let players = players.map(|(subject, (variant, player))| {
        Ok(format!("{}: {}", subject.name(), player.name_of(*variant)?))
    });
    let header = Header {
        study: VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        players: players.collect::<Result<_>>()?,
        games: request.games,
        nodes: request.nodes.clone(),
        seed: request.seed,
    };
    let of = "a study of other games, or with other settings";
    Journal::open(to.with_added_extension("progress"), &header, of).map(Some)
}

/// The differences of two games at each level.
fn differences(request: &StudyRequest, games: &[StudiedGame]) -> Vec<Difference> {
    let [Subject::Game(_), Subject::Game(_)] = request.subjects[..] else {
        return Vec::new();
    };
    let (first, second) = games.split_at(games.len() / 2);
    let [first, second] = [first, second].map(|games| games.chunks(request.games as usize));
    let levels = request.nodes.iter().zip(first.zip(second));
    levels
        .map(|(nodes, (first, second))| difference(level_name(*nodes), [first, second]))
        .collect()
}

fn level_name(nodes: u64) -> String {
    format!("{} nodes", types::thousands(nodes))
}

/// The levels of games that were played, and the games of the last one.
fn played_levels(
    request: &StudyRequest,
    games: &mut impl Iterator<Item = StudiedGame>,
) -> (Vec<Level>, Vec<StudiedGame>) {
    let (mut levels, mut last) = (Vec::new(), Vec::new());
    for nodes in &request.nodes {
        last = games.take(request.games as usize).collect();
        levels.push(Level {
            name: level_name(*nodes),
            generations: None,
            elo: None,
            measures: measure(&last),
        });
    }
    (levels, last)
}

/// The opening lines of games, with the values that the player finds.
fn valued_openings(
    games: &[StudiedGame],
    variant: Variant,
    player: &Arc<Analysts>,
    threads: usize,
    on_progress: &mut dyn FnMut(&StageProgress),
) -> Result<Vec<OpeningLine>> {
    let lines = openings::opening_lines(variant, games);
    let total = lines.len() as u64;
    let mut stage = StageProgress::new("valuing openings", 0, total, variant.to_string());
    let mut valued = Vec::with_capacity(lines.len());
    let worker = || {
        let mut seats = Seats::new(Arc::clone(player));
        move |(game, line): (Game, OpeningLine)| {
            let value = value(&game, &mut seats)?;
            Ok(OpeningLine { value, ..line })
        }
    };
    let each = |line: Result<OpeningLine>| {
        valued.push(line?);
        stage.done += 1;
        on_progress(&stage);
        Ok(())
    };
    pool::in_order(lines.into_iter(), threads, worker, each)?;
    Ok(valued)
}

/// The expected score of the side that moved first.
fn value(game: &Game, seats: &mut Seats) -> Result<Option<f32>> {
    let first = game.start().turn();
    if let Some(outcome) = game.outcome() {
        return Ok(Some(outcome.half_points(first) as f32 / 2.0));
    }
    let findings = seats.analyze(game, 1, Some(VALUE_NODES))?;
    let score = expected_score(findings.best());
    Ok(match game.position().turn() == first {
        true => score,
        false => score.map(|score| 1.0 - score),
    })
}

fn write(request: &StudyRequest, study: &Study) -> Result<()> {
    if let Some(path) = &request.figure {
        AtomicFile::write_whole(path, page::figure(study).as_bytes())?;
    }
    if let Some(path) = &request.to {
        let figure = request.figure.as_deref();
        let text = match path.extension().is_some_and(|end| end == "html") {
            true => page::html(study),
            false => page::markdown(study, figure.map(|to| page::link(path, to))),
        };
        AtomicFile::write_whole(path, text.as_bytes())?;
    }
    Ok(())
}
