//! Games from PDN and to PDN.

use rules::pdn::{
    PdnEnd, PdnError, PdnGame, PdnMove, PdnPly, PdnRecord, PdnResult, PlayedGame, ReadGame,
    read_games,
};
use rules::{Color, Game, Move, Position, Variant};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::game::{GameText, GameView, variant};

/// A text with games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdnText {
    text: String,
    /// The variant of games that no tag names, if the user has stated it. Without it the moves
    /// must tell.
    #[serde(default)]
    variant: Option<String>,
    /// The variant on the board, preferred among those that the moves fit.
    #[serde(default)]
    board: Option<String>,
    /// Index of the game, from 0; by default the first readable one.
    #[serde(default)]
    game: Option<usize>,
}

/// The reply to a text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum PdnReply {
    /// A game of the text.
    Game(Box<PdnGameView>),
    /// No tag names the variant, and the moves fit several.
    Which {
        /// The variants that read the most moves.
        fits: Vec<&'static str>,
    },
}

/// A game of a text, and a list of the others.
#[derive(Serialize)]
pub struct PdnGameView {
    game: GameView,
    /// The comment before the first move.
    comment: String,
    /// The main line with its variations.
    line: Vec<PlyText>,
    tags: Vec<(String, String)>,
    result: &'static str,
    /// The fault in the next move, or of the game as a whole.
    fault: Option<String>,
    /// True if all moves were read: then a fault is in none of them.
    is_whole: bool,
    /// Index of the game, from 0.
    index: usize,
    /// All games of the text.
    games: Vec<PdnLine>,
    /// The variants that the moves fit, if neither a tag nor the user names one.
    fits: Vec<&'static str>,
}

/// A game in a list.
#[derive(Serialize)]
struct PdnLine {
    white: Option<String>,
    black: Option<String>,
    result: &'static str,
    /// The error, if it cannot be read.
    error: Option<String>,
}

/// A move with its comments and alternatives.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyText {
    #[serde(rename = "move")]
    notation: String,
    /// A glyph such as `!`, or empty.
    #[serde(default)]
    glyph: String,
    #[serde(default)]
    comment: String,
    /// Commands such as `clk` with their values, which PDN has in comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    data: Vec<(String, String)>,
    #[serde(default)]
    variations: Vec<Vec<PlyText>>,
}

/// One of the games of a text. Of one with a wrong move that is asked for, the moves before it.
///
/// # Errors
/// When there is no such game, or nothing of it can be read.
pub fn read_pdn(body: &PdnText) -> Result<PdnReply, Refusal> {
    let named = |name: &Option<String>| name.as_deref().map(variant).transpose();
    let (stated, board) = (named(&body.variant)?, named(&body.board)?);
    let mut games = read_games(&body.text, stated);
    let fits = fitting(&games, board);
    let chosen = match fits[..] {
        [only] => Some(only),
        _ => board.filter(|board| fits.contains(board)),
    };
    if let Some(chosen) = chosen {
        let read = games.iter_mut().zip(read_games(&body.text, Some(chosen)));
        for (game, again) in read.filter(|(game, _)| is_unnamed(game)) {
            *game = again;
        }
    }
    let fits: Vec<&str> = fits.into_iter().map(Variant::name).collect();
    let lines: Vec<PdnLine> = games.iter().map(PdnLine::new).collect();
    let readable = || games.iter().position(|read| read.fault.is_none());
    let index = body.game.or_else(readable).unwrap_or_default();
    if index >= games.len() {
        return Err(match games.len() {
            0 => "there is no game in the PDN: paste tags or moves".into(),
            n => format!("there is no game {} in the PDN: it has {n}", index + 1).into(),
        });
    }
    if is_unnamed(&games[index]) {
        return Ok(PdnReply::Which { fits });
    }
    let read = games.swap_remove(index);
    let (game, fault) = (read.game, read.fault.map(|fault| fault.to_string()));
    let whole = |played: &PlayedGame| fault.is_none() || !played.moves.is_empty();
    let Some(played) = read.played.filter(whole) else {
        let fault = fault.unwrap_or_default();
        return Err(format!("cannot read the PDN: {fault}").into());
    };
    let mut replayed = Game::new(played.start);
    played.moves.iter().for_each(|mv| replayed.play(*mv));
    let n_moves = game.moves.len();
    let line = &game.moves[played.first..played.first + played.moves.len()];
    Ok(PdnReply::Game(Box::new(PdnGameView {
        game: GameView::new(&replayed),
        line: main_line(line, &played),
        comment: game.comment.clone(),
        result: game.result().word(),
        fits: match game.stated_variant() {
            Ok(None) => fits,
            _ => Vec::new(),
        },
        tags: game.tags,
        is_whole: played.first + played.moves.len() == n_moves,
        fault,
        index,
        games: lines,
    })))
}

/// Games that the variant of a text is guessed from at most.
const MAX_GUESSED: usize = 50;

/// True if neither a tag nor the moves determine the variant.
fn is_unnamed(read: &ReadGame) -> bool {
    matches!(read.fault, Some(PdnError::NoVariant { .. }))
}

/// The variants that read the most moves of the games without a known variant; none if there are
/// no such games.
fn fitting(games: &[ReadGame], board: Option<Variant>) -> Vec<Variant> {
    let unnamed: Vec<&PdnGame> = games
        .iter()
        .filter(|read| is_unnamed(read))
        .map(|read| &read.game)
        .take(MAX_GUESSED)
        .collect();
    if unnamed.is_empty() {
        return Vec::new();
    }
    let plies = |variant: Variant| {
        let played = unnamed.iter().filter_map(|game| game.play(variant).ok());
        played.map(|played| played.moves.len()).sum::<usize>()
    };
    let is_ruleset = |board: &Variant| !Variant::GAMES.contains(board);
    let known = Variant::GAMES.into_iter().chain(board.filter(is_ruleset));
    let counts: Vec<(Variant, usize)> = known.map(|variant| (variant, plies(variant))).collect();
    let most = counts.iter().map(|(_, plies)| *plies).max();
    let best = counts.into_iter().filter(|(_, plies)| Some(*plies) == most);
    best.map(|(variant, _)| variant).collect()
}

/// The main line, whose moves are known.
fn main_line(words: &[PdnMove], played: &PlayedGame) -> Vec<PlyText> {
    let mut position = played.start;
    let mut line = Vec::with_capacity(words.len());
    for (word, &mv) in words.iter().zip(&played.moves) {
        line.push(ply_text(word, mv, position));
        position = position.play(mv);
    }
    line
}

/// A move of a position. A variation whose first move is illegal becomes a comment.
fn ply_text(word: &PdnMove, mv: Move, position: Position) -> PlyText {
    let mut ply = PlyText {
        notation: position.move_text(mv),
        glyph: word.glyph.clone(),
        comment: word.comment.clone(),
        data: word.data.clone(),
        variations: Vec::new(),
    };
    for moves in &word.variations {
        match line_text(moves, position) {
            line if line.is_empty() => ply.add_words(moves),
            line => ply.variations.push(line),
        }
    }
    ply
}

impl PlyText {
    /// Adds moves that cannot be read, with their comments, to the comment.
    fn add_words(&mut self, moves: &[PdnMove]) {
        for words in moves.iter().flat_map(|ply| [&ply.text, &ply.comment]) {
            let gap = match self.comment.is_empty() || words.is_empty() {
                true => "",
                false => " ",
            };
            self.comment.extend([gap, words]);
        }
    }
}

/// A line from a position. A variation is kept as far as it is legal; the rest becomes a comment.
fn line_text(moves: &[PdnMove], mut position: Position) -> Vec<PlyText> {
    let mut line: Vec<PlyText> = Vec::new();
    for (at, ply) in moves.iter().enumerate() {
        let Ok(mv) = position.parse_move(&ply.text) else {
            if let Some(last) = line.last_mut() {
                last.add_words(&moves[at..]);
            }
            break;
        };
        line.push(ply_text(ply, mv, position));
        position = position.play(mv);
    }
    line
}

/// The moves of a line from a position.
fn line_moves(line: &[PlyText], mut position: Position) -> Result<Vec<PdnPly>, Refusal> {
    let mut plies = Vec::with_capacity(line.len());
    for ply in line {
        let mv = position
            .parse_move(&ply.notation)
            .map_err(|error| error.to_string())?;
        let variations = ply.variations.iter();
        plies.push(PdnPly {
            mv,
            glyph: ply.glyph.clone(),
            comment: ply.comment.clone(),
            data: ply.data.clone(),
            variations: variations
                .map(|line| line_moves(line, position))
                .collect::<Result<_, _>>()?,
        });
        position = position.play(mv);
    }
    Ok(plies)
}

impl PdnLine {
    fn new(read: &ReadGame) -> PdnLine {
        let tag = |name| read.game.tag(name).map(str::to_owned);
        PdnLine {
            white: tag("White"),
            black: tag("Black"),
            result: read.game.result().word(),
            error: read.fault.as_ref().map(ToString::to_string),
        }
    }
}

/// A game to be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PdnOrder {
    variant: String,
    /// The first position; by default the variant's start.
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    comment: String,
    /// The main line with its variations.
    line: Vec<PlyText>,
    #[serde(default)]
    event: Option<String>,
    white: String,
    black: String,
    /// Other preserved tags, such as the tags of a file.
    #[serde(default)]
    tags: Vec<(String, String)>,
    /// The result by resignation, on time or by agreement.
    #[serde(default)]
    ended: Option<Ended>,
}

/// An end that the moves do not show.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    /// `white`, `black` or `draw`.
    status: String,
    /// `resigned`, `time`, `agreed`, or that of a file; empty if it is not known.
    #[serde(default)]
    reason: String,
}

impl Ended {
    fn end(&self) -> Result<PdnEnd<'_>, Refusal> {
        let status = &self.status;
        let result = result_of(status)
            .ok_or_else(|| format!("status is {status:?}: write white, black or draw"))?;
        let reason = match self.reason.as_str() {
            "time" => "forfeit",
            reason => reason,
        };
        Ok(PdnEnd { result, reason })
    }
}

/// The result of a finished game with this word.
pub(crate) fn result_of(word: &str) -> Option<PdnResult> {
    let wins = Color::ALL.map(PdnResult::Won).into_iter();
    wins.chain([PdnResult::Drawn])
        .find(|result| result.word() == word)
}

/// A text.
#[derive(Serialize)]
pub struct WrittenPdn {
    text: String,
}

/// A game as PDN.
///
/// # Errors
/// If a move or the end is invalid.
pub fn write_pdn(order: &PdnOrder) -> Result<WrittenPdn, Refusal> {
    let moves = order.line.iter().map(|ply| ply.notation.clone()).collect();
    let text = GameText {
        variant: order.variant.clone(),
        fen: order.fen.clone(),
        moves,
    };
    let game = text.replay()?;
    let stated = order.ended.as_ref().map(Ended::end).transpose()?;
    let mut tags = vec![("White", order.white.as_str()), ("Black", &order.black)];
    tags.extend(order.event.as_deref().map(|event| ("Event", event)));
    let is_new = |name: &str| {
        tags.iter()
            .all(|(known, _)| !known.eq_ignore_ascii_case(name))
    };
    let others: Vec<_> = order
        .tags
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| is_new(name))
        .collect();
    tags.extend(others);
    let mut end: PdnEnd<'_> = match (game.outcome(), stated) {
        (None, Some(stated)) => stated,
        (outcome, _) => outcome.into(),
    };
    // What the file of the game said.
    let said = tags.iter().find(|(name, _)| *name == "Termination");
    if let ("", Some((_, said))) = (end.reason, said) {
        end.reason = said;
    }
    let record = PdnRecord {
        tags: &tags,
        start: game.start(),
        comment: &order.comment,
        line: &line_moves(&order.line, *game.start())?,
        end,
    };
    Ok(WrittenPdn {
        text: record.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variant and the plies of the first game, with the variants that fit; without a game the
    /// variants to choose from.
    fn read(text: &str, board: Option<Variant>) -> (Option<(&'static str, usize)>, Vec<&str>) {
        let body = PdnText {
            text: text.to_owned(),
            variant: None,
            board: board.map(|board| board.name().to_owned()),
            game: None,
        };
        match read_pdn(&body).unwrap() {
            PdnReply::Which { fits } => (None, fits),
            PdnReply::Game(view) => (Some((view.game.variant, view.line.len())), view.fits),
        }
    }

    #[test]
    fn the_variant_is_known_guessed_or_asked_for() {
        let (english, frisian) = (Variant::English, Variant::Frisian);
        let moves = "1. 11-15 23-19 2. 8-11 *";
        let (game, fits) = read(moves, Some(english));
        assert_eq!(game, Some(("english", 3)));
        assert!(fits.len() > 1 && fits.contains(&"english"), "{fits:?}");
        for board in [None, Some(frisian)] {
            let (game, asked) = read(moves, board);
            assert_eq!(
                (game, &asked),
                (None, &fits),
                "several fit, and not the board"
            );
        }
        let tagged = format!("[GameType \"21\"]\n{moves}");
        assert_eq!(
            read(&tagged, Some(frisian)),
            (Some(("english", 3)), Vec::new())
        );
    }

    #[test]
    fn the_words_of_a_variation_that_cannot_be_read_are_kept() {
        let text = "[GameType \"21\"] [Result \"1-0\"] [Termination \"time forfeit\"]
            1. 11-15 (1. 11-99 {a remark} 22-18) 23-19 (1... 22-18 {kept} 99-1 {lost} 15-19) 0-1";
        let body = PdnText {
            text: text.to_owned(),
            variant: None,
            board: None,
            game: Some(0),
        };
        let Ok(PdnReply::Game(read)) = read_pdn(&body) else {
            panic!("it can be read");
        };
        let [first, second] = &read.line[..] else {
            panic!("{} moves", read.line.len());
        };
        assert_eq!(first.comment, "11-99 a remark 22-18");
        assert_eq!(second.variations[0][0].comment, "kept 99-1 lost 15-19");
        assert!(read.fault.is_some() && read.is_whole, "{:?}", read.fault);
        let order = PdnOrder {
            variant: "english".to_owned(),
            fen: None,
            comment: String::new(),
            line: read.line,
            event: None,
            white: String::new(),
            black: String::new(),
            tags: read.tags,
            ended: None,
        };
        let written = write_pdn(&order).unwrap().text;
        assert!(
            written.contains("[Termination \"time forfeit\"]"),
            "{written}"
        );
    }

    #[test]
    fn a_faulty_game_is_read_as_what_reads_most_of_it() {
        let (game, _) = read("1. 11-15 23-19 2. 99-1", Some(Variant::English));
        assert_eq!(game, Some(("english", 2)));
    }
}
