//! Searches with intermediate results. A search ends when it is done or when the client disconnects.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::Event;
use engine::{Control, Findings, MAX_LINES, SearchLimits, Stopper, Task, TimeLeft, Variation};
use rules::{Game, Move};
use search::{Proof, Seed};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::game::{GameText, number};
use crate::reply::{ApiError, Body};
use crate::server::AppState;
use crate::stream::{EventStream, event, events};
use crate::value::WhiteValue;

/// Time that a search waits for others to end before it is refused.
const PATIENCE: Duration = Duration::from_secs(3);
const MAX_SIMULATIONS: u64 = 65_536;
const MAX_SECONDS: f64 = 600.0;
/// Thinking time without any limit in the request.
const USUAL_TIME: Duration = Duration::from_secs(5);
/// Moves of a policy that are sent, and the minimum share.
const MAX_SHARES: usize = 12;
const MIN_SHARE: f32 = 0.005;

/// Player, position and limits of a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThinkRequest {
    game: GameText,
    player: String,
    /// Maximum of simulations, for players with simulations.
    #[serde(default)]
    simulations: Option<u64>,
    /// Seconds for this move.
    #[serde(default)]
    seconds: Option<f64>,
    /// The mover's clock.
    #[serde(default)]
    clock: Option<ClockText>,
    /// Lines to find; one if nothing is said.
    #[serde(default)]
    lines: Option<usize>,
    /// Seeds the player's random choices.
    #[serde(default)]
    seed: u64,
}

/// A clock with an increment for each move.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockText {
    left_s: f64,
    increment_s: f64,
}

impl ThinkRequest {
    fn limits(&self) -> Result<SearchLimits, ApiError> {
        let nodes = match self.simulations {
            Some(n) if !(1..=MAX_SIMULATIONS).contains(&n) => {
                return Err(ApiError::bad(format!(
                    "simulations is {n}: send 1 to {MAX_SIMULATIONS}"
                )));
            }
            other => other,
        };
        let lines = self.lines.unwrap_or(1);
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(ApiError::bad(format!(
                "lines is {lines}: send 1 to {MAX_LINES}"
            )));
        }
        let span = |name: &str, seconds: f64| match seconds {
            s if (0.0..=MAX_SECONDS * 60.0).contains(&s) => Ok(Duration::from_secs_f64(s)),
            _ => Err(ApiError::bad(format!(
                "{name} is {seconds}: send a number of seconds, 0 to {}",
                MAX_SECONDS * 60.0
            ))),
        };
        let time = match (self.seconds, self.clock) {
            (Some(_), Some(_)) => {
                return Err(ApiError::bad("send seconds or clock, not both"));
            }
            (Some(seconds), None) if seconds > MAX_SECONDS => {
                return Err(ApiError::bad(format!(
                    "seconds is {seconds}: the maximum is {MAX_SECONDS}"
                )));
            }
            (Some(seconds), None) => Some(TimeLeft::Move(span("seconds", seconds)?)),
            (None, Some(clock)) => {
                let increment = span("increment_s", clock.increment_s)?;
                Some(TimeLeft::Game {
                    time: span("left_s", clock.left_s)?,
                    increment,
                    moves: None,
                })
            }
            (None, None) => nodes.is_none().then_some(TimeLeft::Move(USUAL_TIME)),
        };
        Ok(SearchLimits {
            depth: None,
            nodes,
            time,
            lines,
        })
    }
}

/// The state of a search, as JSON.
#[derive(Serialize)]
struct FindingsView {
    /// Best first; at least one.
    lines: Vec<VariationView>,
    nodes: u64,
    seconds: f64,
    policy: Vec<Share>,
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

/// A move and its share of the policy.
#[derive(Serialize)]
struct Share {
    notation: String,
    from: usize,
    to: usize,
    share: f32,
}

/// Why the search failed.
#[derive(Serialize)]
struct ErrorEvent {
    error: String,
}

impl FindingsView {
    fn new(findings: &Findings, game: &Game, control: &Control) -> FindingsView {
        let variations = findings.variations.iter();
        FindingsView {
            lines: variations
                .map(|variation| VariationView::new(variation, game))
                .collect(),
            nodes: findings.nodes,
            seconds: control.elapsed().as_secs_f64(),
            policy: shares(game, &findings.policy),
        }
    }
}

impl VariationView {
    fn new(variation: &Variation, game: &Game) -> VariationView {
        let mover = game.position().turn();
        VariationView {
            value: variation
                .value
                .map(|wdl| WhiteValue::new([wdl.win, wdl.draw, wdl.loss], mover)),
            proof: variation.proof.map(|proof| words(proof, game)),
            depth: variation.depth,
            visits: variation.visits,
            moves: notations(game, &variation.moves),
        }
    }
}

fn words(proof: Proof, game: &Game) -> String {
    let mover = game.position().turn();
    match proof {
        Proof::Win(plies) => format!("{mover} wins within {plies} plies"),
        Proof::Loss(plies) => format!("{} wins within {plies} plies", !mover),
        Proof::Draw => "draw".to_owned(),
    }
}

fn notations(game: &Game, moves: &[Move]) -> Vec<String> {
    let mut position = *game.position();
    let write = |&mv: &Move| {
        let text = position.move_text(mv);
        position = position.play(mv);
        text
    };
    moves.iter().map(write).collect()
}

fn shares(game: &Game, policy: &[f32]) -> Vec<Share> {
    let (position, legal) = (game.position(), game.legal_moves());
    let mut shares: Vec<Share> = legal
        .iter()
        .zip(policy)
        .filter(|(_, share)| **share >= MIN_SHARE)
        .map(|(&mv, &share)| Share {
            notation: position.move_text_among(mv, &legal),
            from: number(position, mv.from),
            to: number(position, mv.to),
            share,
        })
        .collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares.truncate(MAX_SHARES);
    shares
}

/// Stops the search when it is dropped.
pub(crate) struct StopOnDrop(Arc<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// `POST /api/think`.
pub(crate) async fn think(
    State(shared): State<Arc<AppState>>,
    Body(question): Body<ThinkRequest>,
) -> Result<EventStream<StopOnDrop>, ApiError> {
    let game = question.game.replay()?;
    if let Some(outcome) = game.outcome() {
        let reason = outcome.reason();
        return Err(ApiError::bad(format!("the game is over ({reason})")));
    }
    let limits = question.limits()?;
    let variant = game.position().variant();
    let player = shared
        .players
        .resolve(&shared.runs, variant, &question.player)?;
    let permit = permit(&shared).await?;
    let control = Arc::new(Control::running());
    let guard = StopOnDrop(Arc::clone(&control));
    let (sender, queue) = unbounded_channel();
    let search = AnalysisJob {
        shared,
        player,
        game,
        limits,
        seed: question.seed,
        control,
        sender,
        _permit: permit,
    };
    tokio::task::spawn_blocking(move || search.run());
    Ok(events(queue, guard))
}

/// A permit to run a search.
async fn permit(shared: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    let places = Arc::clone(&shared.searches).acquire_owned();
    match tokio::time::timeout(PATIENCE, places).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(ApiError::busy(format!(
            "{} searches are running already: stop one, or close another page",
            shared.max_searches
        ))),
    }
}

/// One search on its own thread.
struct AnalysisJob {
    shared: Arc<AppState>,
    player: String,
    game: Game,
    limits: SearchLimits,
    seed: u64,
    control: Arc<Control>,
    sender: UnboundedSender<Event>,
    _permit: OwnedSemaphorePermit,
}

impl AnalysisJob {
    fn run(self) {
        let last = match self.analyze() {
            Ok(answer) => event("answer", &answer),
            Err(error) => event("failure", &ErrorEvent { error }),
        };
        // The receiver is gone if the client has disconnected.
        let _ = self.sender.send(last);
    }

    fn analyze(&self) -> Result<FindingsView, String> {
        let mut analyzer = self.shared.players.take(&self.player)?;
        let task = Task {
            game: &self.game,
            seed: Seed::new(self.seed),
            stopper: Stopper {
                limits: self.limits,
                control: Arc::clone(&self.control),
            },
        };
        let view = |findings: &Findings| FindingsView::new(findings, &self.game, &self.control);
        let findings = analyzer
            .analyze(&task, &mut |findings| {
                if self.sender.send(event("info", &view(findings))).is_err() {
                    self.control.stop();
                }
            })
            .map_err(|error| error.to_string())?;
        self.shared.players.put_back(self.player.clone(), analyzer);
        Ok(view(&findings))
    }
}
