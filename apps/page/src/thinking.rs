//! Searches: requests, and the view of their results.

use std::time::Duration;

use analyst::{Judgment, Mark};
use engine::{Findings, MAX_LINES, SearchLimits, TimeLeft, Variation};
use rules::{Color, Game, Move, Outcome, Position};
use search::Proof;
use serde::{Deserialize, Serialize};
use types::{MAX_SIMULATIONS, Wdl};

use crate::Refusal;
use crate::game::GameText;
use crate::value::WhiteValue;

const MAX_SECONDS: f64 = 600.0;
/// Thinking time for requests without any limit.
const USUAL_TIME: Duration = Duration::from_secs(5);
/// Maximum number of policy moves sent, and their minimum probability.
const MAX_SHARES: usize = 12;
const MIN_SHARE: f32 = 0.005;

/// Player, position and limits of a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The game.
    pub game: GameText,
    /// The player's identifier.
    pub player: String,
    /// Maximum number of simulations, for players with simulations.
    #[serde(default)]
    simulations: Option<u64>,
    /// Analyse until the client disconnects, past forced moves.
    #[serde(default)]
    pub endless: bool,
    /// Ponder on the opponent's time, until the client disconnects or the player has to move: a
    /// later request for the same player with the same seed continues from there.
    #[serde(default)]
    pub ponder: bool,
    /// Seconds for this move.
    #[serde(default)]
    seconds: Option<f64>,
    /// The mover's clock.
    #[serde(default)]
    clock: Option<ClockText>,
    /// A move of the position that is judged: compared with the best one in the same search.
    #[serde(default)]
    played: Option<String>,
    /// Number of lines; one by default.
    #[serde(default)]
    lines: Option<usize>,
    /// Seed of the player's random choices.
    #[serde(default)]
    pub seed: u64,
}

/// A clock with an increment per move.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockText {
    left_s: f64,
    increment_s: f64,
    /// Number of moves for this time; without it, the rest of the game.
    #[serde(default)]
    moves: Option<u32>,
}

/// The game to search, possibly after forced moves.
#[derive(Clone)]
pub struct SearchedGame {
    /// The game after the forced moves.
    pub game: Game,
    /// The forced moves.
    forced: Vec<String>,
}

impl SearchedGame {
    /// Number of forced plies.
    fn plies(&self) -> u32 {
        self.forced.len() as u32
    }
}

impl Question {
    /// The position to search in a game. An endless search looks at the first one with a choice, or
    /// the end.
    pub fn subject(&self, mut game: Game) -> SearchedGame {
        let mut forced = Vec::new();
        while self.endless
            && game.outcome().is_none()
            && let [mv] = game.legal_moves()[..]
        {
            forced.push(game.position().move_text(mv));
            game.play(mv);
        }
        SearchedGame { game, forced }
    }

    /// The move that is to be judged.
    ///
    /// # Errors
    /// When it is not legal, or the search would look at another position.
    pub fn played(&self, game: &Game) -> Result<Option<Move>, Refusal> {
        let Some(text) = &self.played else {
            return Ok(None);
        };
        if self.endless || self.ponder {
            let message =
                "a move is judged by a search that ends: send no endless or ponder with played";
            return Err(message.into());
        }
        let mv = game.position().parse_move(text);
        Ok(Some(mv.map_err(|error| format!("played: {error}"))?))
    }

    /// The limits of the search, and the number of lines.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn limits(&self) -> Result<SearchLimits, Refusal> {
        let nodes = self.simulations;
        let is_limited = nodes.is_some() || self.seconds.is_some() || self.clock.is_some();
        if self.ponder && (is_limited || self.endless) {
            let message =
                "ponder has no limits: send no simulations, seconds, clock or endless with it";
            return Err(message.into());
        }
        if let Some(n) = nodes.filter(|n| !(1..=u64::from(MAX_SIMULATIONS)).contains(n)) {
            return Err(format!("simulations is {n}: send 1 to {MAX_SIMULATIONS}").into());
        }
        let lines = self.lines.unwrap_or(1);
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(format!("lines is {lines}: send 1 to {MAX_LINES}").into());
        }
        let span = |name: &str, seconds: f64| {
            let most = MAX_SECONDS * 60.0;
            match (0.0..=most).contains(&seconds) {
                true => Ok(Duration::from_secs_f64(seconds)),
                false => Err(format!(
                    "{name} is {seconds}: send a number of seconds, 0 to {most}"
                )),
            }
        };
        let time = match (self.seconds, self.clock) {
            (Some(_), Some(_)) => return Err("send seconds or clock, not both".into()),
            (Some(seconds), None) if seconds > MAX_SECONDS => {
                return Err(format!("seconds is {seconds}: the maximum is {MAX_SECONDS}").into());
            }
            (Some(seconds), None) => Some(TimeLeft::Move(span("seconds", seconds)?)),
            (None, Some(clock)) => Some(TimeLeft::Game {
                increment: span("increment_s", clock.increment_s)?,
                time: span("left_s", clock.left_s)?,
                moves: clock.moves,
            }),
            (None, None) if self.endless || self.ponder => None,
            (None, None) => nodes.is_none().then_some(TimeLeft::Move(USUAL_TIME)),
        };
        Ok(SearchLimits {
            nodes,
            time,
            lines,
            from_book: !(self.endless || self.ponder),
            ..SearchLimits::default()
        })
    }
}

/// The state of a search, as JSON.
#[derive(Serialize)]
pub struct FindingsView {
    /// Best first; at least one.
    lines: Vec<VariationView>,
    nodes: u64,
    seconds: f64,
    policy: Vec<MoveShare>,
    /// The judgment of the move played, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    judged: Option<JudgedMove>,
}

/// The judgment of a move, as JSON.
#[derive(Serialize)]
struct JudgedMove {
    /// The value of the position after it.
    value: Option<WhiteValue>,
    /// The expected score that it cost; nothing for an only move.
    loss: Option<f32>,
    /// The mark that it deserves, or an empty text.
    mark: &'static str,
    /// The best line.
    better: Vec<String>,
}

/// A line, as JSON.
#[derive(Serialize)]
struct VariationView {
    value: Option<WhiteValue>,
    /// The proven result, as text.
    proof: Option<String>,
    /// In plies.
    depth: u32,
    /// Simulations through its first move, in tree search.
    visits: Option<u32>,
    moves: Vec<String>,
}

/// A legal move and its probability in a policy.
#[derive(Serialize)]
pub struct MoveShare {
    notation: String,
    from: usize,
    to: usize,
    share: f32,
}

impl MoveShare {
    /// The moves with at least the probability `least` in the policy of `legal`, in that order.
    pub fn of(position: &Position, legal: &[Move], policy: &[f32], least: f32) -> Vec<MoveShare> {
        let shares = legal.iter().zip(policy);
        let likely = shares.filter(|(_, share)| **share >= least);
        let share = |(&mv, &share): (&Move, &f32)| MoveShare {
            notation: position.move_text_among(mv, legal),
            from: position.board().number(mv.from),
            to: position.board().number(mv.to),
            share,
        };
        likely.map(share).collect()
    }
}

impl FindingsView {
    /// The results after `time`.
    pub fn new(findings: &Findings, subject: &SearchedGame, time: Duration) -> FindingsView {
        let variations = findings.variations.iter();
        FindingsView {
            lines: variations
                .map(|variation| VariationView::new(variation, subject))
                .collect(),
            nodes: findings.nodes,
            seconds: time.as_secs_f64(),
            policy: match subject.forced[..] {
                [] => shares(&subject.game, &findings.policy),
                _ => Vec::new(),
            },
            judged: None,
        }
    }

    /// The same, with the judgment of a move.
    #[must_use]
    pub fn with_judgment(mut self, judgment: &Judgment, subject: &SearchedGame) -> FindingsView {
        let mover = subject.game.position().turn();
        let value = judgment.played.value;
        self.judged = Some(JudgedMove {
            value: value.map(|wdl| white_value(wdl, mover)),
            loss: judgment.loss(),
            mark: judgment.mark().map_or("", Mark::glyph),
            better: subject.game.position().move_texts(&judgment.best.moves),
        });
        self
    }

    /// The result of a game that ends after forced moves.
    pub fn over(outcome: Outcome, subject: &SearchedGame) -> FindingsView {
        let (winner, value) = match outcome.winner() {
            Some(winner) => (winner, [1.0, 0.0, 0.0]),
            None => (Color::White, [0.0, 1.0, 0.0]),
        };
        let line = VariationView {
            value: Some(WhiteValue::new(value, winner)),
            proof: Some(match outcome.winner() {
                Some(winner) => within(winner, subject.plies()),
                None => "draw".to_owned(),
            }),
            depth: subject.plies(),
            visits: None,
            moves: subject.forced.clone(),
        };
        FindingsView {
            lines: vec![line],
            nodes: 0,
            seconds: 0.0,
            policy: Vec::new(),
            judged: None,
        }
    }
}

impl VariationView {
    fn new(variation: &Variation, subject: &SearchedGame) -> VariationView {
        let mover = subject.game.position().turn();
        VariationView {
            value: variation.value.map(|wdl| white_value(wdl, mover)),
            proof: variation
                .proof
                .map(|proof| words(proof, mover, subject.plies())),
            depth: variation.depth + subject.plies(),
            visits: variation.visits,
            moves: [
                &subject.forced[..],
                &subject.game.position().move_texts(&variation.moves),
            ]
            .concat(),
        }
    }
}

fn white_value(wdl: Wdl, mover: Color) -> WhiteValue {
    WhiteValue::new([wdl.win, wdl.draw, wdl.loss], mover)
}

/// A proof as text; `before` plies lead to its position.
fn words(proof: Proof, mover: Color, before: u32) -> String {
    match proof {
        Proof::Win(plies) => within(mover, u32::from(plies) + before),
        Proof::Loss(plies) => within(!mover, u32::from(plies) + before),
        Proof::Draw => "draw".to_owned(),
    }
}

fn within(winner: Color, plies: u32) -> String {
    let unit = if plies == 1 { "ply" } else { "plies" };
    format!("{winner} wins within {plies} {unit}")
}

fn shares(game: &Game, policy: &[f32]) -> Vec<MoveShare> {
    let mut shares = MoveShare::of(game.position(), &game.legal_moves(), policy, MIN_SHARE);
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares.truncate(MAX_SHARES);
    shares
}
