//! A server with mock players and a small run, and a minimal client.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use book::Book;
use endgame::Database;
use engine::{Analyzer, Findings, PlayerError, Task, Variation};
use http::Limits;
use rules::{Color, Game, Position, Variant};
use serde_json::{Value, json};
use store::{
    GameId, Games, Header, MetricLine, MetricWriter, ModelId, Ply, Policy8, Record, RecordedSearch,
    RunWriter, Surprise, Wdl8,
};
use tempfile::TempDir;
use web::{Books, Label, Lan, PlayerCatalog, PlayerInfo, RunVerdict, ServerOptions, bind};

/// Plays the first legal move and reports it in a policy.
struct First;

impl Analyzer for First {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let moves = task.game.legal_moves();
        let mut findings = Findings::bare(moves[0]);
        findings.variations[0].value = Some(types::Wdl::WIN);
        findings.policy = vec![1.0 / moves.len() as f32; moves.len()];
        report(&findings);
        Ok(findings)
    }
}

/// Returns the requested number of lines, in the order of the legal moves.
struct Several;

impl Analyzer for Several {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let variation = |(visits, &mv)| Variation {
            moves: vec![mv],
            value: Some(types::Wdl::WIN),
            proof: Some(search::Proof::Win(3)),
            depth: 5,
            visits: Some(visits),
        };
        let moves = task.game.legal_moves();
        let findings = Findings {
            variations: (0..)
                .zip(moves.iter())
                .map(variation)
                .take(task.stopper.limits.lines)
                .collect(),
            policy: Vec::new(),
            nodes: 9,
        };
        report(&findings);
        Ok(findings)
    }
}

/// Searches until it is stopped. Counts the active searches.
struct Endless(Arc<AtomicUsize>);

impl Analyzer for Endless {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let findings = Findings::bare(task.game.legal_moves()[0]);
        report(&findings);
        while !task.stopper.is_over(0) {
            thread::sleep(Duration::from_millis(2));
        }
        self.0.fetch_sub(1, Ordering::SeqCst);
        Ok(findings)
    }
}

/// Number of reports of [`Flood`].
pub(crate) const N_REPORTS: usize = 100_000;

/// Reports more than a client reads. Counts the finished searches.
struct Flood(Arc<AtomicUsize>);

impl Analyzer for Flood {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let findings = Findings::bare(task.game.legal_moves()[0]);
        (0..N_REPORTS).for_each(|_| report(&findings));
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(findings)
    }
}

/// With the counters of [`Endless`] and [`Flood`].
struct TestPlayers(Arc<AtomicUsize>, Arc<AtomicUsize>);

impl PlayerCatalog for TestPlayers {
    fn players(&self, _: Variant) -> Vec<PlayerInfo> {
        let offer =
            |id: &str| PlayerInfo::new(id, Label::new("named", [id]), Label::new("baselines", []));
        ["first", "several", "endless", "flood", "broken", "threads"]
            .map(offer)
            .to_vec()
    }

    fn analyzer(
        &self,
        text: &str,
        _: Variant,
        threads: usize,
    ) -> Result<Box<dyn Analyzer>, String> {
        match text {
            "first" => Ok(Box::new(First)),
            "several" => Ok(Box::new(Several)),
            "endless" => Ok(Box::new(Endless(Arc::clone(&self.0)))),
            "flood" => Ok(Box::new(Flood(Arc::clone(&self.1)))),
            run if run.starts_with("run:") && run.ends_with("@1") => Ok(Box::new(First)),
            "threads" => Err(format!("it has {threads}")),
            _ => Err("it is broken".to_owned()),
        }
    }

    fn endgames(&self, variant: Variant, _: &[PathBuf]) -> Option<Arc<Database>> {
        Database::build(variant, 3, |_| ()).ok().map(Arc::new)
    }
}

/// A book of a game that Black won, in the directory of runs.
fn test_book(runs: &TempDir) -> Books {
    let variant = Variant::ALL[0];
    let mut game = Game::new(Position::start(variant));
    for text in ["11-15", "23-19"] {
        game.play(game.position().parse_move(text).unwrap());
    }
    let mut book = Book::new(variant);
    book.add_game(&game, rules::pdn::PdnResult::Won(Color::Black), 9);
    let path = runs.path().join("test.book");
    store::write_book(&path, &book).unwrap();
    Books::read(&[path]).unwrap()
}

/// A server that ends with the test.
pub(crate) struct TestServer {
    pub(crate) port: u16,
    pub(crate) runs: TempDir,
    /// Active searches of the player `endless`.
    pub(crate) at_work: Arc<AtomicUsize>,
    /// Finished searches of the player `flood`.
    pub(crate) floods: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    /// Serves the runs in a directory.
    pub(crate) fn start(runs: TempDir) -> TestServer {
        TestServer::with_limits(runs, Limits::default())
    }

    /// Serves them with other limits.
    pub(crate) fn with_limits(runs: TempDir, limits: Limits) -> TestServer {
        TestServer::start_for(runs, limits, None)
    }

    /// Serves them to other machines too.
    pub(crate) fn start_for(runs: TempDir, limits: Limits, lan: Option<Lan>) -> TestServer {
        let (at_work, floods) = (Arc::default(), Arc::default());
        let mut server = bind(ServerOptions {
            port: 0,
            lan,
            runs: runs.path().to_owned(),
            other_run: None,
            max_searches: 2,
            puzzles: Some(serde_json::json!({"puzzles": []})),
            books: test_book(&runs),
            players: Box::new(TestPlayers(Arc::clone(&at_work), Arc::clone(&floods))),
            judge: |run| {
                let name = run.path().file_name()?.to_str()?;
                Some(RunVerdict {
                    word: "learning",
                    reason: format!("{name} gains"),
                })
            },
        })
        .unwrap();
        server.limits = limits;
        let port = server.address().port();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        TestServer {
            port,
            runs,
            at_work,
            floods,
            stop,
            thread: Some(thread::spawn(move || server.run(&flag).unwrap())),
        }
    }

    /// Stops it and waits until it has stopped.
    pub(crate) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Sends bytes; the response can be read from the stream.
    pub(crate) fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// The status, the headers and the body of a response.
    pub(crate) fn ask(&self, request: &str) -> (u16, String, String) {
        let mut text = String::new();
        self.send(request).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_owned())
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let (host, length) = (self.host(), body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             content-length: {length}\r\n{headers}\r\n{body}"
        )
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A GET with a JSON response.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let (status, _, body) = self.ask(&self.request("GET", path, "", ""));
        (status, serde_json::from_str(&body).unwrap())
    }

    pub(crate) fn post_text(&self, path: &str, body: &str) -> String {
        self.request("POST", path, "content-type: application/json\r\n", body)
    }

    /// A POST of JSON with a JSON response.
    pub(crate) fn post(&self, path: &str, content: &Value) -> (u16, Value) {
        let (status, _, body) = self.ask(&self.post_text(path, &content.to_string()));
        (status, serde_json::from_str(&body).unwrap())
    }

    /// The error of a POST that must fail with this status.
    pub(crate) fn refusal(&self, path: &str, content: &Value, expected: u16) -> String {
        let (status, answer) = self.post(path, content);
        assert_eq!(status, expected, "{path} {content}: {answer}");
        answer["error"].as_str().unwrap().to_owned()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A directory of runs with one, `small`: two models, a rating, three games.
pub(crate) fn runs(variant: Variant) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("small");
    let config = format!("variant = \"{variant}\"\nseed = 1\n");
    let writer = RunWriter::create(&path, &config).unwrap();
    for number in 0..2 {
        writer
            .save_model(ModelId(number), |dir| {
                std::fs::write(dir.join("model.json"), "{}")
            })
            .unwrap();
    }
    writer
        .write_status(&json!({"variant": variant.name(), "generation": 1, "games": 3}))
        .unwrap();
    let point = json!({"generation": 1, "model": 1, "elo": 500.0, "ci95": 90.0});
    writer
        .write_ratings(&json!({"zero": "random", "points": [point]}))
        .unwrap();
    let (mut metrics, _) = MetricWriter::open(&writer, |line| line.step == 0).unwrap();
    write_loss(&mut metrics, 1, 0.5);
    let mut games = Games::new(&writer.games_path(), variant).writer(1).unwrap();
    for number in 0..3 {
        games.append(&record(variant, number)).unwrap();
    }
    games.sync().unwrap();
    std::fs::write(path.join("champion"), "000001\n").unwrap();
    dir
}

pub(crate) fn write_loss(metrics: &mut MetricWriter, generation: u32, loss: f64) {
    let line = MetricLine {
        step: u64::from(generation),
        generation,
        time: 0.0,
        values: [("loss/policy".to_owned(), Some(loss))].into(),
    };
    metrics.write(&line).unwrap();
}

fn record(variant: Variant, number: u32) -> Record {
    let start = Position::start(variant);
    let mut game = Game::new(start);
    let mut plies = Vec::new();
    while game.outcome().is_none() && plies.len() < 10 {
        let moves = game.legal_moves();
        let mv = moves[number as usize % moves.len()];
        let value = Wdl8::new([0.5, 0.3, 0.2]);
        let search = match moves.len() {
            1 => RecordedSearch::Forced { value: None },
            n => RecordedSearch::Full {
                value,
                raw_value: value,
                surprise: Surprise::new(0.1),
                policy: Policy8::new(&moves, &vec![1.0; n]),
            },
        };
        plies.push(Ply { mv, search });
        game.play(mv);
    }
    Record {
        header: Header {
            variant,
            rules_version: variant.rules_version(),
            seed: 1,
            id: GameId {
                generation: 1,
                number,
            },
            network: "000000".to_owned(),
            config_hash: 0,
        },
        start,
        plies,
        result: game.outcome(),
    }
}
