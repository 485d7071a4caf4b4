//! Judgments as comments, marks and variations of a game.

use rules::pdn::{PdnEnd, PdnGame, PdnMove, PdnPly, PdnRecord};
use rules::{Color, Game, Move, Position};

use crate::mark::Mark;
use crate::review::{PlyReview, Review, percent};

/// Tags that follow from the game.
const DERIVED: [&str; 8] = [
    "GameType",
    "Variant",
    "SetUp",
    "FEN",
    "Result",
    "Winner",
    "Termination",
    "Annotator",
];

/// A game that was read and replayed.
#[derive(Clone, Debug)]
pub struct SourceGame {
    /// The text of the game.
    pub text: PdnGame,
    /// The position before the first move.
    pub start: Position,
    /// The legal moves.
    pub moves: Vec<Move>,
}

impl SourceGame {
    /// The name of a side.
    pub fn name(&self, color: Color) -> &str {
        let tag = match color {
            Color::White => "White",
            Color::Black => "Black",
        };
        self.text
            .tag(tag)
            .filter(|name| !name.is_empty())
            .unwrap_or("?")
    }

    /// The score of the side that made the last move, if the rules have ended the game.
    pub fn last_score(&self) -> Option<f32> {
        let mut game = Game::new(self.start);
        self.moves.iter().for_each(|mv| game.play(*mv));
        let outcome = game.outcome()?;
        Some(match outcome.winner() {
            None => 0.5,
            Some(winner) if winner == game.position().turn() => 0.0,
            Some(_) => 1.0,
        })
    }
}

/// Writes an annotated game as PDN: marks where its author set none, comments, the better lines of
/// mistakes and blunders, and the average losses before the first move.
/// `annotator` names the analyst.
pub fn annotated(game: &SourceGame, review: &Review, annotator: &str) -> String {
    let mut line = plies(&game.text.moves[..game.moves.len()], game.start);
    let mut position = game.start;
    for (ply, judged) in line.iter_mut().zip(&review.plies) {
        mark(ply, judged, position);
        position = position.play(ply.mv);
    }
    let losses = review.losses(game.start.turn());
    let average = |color: Color| {
        let average = losses[usize::from(color == Color::Black)].average()?;
        Some(format!("{} {}", game.name(color), percent(average)))
    };
    let averages: Vec<String> = [Color::White, Color::Black]
        .into_iter()
        .filter_map(average)
        .collect();
    let mut comment = game.text.comment.clone();
    if !averages.is_empty() {
        join(
            &mut comment,
            &format!("Average loss: {}.", averages.join(", ")),
        );
    }
    write(game, Some(annotator), &comment, &line)
}

/// The game as PDN in the notation of its variant, with its comments, marks and variations.
pub fn rewritten(game: &SourceGame) -> String {
    let line = plies(&game.text.moves[..game.moves.len()], game.start);
    write(game, None, &game.text.comment, &line)
}

/// Writes a game with its tags, and no reason for its end that it does not give.
fn write(game: &SourceGame, annotator: Option<&str>, comment: &str, line: &[PdnPly]) -> String {
    let kept = game
        .text
        .tags
        .iter()
        .filter(|(name, _)| !DERIVED.contains(&name.as_str()));
    let mut tags: Vec<(&str, &str)> = kept
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let author = game.text.tag("Annotator");
    let author =
        author.filter(|author| annotator.is_none_or(|annotator| !author.ends_with(annotator)));
    let annotators: Vec<&str> = author.into_iter().chain(annotator).collect();
    let annotators = annotators.join(", ");
    if !annotators.is_empty() {
        tags.push(("Annotator", &annotators));
    }
    let record = PdnRecord {
        tags: &tags,
        start: &game.start,
        comment,
        line,
        end: PdnEnd {
            result: game.text.result(),
            reason: game.text.tag("Termination").unwrap_or_default(),
        },
    };
    record.to_string()
}

/// Adds what a judgment says of a move.
fn mark(ply: &mut PdnPly, judged: &PlyReview, position: Position) {
    let (Some(mark), Some(loss)) = (judged.mark, judged.loss) else {
        return;
    };
    if ply.glyph.is_empty() {
        mark.glyph().clone_into(&mut ply.glyph);
    }
    let loss = percent(loss.into());
    join(
        &mut ply.comment,
        &format!("loses {loss}, better {}", judged.best),
    );
    if mark >= Mark::Mistake {
        let better = judged.line.iter().map(|text| PdnMove {
            text: text.clone(),
            ..PdnMove::default()
        });
        let better: Vec<PdnMove> = better.collect();
        ply.variations.push(plies(&better, position));
    }
}

/// The moves of a line and of its variations, each as far as it is legal.
fn plies(moves: &[PdnMove], mut position: Position) -> Vec<PdnPly> {
    let mut line = Vec::new();
    for ply in moves {
        let Ok(mv) = position.parse_move(&ply.text) else {
            break;
        };
        let variations = ply.variations.iter().map(|line| plies(line, position));
        line.push(PdnPly {
            mv,
            glyph: ply.glyph.clone(),
            comment: ply.comment.clone(),
            data: ply.data.clone(),
            variations: variations.filter(|line| !line.is_empty()).collect(),
        });
        position = position.play(mv);
    }
    line
}

fn join(comment: &mut String, more: &str) {
    if !comment.is_empty() {
        comment.push(' ');
    }
    comment.push_str(more);
}
