//! Puzzles from the games of a run: positions where exactly one move wins, or keeps the draw.
//!
//! Every position with a choice is searched briefly for its two best lines. A candidate is searched
//! again, deeper, and kept if the same move still has the same lead. Its grade is the number of
//! simulations from which on the run's network finds the move.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use analyst::expected_score;
use engine::Findings;
use roster::PlayerSpec;
use rules::{Game, Move, Variant};
use serde::{Deserialize, Serialize};
use store::{AtomicFile, Record, RunDir, StoreError, read_bounded};

use crate::analysis::pool;
use crate::analysis::seat::Seats;
use crate::analysis::{Analysts, Limit};
use crate::check_is_new;
use run::config::RunFile;
use run::{RequestError, Result, StageProgress};

/// The mark of a file of puzzles.
const FORMAT: &str = "crownhead puzzles";
/// The largest file of puzzles, in bytes.
const MAX_BYTES: u64 = 1 << 26;
/// Simulations that grade a puzzle, fewest first.
const GRADES: [u64; 7] = [1, 4, 16, 64, 256, 1024, 4096];
/// The first search of a position has this share of the nodes.
const QUICK_SHARE: u64 = 40;
/// Moves of a solution at most.
const LONGEST: usize = 12;
/// Expected scores that count as won, drawn, lost; and the most that the second move of a win has.
const WON: f32 = 0.9;
const NOT_WON: f32 = 0.65;
const DRAWN: std::ops::RangeInclusive<f32> = 0.35..=0.65;
const LOST: f32 = 0.1;

/// The aim of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// One move wins.
    Win,
    /// One move keeps the draw.
    Draw,
}

/// A position with one good move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Puzzle {
    /// The position.
    pub fen: String,
    /// The aim of the side to move.
    pub goal: Goal,
    /// The solution, and how the game continues.
    pub solution: Vec<String>,
    /// Simulations from which on the run's network finds the move; `None` if it never does.
    pub simulations: Option<u64>,
    /// The game it comes from: generation, number and ply.
    pub source: [u32; 3],
}

/// A file of puzzles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PuzzleFile {
    /// Always the same text.
    pub format: String,
    /// The game.
    pub variant: String,
    /// The puzzles, in the order of the games.
    pub puzzles: Vec<Puzzle>,
}

impl PuzzleFile {
    /// Reads a file that [`mine`] has written.
    ///
    /// # Errors
    /// When it cannot be read, or is something else.
    pub fn read(path: &Path) -> Result<PuzzleFile> {
        let bytes = read_bounded(path, MAX_BYTES)?;
        let read = serde_json::from_slice(&bytes).ok();
        let file = read.filter(|file: &PuzzleFile| file.format == FORMAT);
        Ok(file.ok_or_else(|| {
            let path = path.display();
            RequestError(format!(
                "{path} is no file of puzzles: write one with crownhead puzzles"
            ))
        })?)
    }
}

/// A request for puzzles.
#[derive(Clone, Debug)]
pub struct PuzzleRequest {
    /// The run.
    pub run: PathBuf,
    /// The file to write.
    pub to: PathBuf,
    /// Games to look at, the newest first.
    pub games: usize,
    /// Puzzles to find at most.
    pub most: usize,
    /// Nodes of the search that verifies a puzzle.
    pub nodes: u64,
    /// Games that are searched at a time.
    pub threads: usize,
}

/// Numbers of a search for puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PuzzleSummary {
    /// The file.
    pub file: String,
    /// Games that were searched.
    pub games: u64,
    /// Puzzles with a win.
    pub wins: u64,
    /// Puzzles with a draw to keep.
    pub draws: u64,
}

impl fmt::Display for PuzzleSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, games, wins, draws) = (&self.file, self.games, self.wins, self.draws);
        let all = wins + draws;
        writeln!(
            f,
            "{file}: {all} puzzles from {games} games, {wins} to win and {draws} to draw"
        )
    }
}

/// Looks for puzzles in the newest games of a run and writes them to a file. `stop` ends the search
/// early, and the puzzles found by then are written.
///
/// # Errors
/// When the run has no games or no network, the file exists, or the disk fails.
pub fn mine(
    request: &PuzzleRequest,
    on_progress: &mut dyn FnMut(&StageProgress),
    stop: &Arc<AtomicBool>,
) -> Result<PuzzleSummary> {
    let run = RunDir::open(&request.run)?;
    let variant = RunFile::read(&run)?.variant;
    check_is_new(&request.to)?;
    let games = run.games(variant).newest(request.games)?;
    if games.is_empty() {
        let path = request.run.display();
        return Err(RequestError(format!("{path} has no games yet: train it first")).into());
    }
    let network: PlayerSpec = format!("run:{}", request.run.display()).parse()?;
    let searcher = Arc::new(Analysts::new(None, Limit::Nodes(request.nodes))?);
    let grader = Arc::new(Analysts::new(Some(&network), Limit::Nodes(GRADES[0]))?);
    let mut progress = StageProgress::new("puzzles", 0, games.len() as u64, String::new());
    let (mut seen, mut puzzles) = (HashSet::new(), Vec::new());
    let mut summary = PuzzleSummary {
        file: request.to.display().to_string(),
        ..PuzzleSummary::default()
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_over);
    let games = games.into_iter();
    let records = games.take_while(move |_| !ends.load(Ordering::Relaxed));
    let nodes = request.nodes;
    let worker = || {
        let mut miner = Miner {
            searcher: Seats::new(Arc::clone(&searcher)),
            grader: Seats::new(Arc::clone(&grader)),
            nodes,
        };
        let stop = Arc::clone(stop);
        move |record: Record| miner.puzzles(&record, &stop)
    };
    pool::in_order(records, request.threads, worker, |found| {
        if is_over.load(Ordering::Relaxed) {
            return Ok(());
        }
        for puzzle in found? {
            if puzzles.len() < request.most && seen.insert(puzzle.fen.clone()) {
                puzzles.push(puzzle);
            }
        }
        summary.games += 1;
        progress.done += 1;
        progress.note = format!("{} found", puzzles.len());
        on_progress(&progress);
        let is_enough = puzzles.len() >= request.most || stop.load(Ordering::Relaxed);
        is_over.store(is_enough, Ordering::Relaxed);
        Ok(())
    })?;
    let wins = puzzles.iter().filter(|puzzle| puzzle.goal == Goal::Win);
    summary.wins = wins.count() as u64;
    summary.draws = puzzles.len() as u64 - summary.wins;
    write(&request.to, variant, puzzles)?;
    Ok(summary)
}

fn write(path: &Path, variant: Variant, puzzles: Vec<Puzzle>) -> Result<()> {
    let document = PuzzleFile {
        format: FORMAT.to_owned(),
        variant: variant.name().to_owned(),
        puzzles,
    };
    let text = serde_json::to_string(&document).map_err(std::io::Error::from);
    let text = text.map_err(StoreError::io("write", path))? + "\n";
    Ok(AtomicFile::write_whole(path, text.as_bytes())?)
}

/// The searches of one thread.
struct Miner {
    searcher: Seats,
    grader: Seats,
    nodes: u64,
}

impl Miner {
    /// The puzzles of a game, or of its first plies if it is stopped.
    fn puzzles(&mut self, record: &Record, stop: &AtomicBool) -> Result<Vec<Puzzle>> {
        let mut game = Game::new(record.start);
        let mut found = Vec::new();
        for (ply, played) in record.plies.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let id = record.header.id;
            let source = [id.generation, id.number, ply as u32];
            // The position alone is the puzzle: earlier moves do not count for repetitions.
            let position = Game::new(*game.position());
            found.extend(self.puzzle(&position, source)?);
            game.play(played.mv);
        }
        Ok(found)
    }

    fn puzzle(&mut self, game: &Game, source: [u32; 3]) -> Result<Option<Puzzle>> {
        if game.outcome().is_some() || game.legal_moves().len() < 2 {
            return Ok(None);
        }
        let quick = (self.nodes / QUICK_SHARE).max(1);
        let Some(candidate) = only_move(&self.searcher.analyze(game, 2, Some(quick))?) else {
            return Ok(None);
        };
        let findings = self.searcher.analyze(game, 2, Some(self.nodes))?;
        if only_move(&findings) != Some(candidate) {
            return Ok(None);
        }
        let (goal, solution) = candidate;
        let line = &findings.best().moves;
        let line = &line[..line.len().min(LONGEST)];
        Ok(Some(Puzzle {
            fen: game.position().to_fen(),
            goal,
            solution: game.position().move_texts(line),
            simulations: self.grade(game, solution)?,
            source,
        }))
    }

    /// The fewest simulations from which on the network finds a move.
    fn grade(&mut self, game: &Game, solution: Move) -> Result<Option<u64>> {
        let mut grade = None;
        for simulations in GRADES.into_iter().rev() {
            let findings = self.grader.analyze(game, 1, Some(simulations))?;
            if findings.best().moves[0] != solution {
                break;
            }
            grade = Some(simulations);
        }
        Ok(grade)
    }
}

/// The aim of a position and its move, if exactly one move reaches it.
fn only_move(findings: &Findings) -> Option<(Goal, Move)> {
    let [best, second, ..] = &findings.variations[..] else {
        return None;
    };
    let (first, other) = (expected_score(best)?, expected_score(second)?);
    let goal = match () {
        () if first >= WON && other <= NOT_WON => Goal::Win,
        () if DRAWN.contains(&first) && other <= LOST => Goal::Draw,
        () => return None,
    };
    Some((goal, best.moves[0]))
}

#[cfg(test)]
mod tests {
    use rules::Position;

    use super::*;

    fn miner(player: &str, nodes: u64) -> Miner {
        let player: PlayerSpec = player.parse().unwrap();
        let analysts = |limit| Arc::new(Analysts::new(Some(&player), limit).unwrap());
        Miner {
            searcher: Seats::new(Arc::new(Analysts::new(None, Limit::Nodes(nodes)).unwrap())),
            grader: Seats::new(analysts(Limit::Nodes(1))),
            nodes,
        }
    }

    #[test]
    fn one_move_wins_and_is_graded() {
        // White captures two with 27x9 and wins; the other captures take one.
        let position = Position::from_fen(Variant::English, "W:W27,28:B14,23,24").unwrap();
        let mut miner = miner("bundled:english", 20_000);
        let puzzle = miner.puzzle(&Game::new(position), [1, 2, 3]).unwrap();
        let puzzle = puzzle.expect("a puzzle");
        assert_eq!((puzzle.goal, &puzzle.solution[0][..]), (Goal::Win, "27x9"));
        assert_eq!(puzzle.source, [1, 2, 3]);
        assert!(puzzle.simulations.is_some());
    }

    #[test]
    fn ordinary_positions_are_no_puzzles() {
        for variant in [Variant::English, Variant::Thai] {
            let game = Game::new(Position::start(variant));
            let found = miner("bundled:english", 20_000).puzzle(&game, [0; 3]);
            assert_eq!(found.unwrap(), None, "{variant}");
        }
    }
}
