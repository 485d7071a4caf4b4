//! A trainer and workers as processes that share a directory; some of them are killed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use gateway::{Quota, Volunteers};

const TINY: [&str; 5] = [
    "english",
    "--preset",
    "tiny",
    "--set",
    "selfplay.games_per_generation=200",
];

fn crownhead(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command.args(args).stdin(Stdio::null());
    command
}

fn succeed(output: Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a worker and waits until it plays.
fn worker(share: &str) -> Child {
    let mut worker = crownhead(&["worker", "--join", share, "--threads", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(worker.stderr.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("Generation")));
    worker
}

/// Starts a gateway that invites Ada, and returns the address for joining.
fn gateway(place: &str, stop: &Arc<AtomicBool>) -> (JoinHandle<()>, String) {
    let share = share::open(place, &[]).unwrap();
    let line = Volunteers::line("ada", "secret").unwrap();
    let volunteers = Volunteers::parse("volunteers", &line).unwrap();
    let address = ([127, 0, 0, 1], 0).into();
    let server = gateway::bind(address, share, volunteers, Quota::default()).unwrap();
    let join = format!("http://ada:secret@{}", server.address());
    let stop = Arc::clone(stop);
    (thread::spawn(move || server.run(&stop).unwrap()), join)
}

/// The reply that Prometheus reads about a fleet and its run.
fn metrics(share: &str) -> String {
    let address = ["--address", "127.0.0.1", "--port", "0", "--format", "json"];
    let command = [&["fleet", "metrics", share, "--run", share][..], &address].concat();
    let mut server = crownhead(&command).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(server.stdout.as_mut().unwrap());
    said.read_line(&mut line).unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    let mut stream = TcpStream::connect(line["address"].as_str().unwrap()).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nhost: any.name\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    reply
}

fn models(run: &Path) -> [Vec<u8>; 2] {
    [1, 2].map(|n| std::fs::read(run.join(format!("models/{n:06}/model.safetensors"))).unwrap())
}

#[test]
fn killed_workers_and_a_killed_trainer_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (alone, together) = (dir.path().join("alone"), dir.path().join("together"));
    let path = |dir: &Path| dir.display().to_string();
    let train = |place: [&str; 4]| crownhead(&[&["train"], &TINY[..], &place].concat());
    succeed(
        train(["--run", &path(&alone), "--generations", "2"])
            .output()
            .unwrap(),
    );

    let share = path(&together);
    // A trainer that would continue for a long time.
    let mut trainer = train(["--fleet", &share, "--generations", "1000"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The fleet exists once the trainer has announced what to play.
    while !together.join("fleet/assignment.json").exists() {
        assert!(
            trainer.try_wait().unwrap().is_none(),
            "the trainer has failed"
        );
        std::thread::yield_now();
    }
    let stop = Arc::default();
    let (gateway, join) = gateway(&share, &stop);
    let volunteer = worker(&join);
    let (mut first, second) = (worker(&share), worker(&share));
    first.kill().unwrap();
    trainer.kill().unwrap();
    for mut process in [first, trainer] {
        process.wait().unwrap();
    }
    let third = worker(&share);
    succeed(
        train(["--fleet", &share, "--generations", "2"])
            .output()
            .unwrap(),
    );
    for worker in [second, third, volunteer] {
        succeed(worker.wait_with_output().unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    gateway.join().unwrap();
    assert!(models(&alone) == models(&together));
    let status = succeed(
        crownhead(&["fleet", "status", &share, "--format", "json"])
            .output()
            .unwrap(),
    );
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["is_over"], true);
    assert_eq!(status["finished"], status["chunks"]);
    let workers = status["workers"].as_array().unwrap();
    let is_volunteer =
        |worker: &serde_json::Value| worker["name"].as_str().unwrap().starts_with("ada.");
    assert!(
        workers.len() >= 3 && workers.iter().any(is_volunteer),
        "{status}"
    );
    let metrics = metrics(&share);
    for line in ["fleet_up", "fleet_waiting_parts", "run_live"] {
        let value = if line == "fleet_up" { 1 } else { 0 };
        let line = format!("\ncrownhead_{line}{{run=\"together\"}} {value}\n");
        assert!(metrics.contains(&line), "{metrics}");
    }
    assert!(metrics.contains(",worker=\"ada."), "{metrics}");
    succeed(
        crownhead(&["check", &share, "--replay", "3"])
            .output()
            .unwrap(),
    );
}

#[test]
fn commands_of_the_gateway_name_its_program() {
    for (words, now) in [
        (
            "gateway /shared/english --volunteers v",
            "crownhead-gateway serve",
        ),
        (
            "invite ada --volunteers v --format json",
            "crownhead-gateway invite",
        ),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = crownhead(&[&["fleet"], &words[..]].concat())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(now) && said.contains("cargo install --path"),
            "{said}"
        );
    }
}
