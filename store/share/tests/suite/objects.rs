//! A share in a directory, and one in memory.

use std::sync::Arc;

use rules::Variant;
use share::{
    Assignment, Claims, FleetStatus, Handshake, Objects, Protocol, Ready, Share, ShareError, Work,
    WorkerStatus,
};
use store::RunId;

fn names(share: &dyn Share, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = share
        .list(folder)
        .unwrap()
        .into_iter()
        .map(|o| o.name)
        .collect();
    names.sort();
    names
}

fn objects_are_kept(share: &dyn Share) {
    assert_eq!(names(share, "fleet/games"), [""; 0]);
    assert_eq!(share.get("fleet/games/1/a").unwrap(), None);
    share.delete("fleet/games/1/a").unwrap();
    share.put("fleet/games/1/a", b"first".to_vec()).unwrap();
    share.put("fleet/games/1/a", b"second".to_vec()).unwrap();
    share.put("fleet/games/1/b.c.d", Vec::new()).unwrap();
    share.put("fleet/games2", Vec::new()).unwrap();
    assert_eq!(share.get("fleet/games/1/a").unwrap().unwrap(), b"second");
    assert_eq!(
        names(share, "fleet/games"),
        ["fleet/games/1/a", "fleet/games/1/b.c.d"]
    );
    share.delete("fleet/games/1/a").unwrap();
    assert_eq!(names(share, "fleet/games/1"), ["fleet/games/1/b.c.d"]);
}

#[test]
fn objects_are_kept_in_memory_and_in_a_directory() {
    objects_are_kept(&Objects::in_memory().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("new").display().to_string();
    objects_are_kept(&Objects::make(&place, &[]).unwrap());
    let again = Objects::open(&format!("file://{place}"), &[]).unwrap();
    assert_eq!(names(&again, "fleet/games"), ["fleet/games/1/b.c.d"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_not_text_is_no_object() {
    use std::os::unix::ffi::OsStrExt as _;

    let dir = tempfile::tempdir().unwrap();
    let share = Objects::open(dir.path().to_str().unwrap(), &[]).unwrap();
    share.put("fleet/games/1/a", Vec::new()).unwrap();
    let foreign = std::ffi::OsStr::from_bytes(b"\xe9.txt");
    std::fs::write(dir.path().join("fleet/games").join(foreign), "").unwrap();
    assert_eq!(names(&share, "fleet/games"), ["fleet/games/1/a"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_an_object_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let share = Objects::open(dir.path().to_str().unwrap(), &[]).unwrap();
    let name = "fleet/protocol.json";
    share.put(name, b"{}".to_vec()).unwrap();
    std::fs::remove_file(dir.path().join(name)).unwrap();
    let mut command = std::process::Command::new("mkfifo");
    let made = command.arg(dir.path().join(name)).status().unwrap();
    assert!(made.success());
    let begun = std::time::Instant::now();
    let error = share.get(name).unwrap_err();
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    assert!(error.reason.contains("it is a pipe, not a file"), "{error}");
}

#[test]
fn what_cannot_be_shared_is_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |url: &str| Objects::open(url, &[]).unwrap_err().to_string();
    let missing = dir.path().join("nothing").display().to_string();
    assert_eq!(
        refused(&missing),
        format!("{missing} cannot be shared: there is no such directory")
    );
    for slip in [
        "ftp://host/run",
        "s3://",
        "gs:///run",
        "s3:/bucket/run",
        "file://run",
    ] {
        let slip = refused(slip);
        assert!(
            slip.contains("write a directory, file:///DIRECTORY, s3://BUCKET/FOLDER"),
            "{slip}"
        );
    }
    let secret = refused("az://container/run?sig=1");
    assert!(secret.contains("? and # are not supported"), "{secret}");
    for (bucket, credentials) in [
        ("s3://bucket/run", "AWS_ACCESS_KEY_ID and"),
        ("gs://bucket", "GOOGLE_APPLICATION_CREDENTIALS"),
        (
            "abfss://container@account.dfs.core.windows.net/run",
            "AZURE_STORAGE_ACCOUNT_NAME and",
        ),
    ] {
        let expected = match cfg!(feature = "cloud") {
            true => &format!("there are no credentials for it: set {credentials}"),
            false => "for buckets build it with cargo build --release --features cloud",
        };
        let bucket = refused(bucket);
        assert!(bucket.contains(expected), "{bucket}");
    }
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let below = file.join("run").display().to_string();
    assert!(matches!(
        Objects::make(&below, &[]),
        Err(ShareError::Place { .. })
    ));
}

#[test]
fn objects_have_limits() {
    let dir = tempfile::tempdir().unwrap();
    let share = Objects::open(&dir.path().display().to_string(), &[]).unwrap();
    let file = std::fs::File::create(dir.path().join("games")).unwrap();
    file.set_len(128 << 20).unwrap();
    assert_eq!(share.get("games").unwrap().unwrap().len(), 128 << 20);
    file.set_len((128 << 20) + 1).unwrap();
    let refused = |name: &str| share.get(name).map(drop).unwrap_err().to_string();
    assert!(refused("games").contains("more than the limit of 134217728"));
    let model = std::fs::File::create(dir.path().join("a.safetensors")).unwrap();
    model.set_len((1 << 30) + 1).unwrap();
    assert!(refused("a.safetensors").contains("more than the limit of 1073741824"));
}

#[test]
fn documents_of_others_are_refused_in_words() {
    let share = Objects::in_memory().unwrap();
    assert_eq!(Protocol::read(&share).unwrap(), None);
    let read = |text: &str| {
        share.put("fleet/protocol.json", text.into()).unwrap();
        Protocol::read(&share).unwrap_err().to_string()
    };
    let newer = read(r#"{"version":99,"anything":[]}"#);
    assert!(newer.contains("version 99"), "{newer}");
    let rules = read(
        r#"{"version":3,"variant":"english","rules_version":999,"run":"0000000000000001","settings":"",
            "handshake":{"network":"","games":[]}}"#,
    );
    assert!(rules.contains("rules version 999"), "{rules}");
    assert!(read(r#"{"version":"#).contains("fleet/protocol.json is damaged"));
    share.put("fleet/assignment.json", b"{".to_vec()).unwrap();
    let damaged = Assignment::read(&share).unwrap_err().to_string();
    assert!(damaged.contains("fleet/assignment.json"), "{damaged}");
}

fn self_play(total: u32, chunk: u32, done: Vec<u32>) -> Assignment {
    Assignment {
        run: RunId(1),
        generation: 1,
        work: Work::SelfPlay {
            network: String::new(),
        },
        total,
        chunk,
        done,
        settings: String::new(),
        is_over: false,
    }
}

#[test]
fn a_fleet_is_seen_at_a_glance() {
    let dir = tempfile::tempdir().unwrap();
    let url = dir.path().display().to_string();
    let share = Objects::open(&url, &[]).unwrap();
    let none = FleetStatus::read(&share).unwrap_err().to_string();
    assert!(none.contains("there is no fleet in"), "{none}");
    assert_eq!(FleetStatus::of_run(dir.path()), None);
    let handshake = Handshake::of("net", &[]).unwrap();
    let protocol = Protocol::new(Variant::ALL[0], RunId(1), String::new(), handshake);
    protocol.found(&share).unwrap();
    let seen = || FleetStatus::of_run(dir.path()).unwrap();
    assert!(seen().to_string().contains("Nothing has been played yet\n"));
    assert_eq!(seen().line(), None);
    let assignment = Arc::new(self_play(40, 10, vec![3]));
    assignment.publish(&share).unwrap();
    for (name, games_per_s) in [("ada", 1.5), ("bob", 2.0)] {
        let status = WorkerStatus {
            name: name.to_owned(),
            games_per_s,
            ..WorkerStatus::default()
        };
        status.publish(&share).unwrap();
    }
    // Of the three that are left, one is finished and one begun.
    let mut claims = Claims::new(&share, Arc::clone(&assignment), "ada");
    let finished = claims.next(Ready::ForAnything, |_| true).unwrap().unwrap();
    let games = b"games".to_vec();
    assignment.deliver(&share, "ada", finished, games).unwrap();
    claims.next(Ready::ForAnything, |_| true).unwrap().unwrap();
    let fleet = seen();
    assert_eq!((fleet.finished, fleet.chunks), (2, 4));
    let begun: Vec<usize> = fleet.workers.iter().map(|worker| worker.begun).collect();
    assert_eq!(begun, [1, 0]);
    let line = "2 machines besides the trainer, 3.5 games/s";
    assert_eq!(fleet.line().unwrap(), line);
    let words = "Generation 1, self-play: 2 of 4 parts played\n";
    assert!(fleet.to_string().contains(words), "{fleet}");
}

#[test]
fn a_machine_has_the_name_of_its_object() {
    let share = Objects::in_memory().unwrap();
    let status = WorkerStatus {
        name: "ada".to_owned(),
        instructions: "\u{1b}[2Javx2".to_owned(),
        ..WorkerStatus::default()
    };
    status.publish(&share).unwrap();
    let said = share.get("fleet/workers/ada.json").unwrap().unwrap();
    share.put("fleet/workers/eve.json", said).unwrap();
    let all = WorkerStatus::read_all(&share).unwrap();
    let all = all.iter().map(|(s, _)| [&s.name[..], &s.instructions]);
    let expected = [["ada", "[2Javx2"], ["eve", "[2Javx2"]];
    assert_eq!(all.collect::<Vec<_>>(), expected);
}

#[test]
fn assignments_have_limits() {
    let share = Objects::in_memory().unwrap();
    let found = |total, chunk, done| {
        let assignment = self_play(total, chunk, done);
        assignment.publish(&share).unwrap();
        Assignment::read(&share).map_err(|error| error.to_string())
    };
    assert!(found(10_000_000, 2442, vec![0]).is_ok());
    let many = "4294967295, more than the limit of 10000000";
    for (total, chunk, done, reason) in [
        (u32::MAX, 1, vec![], format!("total is {many}")),
        (
            10,
            0,
            vec![],
            "chunk is 0: a chunk has at least one game".to_owned(),
        ),
        (
            4097,
            1,
            vec![],
            "the number of chunks is 4097, more than the limit of 4096".to_owned(),
        ),
        (
            4,
            2,
            vec![0; 3],
            "the number of chunks done is 3, more than the limit of 2".to_owned(),
        ),
    ] {
        let refused = format!("fleet/assignment.json is damaged: {reason}");
        assert_eq!(found(total, chunk, done).unwrap_err(), refused);
    }
}
