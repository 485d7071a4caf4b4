//! Thinking, told as it goes on. It ends when it is done or when the client goes away.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::Event;
use engine::{Control, Limits, Task, Thought, TimeLeft, Watch};
use rules::{Game, Move};
use search::Proof;
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::game::{GameText, number};
use crate::reply::{Body, Problem};
use crate::server::Shared;
use crate::stream::{EventStream, event, events};
use crate::value::Value;

/// How long a search waits for others to end before it is refused.
const PATIENCE: Duration = Duration::from_secs(3);
const MAX_SIMULATIONS: u64 = 65_536;
const MAX_SECONDS: f64 = 600.0;
/// How long to think where nothing limits it.
const USUAL_TIME: Duration = Duration::from_secs(5);
/// Moves of a policy that are told, and the least share that is worth telling.
const MAX_SHARES: usize = 12;
const MIN_SHARE: f32 = 0.005;

/// Who shall think about what, and how long.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    game: GameText,
    player: String,
    /// Simulations at most, for players that take them.
    #[serde(default)]
    simulations: Option<u64>,
    /// Seconds for this move.
    #[serde(default)]
    seconds: Option<f64>,
    /// What the mover's clock shows.
    #[serde(default)]
    clock: Option<ClockText>,
    /// Decides whatever the player leaves to chance.
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

impl Question {
    fn limits(&self) -> Result<Limits, Problem> {
        let nodes = match self.simulations {
            Some(n) if !(1..=MAX_SIMULATIONS).contains(&n) => {
                return Err(Problem::bad(format!(
                    "simulations is {n}: it is 1 to {MAX_SIMULATIONS}"
                )));
            }
            other => other,
        };
        let span = |name: &str, seconds: f64| match seconds {
            s if (0.0..=MAX_SECONDS * 60.0).contains(&s) => Ok(Duration::from_secs_f64(s)),
            _ => Err(Problem::bad(format!(
                "{name} is {seconds}: it is a number of seconds, 0 to {}",
                MAX_SECONDS * 60.0
            ))),
        };
        let time = match (self.seconds, self.clock) {
            (Some(_), Some(_)) => {
                return Err(Problem::bad("send seconds or clock, not both"));
            }
            (Some(seconds), None) if seconds > MAX_SECONDS => {
                return Err(Problem::bad(format!(
                    "seconds is {seconds}: the most is {MAX_SECONDS}"
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
        Ok(Limits {
            depth: None,
            nodes,
            time,
        })
    }
}

/// What a player thinks, in the page's words.
#[derive(Serialize)]
struct ThoughtView {
    value: Option<Value>,
    /// What is certain, in words.
    proof: Option<String>,
    depth: u32,
    nodes: u64,
    seconds: f64,
    /// Moves that are expected.
    line: Vec<String>,
    policy: Vec<Share>,
}

/// How likely a move is the one to play.
#[derive(Serialize)]
struct Share {
    notation: String,
    from: usize,
    to: usize,
    share: f32,
}

/// Why there is no move.
#[derive(Serialize)]
struct Failure {
    error: String,
}

impl ThoughtView {
    fn new(thought: &Thought, game: &Game, control: &Control) -> ThoughtView {
        let mover = game.position().turn();
        let value = thought
            .value
            .map(|wdl| Value::new([wdl.win, wdl.draw, wdl.loss], mover));
        ThoughtView {
            value,
            proof: thought.proof.map(|proof| words(proof, game)),
            depth: thought.depth,
            nodes: thought.nodes,
            seconds: control.elapsed().as_secs_f64(),
            line: line(game, &thought.principal_variation),
            policy: shares(game, &thought.policy),
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

fn line(game: &Game, moves: &[Move]) -> Vec<String> {
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
    State(shared): State<Arc<Shared>>,
    Body(question): Body<Question>,
) -> Result<EventStream<StopOnDrop>, Problem> {
    let game = question.game.replay()?;
    if let Some(outcome) = game.outcome() {
        let reason = outcome.reason();
        return Err(Problem::bad(format!(
            "the game is over ({reason}): there is no move to think about"
        )));
    }
    let limits = question.limits()?;
    let variant = game.position().variant();
    let player = shared
        .roster
        .resolve(&shared.runs, variant, &question.player)?;
    let permit = permit(&shared).await?;
    let control = Arc::new(Control::running());
    let guard = StopOnDrop(Arc::clone(&control));
    let (sender, queue) = unbounded_channel();
    let search = Search {
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

/// A place among the searches that may run at once.
async fn permit(shared: &Shared) -> Result<OwnedSemaphorePermit, Problem> {
    let places = Arc::clone(&shared.searches).acquire_owned();
    match tokio::time::timeout(PATIENCE, places).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(Problem::busy(format!(
            "{} searches are running already: stop one, or close another page",
            shared.max_searches
        ))),
    }
}

/// One search on a thread of its own.
struct Search {
    shared: Arc<Shared>,
    player: String,
    game: Game,
    limits: Limits,
    seed: u64,
    control: Arc<Control>,
    sender: UnboundedSender<Event>,
    _permit: OwnedSemaphorePermit,
}

impl Search {
    fn run(self) {
        let last = match self.think() {
            Ok(answer) => event("answer", &answer),
            Err(error) => event("failure", &Failure { error }),
        };
        // Nobody listens any more if the client has gone.
        let _ = self.sender.send(last);
    }

    fn think(&self) -> Result<ThoughtView, String> {
        let mut thinker = self.shared.roster.take(&self.player)?;
        let task = Task {
            game: &self.game,
            seed: self.seed,
            watch: Watch {
                limits: self.limits,
                control: Arc::clone(&self.control),
            },
        };
        let view = |thought: &Thought| ThoughtView::new(thought, &self.game, &self.control);
        let thought = thinker
            .think(&task, &mut |thought| {
                if self.sender.send(event("thought", &view(thought))).is_err() {
                    self.control.stop();
                }
            })
            .map_err(|error| error.to_string())?;
        self.shared.roster.put_back(self.player.clone(), thinker);
        Ok(view(&thought))
    }
}
