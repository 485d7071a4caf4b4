//! Games as the page sends and receives them.

use endgame::{Database, Distances, MAX_PIECES};
use rules::{Color, Game, Move, Outcome, Position, Square, Variant, status};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::truth::Truth;

/// Maximum number of moves of a game. Draw rules end games long before.
const MAX_MOVES: usize = 2000;
/// Maximum number of paths sent for one capture.
const MAX_PATHS: usize = 64;

/// A game: its start and its moves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameText {
    /// The variant's name.
    pub variant: String,
    /// The first position; by default the variant's start.
    #[serde(default)]
    pub fen: Option<String>,
    /// The moves from there on.
    #[serde(default)]
    pub moves: Vec<String>,
}

impl GameText {
    /// Plays the game.
    ///
    /// # Errors
    /// The fault in the start or a move.
    pub fn replay(&self) -> Result<Game, Refusal> {
        let variant = variant(&self.variant)?;
        if self.moves.len() > MAX_MOVES {
            let n = self.moves.len();
            return Err(format!("the game has {n} moves: the maximum is {MAX_MOVES}").into());
        }
        let start = match self.fen.as_deref().map(str::trim) {
            None | Some("") => Position::start(variant),
            Some(fen) => Position::from_fen(variant, fen)
                .map_err(|error| format!("invalid FEN {fen:?}: {error}"))?,
        };
        let mut game = Game::new(start);
        for (text, number) in self.moves.iter().zip(1..) {
            if let Some(outcome) = game.outcome() {
                let reason = outcome.reason();
                return Err(format!("move {number}: the game is already over ({reason})").into());
            }
            let mv = game.position().parse_move(text);
            game.play(mv.map_err(|error| format!("move {number}: {error}"))?);
        }
        Ok(game)
    }
}

/// Returns `true` if a game has so few pieces, now or after the next move, that a database may
/// cover it.
pub fn is_ending(game: &Game) -> bool {
    let position = game.position();
    let moves = position.legal_moves();
    let taken = moves.iter().map(|mv| mv.captured.count()).max();
    let fewest = position.occupied().count() - taken.unwrap_or(0);
    fewest <= MAX_PIECES as u32 && game.outcome().is_none()
}

/// The variant with that name.
///
/// # Errors
/// If there is none.
pub fn variant(name: &str) -> Result<Variant, Refusal> {
    name.parse()
        .map_err(|error: rules::UnknownVariant| error.to_string().into())
}

/// A game with everything needed to show and to continue it.
#[derive(Debug, Serialize)]
pub struct GameView {
    /// The variant's name.
    pub variant: &'static str,
    /// The FEN of the first position.
    pub start: String,
    /// The FEN of the current position.
    pub fen: String,
    /// The first position's pieces; see [`board_text`].
    start_board: String,
    board: String,
    turn: String,
    /// The number of the next move.
    number: u32,
    /// `ongoing`, `white`, `black` or `draw`.
    pub status: &'static str,
    /// The reason why the game ended.
    pub reason: &'static str,
    /// Number of earlier occurrences of the position.
    repetitions: u32,
    /// Plies without a capture or a man move, and the limit that makes a draw.
    no_progress: u32,
    no_progress_limit: u32,
    moves: Vec<MoveView>,
    /// The moves so far.
    pub history: Vec<PlyView>,
    /// The exact result of the position, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Truth>,
}

/// A legal move.
#[derive(Debug, Serialize)]
struct MoveView {
    notation: String,
    from: usize,
    to: usize,
    captured: Vec<usize>,
    /// The paths that make this move, each a list of squares from start to end.
    paths: Vec<Vec<usize>>,
    /// The exact result of the position after it, seen from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Truth>,
}

/// A move that was made.
#[derive(Debug, Serialize)]
pub struct PlyView {
    /// The move in notation.
    pub notation: String,
    color: String,
    number: u32,
    path: Vec<usize>,
    captured: Vec<usize>,
    /// The board after it.
    board: String,
    fen: String,
}

impl GameView {
    /// The view of a game.
    pub fn new(game: &Game) -> GameView {
        let (start, position) = (game.start(), game.position());
        let outcome = game.outcome();
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let draws = &position.variant().rules().draws;
        let [black, white] = Color::ALL.map(|color| position.army(color));
        GameView {
            variant: position.variant().name(),
            start: start.to_fen(),
            fen: position.to_fen(),
            start_board: board_text(start),
            board: board_text(position),
            turn: position.turn().to_string(),
            number: position.full_move(),
            status: status(outcome),
            reason: outcome.map_or("", Outcome::reason),
            repetitions: game.repetitions(),
            no_progress: position.no_progress(),
            no_progress_limit: draws.limit(black, white),
            moves: match outcome {
                None => legal
                    .iter()
                    .map(|&mv| MoveView::new(position, mv, &legal))
                    .collect(),
                Some(_) => Vec::new(),
            },
            history: history(game),
            truth: None,
        }
    }

    /// Adds the results of a database for the position and its moves. Searches up to `budget`
    /// positions for the distances of wins.
    #[must_use]
    pub fn with_truth(mut self, game: &Game, database: &Database, budget: usize) -> GameView {
        if game.outcome().is_some() {
            return self;
        }
        let position = game.position();
        let mut distances = Distances::new(database, budget);
        let mut know = |position: &Position| Truth::of(database, &mut distances, position);
        self.truth = know(position);
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        for (view, mv) in self.moves.iter_mut().zip(&legal) {
            view.truth = know(&position.play(*mv)).map(Truth::one_ply_before);
        }
        self
    }
}

impl MoveView {
    fn new(position: &Position, mv: Move, legal: &[Move]) -> MoveView {
        let number = |square| position.board().number(square);
        let numbers = |path: Vec<Square>| path.into_iter().map(number).collect();
        let paths = position.paths(mv, MAX_PATHS);
        MoveView {
            notation: position.move_text_among(mv, legal),
            from: number(mv.from),
            to: number(mv.to),
            captured: mv.captured.iter().map(number).collect(),
            paths: paths.into_iter().map(numbers).collect(),
            truth: None,
        }
    }
}

fn history(game: &Game) -> Vec<PlyView> {
    let mut position = *game.start();
    let board = position.board();
    let number = |square| board.number(square);
    let ply = |&mv: &Move| {
        let before = position;
        position = position.play(mv);
        PlyView {
            notation: before.move_text(mv),
            color: before.turn().to_string(),
            number: before.full_move(),
            path: before.path(mv).into_iter().map(number).collect(),
            captured: mv.captured.iter().map(number).collect(),
            board: board_text(&position),
            fen: position.to_fen(),
        }
    };
    game.moves().iter().map(ply).collect()
}

/// The pieces by square number: `w` and `b` for men, `W` and `B` for kings, `.` for an empty
/// square.
pub(crate) fn board_text(position: &Position) -> String {
    let board = position.board();
    let piece = |number| position.letter(board.square(number)?);
    (1..=board.n_squares())
        .map(|number| piece(number).unwrap_or('.'))
        .collect()
}
