//! The gateway of a fleet, for machines of volunteers and of strangers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use share::{Objects, Share, ShareError, Volunteers, WorkerStatus};
use web::Gateway;
use xxhash_rust::xxh3::xxh3_128;

const MODEL: &str = "fleet/models/net.safetensors";

struct TestGateway {
    host: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestGateway {
    /// A gateway to a share with a network. Ada is invited.
    fn start() -> TestGateway {
        let share = Objects::in_memory().unwrap();
        share.put(MODEL, vec![7; 100_000]).unwrap();
        share.put("run.toml", b"of the trainer".to_vec()).unwrap();
        let volunteers =
            Volunteers::parse("volunteers", &Volunteers::line("ada", "secret").unwrap()).unwrap();
        let address = ([127, 0, 0, 1], 0).into();
        let gateway = Gateway::bind(address, Box::new(share), volunteers).unwrap();
        let host = gateway.address().to_string();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        TestGateway {
            host,
            stop,
            thread: Some(thread::spawn(move || gateway.run(&flag).unwrap())),
        }
    }

    fn open(&self, who: &str) -> Box<dyn Share> {
        share::open(&format!("http://{who}@{}", self.host), &[]).unwrap()
    }
}

impl Drop for TestGateway {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[test]
fn a_volunteer_sees_the_fleet_and_adds_to_it() {
    let gateway = TestGateway::start();
    let share = gateway.open("ada:secret");
    assert_eq!(share.place(), format!("http://{}", gateway.host));
    assert_eq!(share.get(MODEL).unwrap().unwrap(), vec![7; 100_000]);
    assert_eq!(share.get("fleet/protocol.json").unwrap(), None);
    let status = WorkerStatus {
        name: "ada-laptop-1".to_owned(),
        ..WorkerStatus::default()
    };
    status.publish(&*share).unwrap();
    let all = WorkerStatus::read_all(&*share).unwrap();
    assert_eq!(all, [(status, 0)]);
    let games = vec![1; 3_000_000];
    let hash = xxh3_128(&games);
    let name = format!("fleet/games/000001/000000.{hash:032x}.ada-laptop-1.seg");
    share.put(&name, games.clone()).unwrap();
    assert_eq!(share.get(&name).unwrap().unwrap(), games);
    let listed = share.list("fleet/games/000001").unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].name, name);
}

#[test]
fn strangers_and_what_is_not_a_volunteers_are_refused_in_words() {
    let gateway = TestGateway::start();
    for who in ["ada:wrong", "eve:secret", "ada:secret2"] {
        let error = gateway.open(who).get(MODEL).unwrap_err().to_string();
        assert!(
            error.contains("no volunteer has this name and secret"),
            "{error}"
        );
        assert!(!error.contains(who), "{error}");
    }
    let share = gateway.open("ada:secret");
    let refused = |name: &str, bytes: &[u8]| share.put(name, bytes.to_vec()).unwrap_err().reason;
    assert!(refused(MODEL, b"mine").contains("volunteers may only write below"));
    assert!(refused("fleet/workers/bob-laptop.json", b"{}").contains("must be named ada-"));
    let hash = xxh3_128(b"games");
    let name = format!("fleet/games/000001/000000.{hash:032x}.ada-laptop-1.seg");
    assert!(refused(&name, b"other games").contains("do not match its name"));
    assert!(refused(&name, &vec![0; (32 << 20) + 1]).contains("more than 33554432 bytes"));
    assert!(share.delete(MODEL).is_err());
    assert!(!format!("{share:?}").contains("secret"));
    for hidden in [
        "run.toml",
        "fleet/../run.toml",
        "fleet/%2e%2e/run.toml",
        "fleet//x",
    ] {
        let seen = share.get(hidden);
        assert!(!matches!(seen, Ok(Some(_))), "{hidden}");
    }
    assert!(
        share
            .get("run.toml")
            .unwrap_err()
            .reason
            .contains("volunteers can only see objects below fleet/")
    );
}

#[test]
fn addresses_without_a_volunteer_are_refused_in_words() {
    for url in [
        "http://example.org:8065",
        "http://ada@example.org",
        "http://:x@example.org",
        "http://ada:x@",
    ] {
        let error = share::open(url, &[]).unwrap_err();
        let ShareError::Place { reason, .. } = &error else {
            panic!("{error}");
        };
        assert!(
            reason.contains("write http://NAME:SECRET@HOST:PORT"),
            "{error}"
        );
    }
    let error = Objects::make("http://ada:x@example.org", &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("it is a gateway"), "{error}");
}
