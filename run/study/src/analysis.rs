//! Analysis of files of games and of single positions by any player, on all cores.
//!
//! One thread searches a position, and forgets earlier ones first. So a judgment depends on the
//! game, the player and the limits, and neither on the number of threads nor on interruptions. Only
//! a time limit makes it depend on the machine.

mod header;
pub(crate) mod pool;
mod positions;
pub(crate) mod seat;
mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use analyst::{Losses, PlyReview, Report, Review, SourceGame, annotated, percent};
use encoding::TextEncoding;
use rules::pdn::PdnResult;
use rules::{Color, Game, Variant};
use serde::{Deserialize, Serialize};
use store::{AtomicFile, StoreError};

use crate::check_is_new;
use crate::collection::{self, Fault, FileGame, Texts, output_error};
use crate::journal::Journal;
use run::{RequestError, Result, RunError, StageProgress};

use self::header::Header;

pub use self::positions::{Answer, FoundPosition, PositionQuestion, answer_positions};
pub use self::seat::{Analysts, Limit};
pub(crate) use self::seat::{Seats, valueless};
pub use self::source::Source;

/// Games to analyse.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// The games.
    pub source: Source,
    /// The game of those that do not say.
    pub variant: Option<Variant>,
    /// The encoding of the file, if it is stated.
    pub encoding: Option<TextEncoding>,
    /// The place of the annotated games.
    pub to: Option<PathBuf>,
    /// The place of the report.
    pub report: Option<PathBuf>,
    /// Positions that are searched at a time.
    pub threads: usize,
}

impl AnalysisRequest {
    fn texts(&self) -> Result<Texts> {
        let input = self.source.read()?;
        Ok(Texts::new(self.source.path(), input, self.encoding))
    }

    /// The moves of all games.
    fn n_plies(&self, texts: &mut Texts) -> Result<u64> {
        let mut n_plies = 0;
        for (text, broken) in texts {
            collection::fault_of_game(self.source.path(), broken)?;
            n_plies += text.moves.len() as u64;
        }
        Ok(n_plies)
    }

    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.to, &self.report].into_iter().flatten()
    }

    /// Rejects places that cannot be written to before the work begins.
    fn check_places(&self) -> Result<(), RequestError> {
        self.places().try_for_each(|place| check_is_new(place))?;
        if self.to.is_some() && self.to == self.report {
            let message = "the annotated games and the report cannot be the same file";
            return Err(RequestError(message.to_owned()));
        }
        Ok(())
    }
}

/// A game with its judgments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyzedGame {
    /// Its number in the file, from 1.
    pub game: u64,
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// `white`, `black`, `draw` or `ongoing`.
    pub result: String,
    /// The side that made the first move.
    pub first: String,
    /// The judgments of its moves.
    #[serde(flatten)]
    pub review: Review,
    /// Faults of reading and of analysis.
    pub faults: Vec<Fault>,
}

/// The outcome of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnalysisSummary {
    /// Games of the file.
    pub games: u64,
    /// Games with faults.
    pub faulty: u64,
    /// The first of all faults.
    first_fault: Option<String>,
    /// Moves that were judged.
    judged: u64,
    /// The losses of each player.
    pub players: BTreeMap<String, Losses>,
    /// True if all games are analyzed.
    pub is_complete: bool,
    /// The encoding of the file if it had to be guessed, as a message for the user.
    pub notice: Option<String>,
}

/// Observers of an analysis.
pub struct AnalysisObserver<'a> {
    /// Called with each game in the order of the file, including those analyzed before. An error
    /// ends the analysis.
    pub game: &'a mut dyn FnMut(&AnalyzedGame) -> io::Result<()>,
    /// Called with the progress, in plies.
    pub progress: &'a mut dyn FnMut(&StageProgress),
}

/// A piece of the work: a ply of a game, or nothing at the end of the game.
type Work = (Arc<FileGame>, Option<usize>);

/// Analyses a file until `stop`, or resumes an analysis that was stopped. Finished games are kept
/// in a file next to `to`, or else `report`, until both are written.
///
/// # Errors
/// When an output file exists or belongs to another analysis, the disk refuses, or the observer
/// fails.
pub fn analyse(
    request: &AnalysisRequest,
    analysts: &Arc<Analysts>,
    observer: &mut AnalysisObserver<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<AnalysisSummary> {
    request.check_places()?;
    let header = Header::new(request, analysts)?;
    let mut progress: Option<Journal<AnalyzedGame>> = request
        .places()
        .next()
        .map(|place| {
            let of = "an analysis of other games, with another player or with other limits";
            Journal::open(place.with_added_extension("progress"), &header, of)
        })
        .transpose()?;
    let mut texts = request.texts()?;
    let total = request.n_plies(&mut texts)?;
    let mut stage = StageProgress::new("analyzing", 0, total, String::new());
    let mut summary = AnalysisSummary {
        notice: texts.notice(),
        ..AnalysisSummary::default()
    };
    if let Some(progress) = &mut progress {
        for game in progress.items()? {
            let game = game?;
            stage.done += game.review.plies.len() as u64;
            summary.add(&game);
            (observer.game)(&game).map_err(output_error)?;
        }
    }
    (observer.progress)(&stage);
    let n_before = summary.games;
    let mut plies = Vec::new();
    let mut analyzed = |(read, judged): (Arc<FileGame>, Option<_>)| -> Result<()> {
        let number = summary.games + 1;
        if let Some(judged) = judged {
            plies.push(judged);
            stage.done += 1;
            stage.note = format!("game {number}");
            (observer.progress)(&stage);
            return Ok(());
        }
        let game = AnalyzedGame::new(number, &read, std::mem::take(&mut plies));
        if let Some(progress) = &mut progress {
            progress.add(&game)?;
        }
        summary.add(&game);
        (observer.game)(&game).map_err(output_error)
    };
    let work = work_of(request, n_before, Arc::clone(stop))?;
    let worker = || {
        let mut seats = Seats::new(Arc::clone(analysts));
        move |(read, ply): Work| {
            let game = read.game.as_ref().zip(ply);
            let judged = game.map(|(game, ply)| judge(&mut seats, game, ply));
            (read, judged)
        }
    };
    pool::in_order(work, request.threads, worker, &mut analyzed)?;
    summary.is_complete = !stop.load(Ordering::Relaxed);
    if summary.is_complete
        && let Some(fault) = summary.first_fault.take_if(|_| summary.judged == 0)
    {
        if let Some(progress) = progress {
            progress.remove()?;
        }
        return Err(RequestError(format!("no move could be judged: {fault}")).into());
    }
    if summary.is_complete
        && let Some(mut progress) = progress
    {
        write(request, &summary, &mut progress, &header)?;
        progress.remove()?;
    }
    Ok(summary)
}

/// The work that remains after the first games.
fn work_of(
    request: &AnalysisRequest,
    n_before: u64,
    stop: Arc<AtomicBool>,
) -> Result<impl Iterator<Item = Work> + Send + use<>> {
    let games = request
        .texts()?
        .games(request.variant)
        .skip(n_before as usize);
    let work = games.flat_map(|read| {
        let n_plies = read.game.as_ref().map_or(0, |game| game.moves.len());
        let read = Arc::new(read);
        let plies = (0..n_plies).map(Some).chain([None]);
        plies.map(move |ply| (Arc::clone(&read), ply))
    });
    Ok(work.take_while(move |_| !stop.load(Ordering::Relaxed)))
}

fn judge(seats: &mut Seats, source: &SourceGame, ply: usize) -> Result<PlyReview, Fault> {
    let mut game = Game::new(source.start);
    source.moves[..ply].iter().for_each(|mv| game.play(*mv));
    let mv = source.moves[ply];
    match seats.judge(&game, mv) {
        Ok(judgment) => Ok(PlyReview::new(game.position(), mv, &judgment)),
        Err(error) => Err(Fault {
            what: format!("line {}: {error}", source.text.moves[ply].line),
        }),
    }
}

/// Writes the annotated games and the report.
fn write(
    request: &AnalysisRequest,
    summary: &AnalysisSummary,
    progress: &mut Journal<AnalyzedGame>,
    header: &Header,
) -> Result<()> {
    let both = |progress: &mut Journal<AnalyzedGame>| {
        let games = request.texts()?.games(request.variant);
        Ok::<_, RunError>(games.zip(progress.items()?))
    };
    if let Some(to) = &request.to {
        let mut file = AtomicFile::create(to)?;
        for (read, analyzed) in both(progress)? {
            let Some(game) = &read.game else {
                continue;
            };
            let text = annotated(game, &analyzed?.review, &header.annotator());
            file.write_all(text.as_bytes())
                .map_err(StoreError::io("write", to))?;
        }
        file.finish()?;
    }
    if let Some(to) = &request.report {
        let mut file = AtomicFile::create(to)?;
        let title = request
            .source
            .path()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let report = Report::begin(&mut file, &title, &header.annotator(), &summary.players);
        let mut report = report.map_err(StoreError::io("write", to))?;
        for (read, analyzed) in both(progress)? {
            let analyzed = analyzed?;
            let Some(game) = &read.game else {
                continue;
            };
            let added = report.add(analyzed.game, game, &analyzed.review);
            added.map_err(StoreError::io("write", to))?;
        }
        report.end().map_err(StoreError::io("write", to))?;
        file.finish()?;
    }
    Ok(())
}

impl AnalyzedGame {
    fn new(number: u64, read: &FileGame, plies: Vec<Result<PlyReview, Fault>>) -> AnalyzedGame {
        let (game, mut faults) = (read.game.as_ref(), read.faults.clone());
        // Judgments that come after a gap would be shown at other moves.
        let until_fault = |ply: Result<_, Fault>| ply.map_err(|fault| faults.push(fault)).ok();
        let judged = plies.into_iter().map_while(until_fault).collect();
        let name = |color| game.map_or("?", |game| game.name(color)).to_owned();
        let result = game.map_or(PdnResult::Open, |game| game.text.result());
        AnalyzedGame {
            game: number,
            white: name(Color::White),
            black: name(Color::Black),
            result: result.word().to_owned(),
            first: game
                .map_or(Color::White, |game| game.start.turn())
                .to_string(),
            review: Review::new(judged, game.and_then(SourceGame::last_score)),
            faults,
        }
    }

    /// The losses of White and of Black.
    pub fn losses(&self) -> [Losses; 2] {
        let is_black = self.first == Color::Black.to_string();
        let first = if is_black { Color::Black } else { Color::White };
        self.review.losses(first)
    }
}

impl fmt::Display for AnalyzedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (white, black) = (&self.white, &self.black);
        let (game, result, plies) = (self.game, &self.result, self.review.plies.len());
        writeln!(f, "{game}. {white} - {black} ({result}, {plies} plies)")?;
        for (name, losses) in [white, black].into_iter().zip(self.losses()) {
            write_losses(f, name, &losses)?;
        }
        let mut faults = self.faults.iter();
        faults.try_for_each(|fault| writeln!(f, "  {}", fault.what))
    }
}

fn write_losses(f: &mut fmt::Formatter<'_>, name: &str, losses: &Losses) -> fmt::Result {
    let Some(average) = losses.average() else {
        return Ok(());
    };
    writeln!(
        f,
        "  {name}: average loss {}, {} ?!, {} ?, {} ??",
        percent(average),
        losses.dubious,
        losses.mistakes,
        losses.blunders
    )
}

impl AnalysisSummary {
    fn add(&mut self, game: &AnalyzedGame) {
        self.games += 1;
        self.faulty += u64::from(!game.faults.is_empty());
        self.judged += game.review.plies.len() as u64;
        if self.first_fault.is_none() {
            self.first_fault = game.faults.first().map(|fault| fault.what.clone());
        }
        for (name, losses) in [&game.white, &game.black].into_iter().zip(game.losses()) {
            self.players.entry(name.clone()).or_default().join(&losses);
        }
    }
}

impl fmt::Display for AnalysisSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "games: {}, with faults: {}", self.games, self.faulty)?;
        let mut players = self.players.iter();
        players.try_for_each(|(name, losses)| write_losses(f, name, losses))
    }
}

#[cfg(test)]
mod tests;
