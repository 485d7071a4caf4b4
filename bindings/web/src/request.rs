//! Requests and their replies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agent::games::{PdnSource, PdnStream};
use agent::view::{self, Analysis};
use agent::{Agent, Control, Error, Findings, Game, Limits, Options, Stopper, Variant, games};
use endgame::Database;
use page::{FindingsView, GameText, GameView};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::reading;

/// Positions to search for the distances of a position and its moves: at most some tenths of a
/// second.
const DISTANCE_BUDGET: usize = 100_000;

/// Services of the host: a clock and a listener.
pub struct Host {
    /// Time since an arbitrary moment.
    pub clock: fn() -> Duration,
    /// Receives intermediate results of an analysis as JSON; `false` ends it.
    pub report: fn(&str) -> bool,
}

/// Open games, readers and agents, by handle.
pub struct Session {
    host: Host,
    games: BTreeMap<u32, Game>,
    /// Readers of PDN.
    readers: BTreeMap<u32, PdnStream>,
    agents: BTreeMap<u32, Agent>,
    /// The endgame databases.
    endgames: BTreeMap<Variant, Database>,
    last_handle: u32,
}

/// A request, by the name in its field `do`. `game` and `agent` are handles.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Names of all variants.
    Variants {},
    /// A new game.
    NewGame {
        variant: String,
        fen: Option<String>,
        #[serde(default)]
        moves: Vec<String>,
    },
    /// The games of a PDN text.
    ReadPdn {
        text: String,
        variant: Option<String>,
    },
    /// Opens the accompanying bytes as PDN.
    OpenPdn {
        variant: Option<String>,
        encoding: Option<String>,
    },
    /// The next game of an open PDN, good or bad; null after the last one.
    NextPdn { reader: u32 },
    /// A game as PDN.
    WritePdn {
        game: u32,
        #[serde(default)]
        tags: BTreeMap<String, String>,
    },
    /// The state of a game.
    View { game: u32 },
    /// Plays a move.
    Play { game: u32, text: String },
    /// Takes the last move back.
    TakeBack { game: u32 },
    /// Counts the lines of `depth` plies.
    Perft { game: u32, depth: usize },
    /// Loads an agent: from the accompanying bytes, or by name.
    Load {
        name: String,
        #[serde(default)]
        options: Options,
    },
    /// Chooses a move.
    Choose {
        agent: u32,
        game: u32,
        #[serde(default)]
        limits: Limits,
    },
    /// Analyses a position.
    Analyse {
        agent: u32,
        game: u32,
        #[serde(default)]
        limits: Limits,
    },
    /// The value of a position without search.
    Value { agent: u32, game: u32 },
    /// The network's evaluation of a position.
    Judge { agent: u32, game: u32 },
    /// A request of a page: the path and body of a request to `crownhead serve`.
    Page { path: String, body: Json },
    /// Loads the endgame database of a variant from the accompanying bytes; pages then show its
    /// results.
    Endgames { variant: String },
    /// A search requested by a page.
    Think {
        agent: u32,
        question: page::Question,
    },
    /// Closes a game, a reader or an agent.
    Close { handle: u32 },
}

/// Message of a rejected request.
struct Refusal(String);

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal(error.into().to_string())
    }
}

type Reply = Result<Json, Refusal>;

impl Session {
    /// A session without games.
    pub fn new(host: Host) -> Session {
        Session {
            host,
            games: BTreeMap::new(),
            readers: BTreeMap::new(),
            agents: BTreeMap::new(),
            endgames: BTreeMap::new(),
            last_handle: 0,
        }
    }

    /// Answers a JSON request with `{"ok": ...}` or `{"error": "..."}`.
    pub fn answer(&mut self, request: &str, bytes: &[u8]) -> String {
        let reply = reading::read(request)
            .map_err(Refusal)
            .and_then(|request| self.reply(request, bytes));
        match reply {
            Ok(value) => json!({ "ok": value }),
            Err(Refusal(error)) => json!({ "error": error }),
        }
        .to_string()
    }

    fn reply(&mut self, request: Request, bytes: &[u8]) -> Reply {
        match request {
            Request::Variants {} => Ok(json!(Variant::ALL.map(Variant::name))),
            Request::NewGame {
                variant,
                fen,
                moves,
            } => {
                let mut game = Game::new(games::position(variant.parse()?, fen.as_deref())?);
                for text in moves {
                    games::play(&mut game, &text)?;
                }
                Ok(json!(self.open_game(game)))
            }
            Request::ReadPdn { text, variant } => {
                let variant = variant.map(|name| name.parse()).transpose()?;
                let read = games::read_pdn(&text, variant)?;
                let handles: Vec<u32> = read.into_iter().map(|game| self.open_game(game)).collect();
                Ok(json!(handles))
            }
            Request::OpenPdn { variant, encoding } => {
                let variant = variant.map(|name| name.parse()).transpose()?;
                let encoding = encoding.map(|name| name.parse()).transpose()?;
                let source = PdnSource::Bytes(bytes.into());
                let reader = PdnStream::open(source, variant, encoding)
                    .map_err(|error| Refusal(error.to_string()))?;
                let handle = self.new_handle();
                self.readers.insert(handle, reader);
                Ok(json!(handle))
            }
            Request::NextPdn { reader } => self.next_pdn(reader),
            Request::WritePdn { game, tags } => {
                let tags: Vec<_> = tags
                    .iter()
                    .map(|(tag, text)| (tag.as_str(), text.as_str()))
                    .collect();
                Ok(json!(games::write_pdn(self.game(game)?, &tags)))
            }
            Request::View { game } => Ok(json!(view::GameView::new(self.game(game)?))),
            Request::Play { game, text } => {
                games::play(self.game(game)?, &text)?;
                Ok(json!(view::GameView::new(self.game(game)?)))
            }
            Request::TakeBack { game } => {
                games::take_back(self.game(game)?)?;
                Ok(json!(view::GameView::new(self.game(game)?)))
            }
            Request::Perft { game, depth } => {
                Ok(json!(agent::perft(self.game(game)?.position(), depth)))
            }
            Request::Load { name, options } => {
                let agent = match bytes {
                    [] => Agent::load(&name, &options)?,
                    bytes => Agent::from_bytes(&name, bytes, &options)?,
                };
                let (variant, elo_range) = (agent.variant().name(), agent.elo_range());
                let handle = self.new_handle();
                self.agents.insert(handle, agent);
                Ok(json!({ "handle": handle, "variant": variant, "elo_range": elo_range }))
            }
            Request::Choose {
                agent,
                game,
                limits,
            } => self.choose(agent, game, &limits),
            Request::Analyse {
                agent,
                game,
                limits,
            } => self.analyse(agent, game, &limits),
            Request::Value { agent, game } => {
                let game = self.game(game)?.clone();
                Ok(json!(self.agent(agent)?.value(&game)?))
            }
            Request::Judge { agent, game } => {
                let game = self.game(game)?.clone();
                let judged = self.agent(agent)?.judge(std::slice::from_ref(&game))?;
                Ok(json!({
                    "value": judged[0].value,
                    "policy": view::policy(&judged[0], game.position()),
                }))
            }
            Request::Page { path, body } => self.answer_page(&path, body),
            Request::Endgames { variant } => {
                let variant = variant.parse()?;
                let database = Database::read(bytes, variant).map_err(|error| {
                    Refusal(format!("the endgame database of {variant}: {error}"))
                })?;
                let pieces = database.n_pieces();
                self.endgames.insert(variant, database);
                Ok(json!(pieces))
            }
            Request::Think { agent, question } => self.think(agent, &question),
            Request::Close { handle } => {
                let game = self.games.remove(&handle).is_some();
                let reader = self.readers.remove(&handle).is_some();
                Ok(json!(game | reader | self.agents.remove(&handle).is_some()))
            }
        }
    }

    fn next_pdn(&mut self, handle: u32) -> Reply {
        let reader = opened(&mut self.readers, handle, "reader of PDN")?;
        let (read, encoding) = (reader.next(), reader.encoding().name());
        let Some(mut read) = read else {
            return Ok(Json::Null);
        };
        let game = read.game.take().map(|game| self.open_game(game));
        Ok(json!({ "handle": game, "read": read, "encoding": encoding }))
    }

    fn choose(&mut self, agent: u32, game: u32, limits: &Limits) -> Reply {
        let (game, control) = (self.game(game)?.clone(), self.control());
        let choice = self.agent(agent)?.choose_until(&game, limits, control)?;
        Ok(json!({
            "move": game.position().move_text(choice.mv),
            "value": choice.value,
            "nodes": choice.nodes,
        }))
    }

    fn analyse(&mut self, agent: u32, game: u32, limits: &Limits) -> Reply {
        let (game, control) = (self.game(game)?.clone(), self.control());
        let (stop, report) = (Arc::clone(&control), self.host.report);
        let view = |found: &Findings| json!(Analysis::new(found, game.position()));
        let found = self
            .agent(agent)?
            .analyse(&game, limits, control, &mut |found| {
                if !report(&view(found).to_string()) {
                    stop.stop();
                }
            })?;
        Ok(view(&found))
    }

    /// Searches in the form that a page shows.
    fn think(&mut self, agent: u32, question: &page::Question) -> Reply {
        let game = question.game.replay().map_err(refused)?;
        if let Some(outcome) = game.outcome() {
            return Err(Error::Over { outcome }.into());
        }
        let subject = question.subject(game);
        if let Some(outcome) = subject.game.outcome() {
            return Ok(json!(FindingsView::over(outcome, &subject)));
        }
        let (limits, control) = (question.limits().map_err(refused)?, self.control());
        let played = question.played(&subject.game).map_err(refused)?;
        let (stop, report) = (Arc::clone(&control), self.host.report);
        let clock = Arc::clone(&control);
        let view = |found: &Findings| FindingsView::new(found, &subject, clock.elapsed());
        let agent = self.agent(agent)?;
        agent.reseed(question.seed);
        let report = &mut |found: &Findings| {
            if !report(&json!(view(found)).to_string()) {
                stop.stop();
            }
        };
        let Some(played) = played else {
            let found = agent.search(&subject.game, limits, control, report)?;
            return Ok(json!(view(&found)));
        };
        let (judgment, found) =
            agent.judge_move(&subject.game, played, Stopper { limits, control }, report)?;
        Ok(json!(view(&found).with_judgment(&judgment, &subject)))
    }

    /// Answers requests of a page to `crownhead serve`, except searches and runs.
    fn answer_page(&self, path: &str, body: Json) -> Reply {
        Ok(match path {
            "/api/variants" => json!(page::variants()),
            "/api/game" => {
                let game = body_of::<GameText>(body)?.replay().map_err(refused)?;
                let view = GameView::new(&game);
                match self.endgames.get(&game.position().variant()) {
                    Some(known) => json!(view.with_truth(&game, known, DISTANCE_BUDGET)),
                    None => json!(view),
                }
            }
            "/api/pdn/read" => json!(page::read_pdn(&body_of(body)?).map_err(refused)?),
            "/api/pdn/write" => json!(page::write_pdn(&body_of(body)?).map_err(refused)?),
            "/api/openings" => json!(page::count_openings(&body_of(body)?).map_err(refused)?),
            _ => return Err(Refusal(format!("the page has nothing at {path}"))),
        })
    }

    /// A control with a running clock.
    fn control(&self) -> Arc<Control> {
        let control = Control::with_clock(self.host.clock);
        control.start();
        Arc::new(control)
    }

    fn new_handle(&mut self) -> u32 {
        self.last_handle += 1;
        self.last_handle
    }

    fn open_game(&mut self, game: Game) -> u32 {
        let handle = self.new_handle();
        self.games.insert(handle, game);
        handle
    }

    fn game(&mut self, handle: u32) -> Result<&mut Game, Refusal> {
        opened(&mut self.games, handle, "game")
    }

    fn agent(&mut self, handle: u32) -> Result<&mut Agent, Refusal> {
        opened(&mut self.agents, handle, "agent")
    }
}

/// The value with this handle.
fn opened<'a, T>(
    values: &'a mut BTreeMap<u32, T>,
    handle: u32,
    kind: &str,
) -> Result<&'a mut T, Refusal> {
    values.get_mut(&handle).ok_or_else(|| {
        Refusal(format!(
            "handle {handle} is not an open {kind}: it was closed, or never opened"
        ))
    })
}

fn body_of<T: DeserializeOwned>(body: Json) -> Result<T, Refusal> {
    serde_json::from_value(body).map_err(|error| Refusal(format!("invalid request: {error}")))
}

fn refused(refusal: page::Refusal) -> Refusal {
    Refusal(refusal.0)
}
