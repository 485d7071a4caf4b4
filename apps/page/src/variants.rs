//! The variants: their boards, and cards for people.

use rules::{Point, Position, Variant};
use serde::Serialize;

use crate::basics::basics;
use crate::game::board_text;

/// A variant and its board.
#[derive(Debug, Serialize)]
pub struct VariantView {
    name: &'static str,
    /// Rows and columns of the board.
    size: usize,
    first_player: String,
    /// The playable squares in the order of their numbers, from 1.
    squares: Vec<SquareView>,
    /// `true` if captures are mandatory.
    capture_is_mandatory: bool,
    /// `true` if positions count the moves of kings that must rest.
    has_king_rests: bool,
    /// The card of the game.
    card: CardView,
}

/// A playable square. Rows and columns count from 0 at the top left, with White at the bottom.
#[derive(Debug, Serialize)]
struct SquareView {
    /// Its name in the variant's notation, unless that is its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    row: usize,
    column: usize,
    /// `true` if it is on the rim of the ring board, where only captures may end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_rim: bool,
}

/// A card with the main rules of a variant.
#[derive(Debug, Serialize)]
pub struct CardView {
    /// The variant's name.
    name: &'static str,
    /// A one-sentence summary.
    summary: &'static str,
    /// The pieces at the start, by square number as in [`crate::GameView`].
    start: String,
    /// The basics: moving, capturing and winning.
    basics: Vec<String>,
    points: Vec<PointView>,
    /// The rules for draws.
    draws: Vec<String>,
    sources: &'static [&'static str],
}

/// A special feature of a variant.
#[derive(Debug, Serialize)]
struct PointView {
    text: &'static str,
    example: Option<ExampleView>,
}

/// A move that illustrates it.
#[derive(Debug, Serialize)]
struct ExampleView {
    fen: &'static str,
    /// The pieces of that position.
    board: String,
    #[serde(rename = "move")]
    mv: &'static str,
    /// All legal moves, separated by spaces.
    legal: String,
}

/// All variants and their boards.
pub fn variants() -> Vec<VariantView> {
    Variant::ALL.into_iter().map(VariantView::new).collect()
}

impl VariantView {
    fn new(variant: Variant) -> VariantView {
        let (rules, board) = (variant.rules(), variant.board());
        let square = |number: usize| {
            let (row, column) = board.place(number)?;
            let square = board.square(number)?;
            Some(SquareView {
                name: Some(variant.square_name(square)).filter(|name| *name != number.to_string()),
                row,
                column,
                is_rim: !rules.simple_area.contains(square),
            })
        };
        VariantView {
            name: variant.name(),
            size: board.size(),
            first_player: rules.first_player.to_string(),
            squares: (1..=board.n_squares()).filter_map(square).collect(),
            capture_is_mandatory: rules.capture_is_mandatory,
            has_king_rests: rules.king_rest_limit > 0,
            card: CardView::new(variant),
        }
    }
}

impl CardView {
    /// The card of a variant.
    pub fn new(variant: Variant) -> CardView {
        let about = variant.about();
        CardView {
            name: variant.name(),
            summary: about.summary,
            start: board_text(&Position::start(variant)),
            basics: basics(variant.rules()),
            points: about
                .points
                .iter()
                .map(|point| PointView::new(variant, point))
                .collect(),
            draws: variant.rules().draws.in_words(),
            sources: about.sources,
        }
    }
}

impl PointView {
    fn new(variant: Variant, point: &Point) -> PointView {
        let example = point.example.and_then(|example| {
            let (position, _, legal) = example.read(variant)?;
            Some(ExampleView {
                fen: example.fen,
                board: board_text(&position),
                mv: example.mv,
                legal,
            })
        });
        PointView {
            text: point.text,
            example,
        }
    }
}
