//! The server, for machines of volunteers and of strangers.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gateway::{Quota, Volunteers, bind};
use share::{Assignment, Objects, Share, ShareError, Work, WorkerStatus};
use store::RunId;
use xxhash_rust::xxh3::xxh3_128;

const MODEL: &str = "fleet/models/net.safetensors";

fn assignment() -> Assignment {
    Assignment {
        run: RunId(1),
        generation: 1,
        work: Work::SelfPlay {
            network: "net".to_owned(),
        },
        total: 8,
        chunk: 1,
        done: Vec::new(),
        settings: String::new(),
        is_over: false,
    }
}

/// The folder of its games.
fn folder() -> String {
    let share = Objects::in_memory().unwrap();
    let name = assignment().deliver(&share, "ada.laptop-1", 0, Vec::new());
    name.unwrap().folder
}

struct TestGateway {
    host: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestGateway {
    /// A gateway to a share with a network of these bytes. Ada and Bob are invited.
    fn with(network: Vec<u8>, quota: Quota) -> TestGateway {
        let share = Objects::in_memory().unwrap();
        share.put(MODEL, network).unwrap();
        share.put("run.toml", b"of the trainer".to_vec()).unwrap();
        assignment().publish(&share).unwrap();
        TestGateway::before(Box::new(share), quota)
    }

    fn before(share: Box<dyn Share>, quota: Quota) -> TestGateway {
        let lines = [("ada", "secret"), ("bob", "secret3")];
        let lines = lines.map(|(name, secret)| Volunteers::line(name, secret).unwrap());
        let volunteers = Volunteers::parse("volunteers", &lines.concat()).unwrap();
        let address = ([127, 0, 0, 1], 0).into();
        let gateway = bind(address, share, volunteers, quota).unwrap();
        let host = gateway.address().to_string();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        TestGateway {
            host,
            stop,
            thread: Some(thread::spawn(move || gateway.run(&flag).unwrap())),
        }
    }

    fn start() -> TestGateway {
        TestGateway::with(vec![7; 100_000], Quota::default())
    }

    /// Sends a request without waiting for the answer.
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
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
        name: "ada.laptop-1".to_owned(),
        ..WorkerStatus::default()
    };
    status.publish(&*share).unwrap();
    let all = WorkerStatus::read_all(&*share).unwrap();
    assert_eq!(all, [(status, 0)]);
    let games = vec![1; 3_000_000];
    let hash = xxh3_128(&games);
    let folder = folder();
    let name = format!("fleet/games/{folder}/000000.{hash:032x}.ada.laptop-1.seg");
    share.put(&name, games.clone()).unwrap();
    assert_eq!(share.get(&name).unwrap().unwrap(), games);
    let listed = share.list(&format!("fleet/games/{folder}")).unwrap();
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
    assert!(refused("fleet/workers/bob.laptop.json", b"{}").contains("must be named ada."));
    let hash = xxh3_128(b"games");
    let name = format!(
        "fleet/games/{}/000000.{hash:032x}.ada.laptop-1.seg",
        folder()
    );
    assert!(refused(&name, b"other games").contains("do not match its name"));
    assert!(refused(&name, &vec![0; (32 << 20) + 1]).contains("more than 33554432 bytes"));
    let large = refused("fleet/workers/ada.laptop-1.json", &vec![b' '; 9 << 20]);
    assert!(large.contains("more than 65536 bytes"), "{large}");
    let foreign = refused("fleet/workers/bob.laptop.json", &vec![b' '; 9 << 20]);
    assert!(foreign.contains("must be named ada."), "{foreign}");
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

/// The name of an object of Ada's with these games.
fn games_name(folder: &str, chunk: u32, games: &[u8]) -> String {
    let hash = xxh3_128(games);
    format!("fleet/games/{folder}/{chunk:06}.{hash:032x}.ada.laptop-1.seg")
}

#[test]
fn volunteers_add_to_what_is_played_and_have_a_quota() {
    let quota = Quota {
        bytes: 5000,
        files: 3,
        ..Quota::default()
    };
    let gateway = TestGateway::with(vec![7], quota);
    let share = gateway.open("ada:secret");
    let put = |folder: &str, chunk: u32, length: usize| {
        let games = vec![chunk as u8; length];
        let put = share.put(&games_name(folder, chunk, &games), games);
        put.map_err(|error| error.reason).err().unwrap_or_default()
    };
    for folder in ["000001", "999999", "000001-00000000000000ff", "anything"] {
        let reason = put(folder, 1, 10);
        assert!(
            reason.contains("is not part of the current assignment"),
            "{reason}"
        );
    }
    let current = folder();
    let claim = share.put("fleet/claims/000007/000001.ada.laptop-1", Vec::new());
    assert!(claim.is_err());
    assert_eq!(put(&current, 1, 3000), "");
    assert!(put(&current, 2, 3000).contains("the objects of ada may have 5000 bytes"));
    assert_eq!(put(&current, 2, 100), "");
    assert_eq!(put(&current, 3, 100), "");
    assert!(put(&current, 4, 100).contains("ada may have 3 objects"));
    assert_eq!(put(&current, 3, 100), "", "it takes the place of itself");
}

/// Clients that request large objects and read nothing.
#[cfg(target_os = "linux")]
#[test]
fn objects_are_sent_piece_by_piece() {
    let resident_mib = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: u64 = line
            .unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap();
        kib >> 10
    };
    let gateway = TestGateway::with(vec![7; 32 << 20], Quota::default());
    let before = resident_mib();
    let request = |who: &str| {
        format!("GET /objects/{MODEL} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {who}\r\n\r\n")
    };
    let mut clients: Vec<TcpStream> = Vec::new();
    for _ in 0..30 {
        clients.push(gateway.send(&request("ada:secret")));
        clients.push(gateway.send(&request("bob:secret3")));
    }
    for client in &mut clients {
        let mut head = [0; 12];
        client.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
    }
    let more = resident_mib().saturating_sub(before);
    assert!(more < 200, "{more} MiB more");
    drop(clients);
    assert_eq!(
        gateway
            .open("ada:secret")
            .get(MODEL)
            .unwrap()
            .unwrap()
            .len(),
        32 << 20
    );
}

#[test]
fn slow_objects_of_one_volunteer_delay_no_other() {
    let gateway = TestGateway::start();
    let request = "PUT /objects/fleet/workers/ada.laptop-1.json HTTP/1.1\r\nhost: x\r\n\
                   authorization: Bearer ada:secret\r\ncontent-length: 1000\r\n\r\n{";
    let _slow = [(); 8].map(|()| gateway.send(request));
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    let share = gateway.open("bob:secret3");
    share
        .put("fleet/workers/bob.laptop-1.json", b"{}".to_vec())
        .unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

/// Neither those that begin a request and never end it nor those that have no token.
#[test]
fn strangers_keep_no_volunteer_out() {
    let gateway = TestGateway::start();
    let wrong = format!("GET /objects/{MODEL} HTTP/1.1\r\nhost: x\r\n\r\n");
    let strangers: Vec<TcpStream> = (0..256)
        .map(|number| gateway.send(if number % 2 == 0 { &wrong } else { "GET /obj" }))
        .collect();
    let begun = Instant::now();
    for _ in 0..6 {
        assert_eq!(
            gateway
                .open("ada:secret")
                .get("fleet/protocol.json")
                .unwrap(),
            None
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    let mut refused = gateway.send(&wrong);
    let mut answer = String::new();
    refused.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("connection: close"));
    drop(strangers);
}

#[test]
fn the_place_of_the_share_is_not_told() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().to_str().unwrap();
    let share = Objects::open(place, &[]).unwrap();
    let gateway = TestGateway::before(Box::new(share), Quota::default());
    fs::create_dir_all(dir.path().join("fleet/models/net.safetensors")).unwrap();
    fs::write(dir.path().join("fleet/workers"), "in the way").unwrap();
    let share = gateway.open("ada:secret");
    let name = "fleet/workers/ada.laptop-1.json";
    for error in [
        share.get(MODEL).unwrap_err(),
        share.put(name, b"{}".to_vec()).unwrap_err(),
    ] {
        assert!(error.reason.contains("does not answer"), "{error}");
        assert!(!error.reason.contains(place), "{error}");
    }
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
