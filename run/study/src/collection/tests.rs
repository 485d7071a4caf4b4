use std::fs;

use super::*;

/// A Russian game in windows-1251, and an English one whose last comment never ends.
fn file(dir: &Path) -> PathBuf {
    let path = dir.join("games.pdn");
    let mut bytes =
        b"[White \"\xcf\xe5\xf2\xf0\xee\xe2 \xd1.\"]\n[Black \"\xc8\xe2\xe0\xed\xee\xe2 \xc0.\"]\n"
            .to_vec();
    bytes.extend(b"[GameType \"25\"]\n1. c3-d4 d6-c5 1-0\n\n");
    bytes.extend(b"[White \"Ann\"]\n[GameType \"21\"]\n1. 11-15 23-19 {no end\n");
    fs::write(&path, bytes).unwrap();
    path
}

fn request(file: PathBuf, to: Option<PathBuf>) -> CollectionRequest {
    CollectionRequest {
        files: vec![file],
        encoding: None,
        usual: None,
        filter: GameFilter {
            player: None,
            result: None,
            variant: None,
            opening: Vec::new(),
            fen: None,
            is_swapped: false,
            plies: 0..=usize::MAX,
        },
        is_distinct: false,
        is_checked: true,
        to,
    }
}

#[test]
fn a_broken_game_keeps_its_moves_and_costs_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("to.pdn");
    let request = request(file(dir.path()), Some(to.clone()));
    let mut listed = Vec::new();
    let summary = list(&request, &mut |game| {
        listed.push(game.clone());
        Ok(())
    });
    let summary = summary.unwrap();
    assert_eq!((summary.games, summary.listed, summary.faulty), (2, 2, 1));
    assert_eq!(listed[0].white, "Петров С.");
    assert_eq!((listed[0].faults.len(), listed[1].faults.len()), (0, 1));
    assert_eq!((listed[1].white.as_str(), listed[1].plies), ("Ann", 2));
    assert!(fs::read_to_string(to).unwrap().contains("1. 11-15 23-19"));
    let [notice] = &summary.notices[..] else {
        panic!("{:?}", summary.notices);
    };
    assert!(notice.contains("windows-1251"), "{notice}");
}

#[test]
fn what_is_not_written_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let (path, to) = (dir.path().join("games.pdn"), dir.path().join("to.pdn"));
    let good = "[GameType \"21\"]\n1. 11-15 23-19 1-0\n\n";
    let illegal = "[GameType \"21\"]\n1. 11-15 1-2 1-0\n\n";
    let other = "[GameType \"21\"]\n1. 11-15 3-4 1-0\n\n";
    let nameless = "[White \"Ann\"]\n1. 11-15 *\n";
    fs::write(&path, [good, good, illegal, other, nameless].concat()).unwrap();
    let request = CollectionRequest {
        is_distinct: true,
        ..request(path, Some(to.clone()))
    };
    let summary = list(&request, &mut |_| Ok(())).unwrap();
    // Games that are the same up to their faults may differ behind them.
    let CollectionSummary {
        listed,
        repeated,
        faulty,
        unreadable,
        shortened,
        ..
    } = summary;
    assert_eq!((listed, repeated, faulty), (4, 1, 3));
    assert_eq!((unreadable, shortened), (1, 2));
    assert_eq!(fs::read_to_string(to).unwrap().matches("11-15").count(), 3);
}

#[test]
fn what_is_no_opening_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path());
    let list = |opening: &str, variant: Option<Variant>| {
        let mut request = request(path.clone(), None);
        request.filter.opening = opening.split(' ').map(str::to_owned).collect();
        request.filter.variant = variant;
        let summary = list(&request, &mut |_| Ok(()));
        summary.map(|summary| summary.listed)
    };
    assert_eq!(list("11-15 23-19", None).unwrap(), 1);
    assert_eq!(list("12-16", None).unwrap(), 0);
    for (opening, variant) in [
        ("GARBAGE", None),
        ("11-15,23-19", None),
        ("32-38", "english".parse().ok()),
    ] {
        let error = list(opening, variant).unwrap_err();
        assert!(error.is_request(), "{error}");
        let error = error.to_string();
        assert!(error.starts_with("cannot read the opening: "), "{error}");
    }
}

#[test]
fn packed_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games.pdn.gz");
    fs::write(&path, b"\x1f\x8b\x08\0\0").unwrap();
    let error = list(&request(path, None), &mut |_| Ok(())).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("games.pdn.gz: it is packed by gzip: unpack it first"),
        "{error}"
    );
}

#[test]
fn a_stated_encoding_is_not_guessed() {
    let dir = tempfile::tempdir().unwrap();
    let stated = CollectionRequest {
        encoding: Some("windows-1251".parse().unwrap()),
        ..request(file(dir.path()), None)
    };
    let summary = list(&stated, &mut |_| Ok(())).unwrap();
    assert_eq!((summary.games, summary.notices), (2, Vec::new()));
}
