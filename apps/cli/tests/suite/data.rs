//! Tests of `crownhead data`, `completions` and `man`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rules::pdn::PdnReader;
use serde_json::{Value, json};

fn crownhead(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(args)
        .output()
        .unwrap()
}

fn succeed(args: &[&str]) -> String {
    let output = crownhead(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A short run with games of two generations.
fn train(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    let path = run.to_str().unwrap();
    let args = ["train", "english", "--preset", "tiny", "--generations", "2"];
    succeed(&[&args[..], &["--threads", "2", "--run", path]].concat());
    run
}

fn check(run: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let args = ["data", "check", run.to_str().unwrap(), "--format", "json"];
    let output = crownhead(&[&args[..], more].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code(), report)
}

#[test]
fn games_are_described_exported_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let run = train(folder.path());
    let path = run.to_str().unwrap();

    let stats: Value =
        serde_json::from_str(&succeed(&["data", "stats", path, "--format", "json"])).unwrap();
    let total = &stats["total"];
    let sum = |key: &str| -> u64 {
        let generations = stats["generations"].as_array().unwrap();
        generations.iter().map(|g| g[key].as_u64().unwrap()).sum()
    };
    for key in ["games", "positions", "draws", "repeated_positions"] {
        assert_eq!(total[key], sum(key), "{key}");
    }
    let results = ["black_wins", "white_wins", "draws", "cut_off"];
    let n_games: u64 = results.iter().map(|key| sum(key)).sum();
    assert_eq!(total["games"], n_games);
    let branching = total["branching"].as_f64().unwrap();
    assert!((1.0..20.0).contains(&branching), "{branching}");
    let entropy = total["policy_entropy"].as_f64().unwrap();
    assert!(0.0 < entropy && entropy < branching.ln() * 1.5, "{entropy}");
    let text = succeed(&["data", "stats", path]);
    let repeated = format!(
        "repeated   {} positions, {} whole games",
        total["repeated_positions"], total["repeated_games"]
    );
    assert!(
        text.contains(&repeated) && text.contains("ended by"),
        "{text}"
    );

    let pdn = folder.path().join("games.pdn");
    let export = ["data", "export", path, "--to", pdn.to_str().unwrap()];
    succeed(&export);
    let again = String::from_utf8(crownhead(&export).stderr).unwrap();
    assert!(again.contains("exists: remove it"), "{again}");
    let text = fs::read(&pdn).unwrap();
    let games: Vec<_> = PdnReader::new(text.as_slice())
        .map(Result::unwrap)
        .collect();
    let variant = games[0].variant().unwrap();
    let plies = games.iter().map(|g| g.replay(variant).unwrap().1.len());
    assert_eq!(plies.sum::<usize>() as u64, total["positions"]);
    assert_eq!(games.len() as u64, n_games);

    damage_is_set_aside(&run, n_games);
    missing_games_are_noticed(&run, n_games);
}

fn damage_is_set_aside(run: &Path, n_games: u64) {
    let (status, report) = check(run, &[]);
    assert_eq!((status, &report["games"]), (Some(0), &json!(n_games)));
    let segment = run.join("games/000002-000.seg");
    let whole = fs::read(&segment).unwrap();
    let mut bytes = whole.clone();
    bytes[60] ^= 1;
    bytes.truncate(whole.len() - 1);
    fs::write(&segment, &bytes).unwrap();

    let pdn = run.with_extension("pdn");
    let (run_arg, pdn) = (run.to_str().unwrap(), pdn.to_str().unwrap());
    for args in [&["stats", run_arg][..], &["export", run_arg, "--to", pdn]] {
        let output = crownhead(&[&["data"], args].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert_eq!(said.matches("skipped damaged games: ").count(), 2, "{said}");
    }

    let (status, dry) = check(run, &["--dry-run"]);
    assert_eq!((status, &dry["games"]), (Some(1), &json!(n_games - 2)));
    assert_eq!(dry["set_aside"], false);
    assert_eq!(
        fs::read(&segment).unwrap(),
        bytes,
        "a dry run changes nothing"
    );

    let (status, report) = check(run, &[]);
    assert_eq!((status, &report["set_aside"]), (Some(1), &json!(true)));
    assert_eq!(report["damage"], dry["damage"]);
    for loss in report["damage"].as_array().unwrap() {
        assert_eq!(loss["games"], 1);
        let name = format!("games/damaged/000002-000.seg@{}.bin", loss["offset"]);
        let from = loss["offset"].as_u64().unwrap() as usize;
        let to = from + loss["bytes"].as_u64().unwrap() as usize;
        assert_eq!(fs::read(run.join(name)).unwrap(), bytes[from..to]);
    }
    assert_eq!(report["missing"][0]["generation"], 2);
    assert_eq!(report["missing"][0]["games"], 2);
    // Lost games stay missing.
    let (status, report) = check(run, &[]);
    assert_eq!((status, &report["games"]), (Some(1), &json!(n_games - 2)));
    assert_eq!(
        (&report["damage"], &report["set_aside"]),
        (&json!([]), &json!(false))
    );

    // Other bytes lost at the same place do not replace the first ones.
    bytes[61] ^= 1;
    fs::write(&segment, &bytes).unwrap();
    check(run, &[]);
    assert_eq!(fs::read_dir(run.join("games/damaged")).unwrap().count(), 3);
    fs::write(&segment, &whole).unwrap();
}

/// A file that is gone, or that ends at the end of a game, contains no damage.
fn missing_games_are_noticed(run: &Path, n_games: u64) {
    let [first, second] = [1, 2].map(|g| run.join(format!("games/{g:06}-000.seg")));
    let whole = fs::read(&second).unwrap();
    let last = store::scan(&whole).frames.pop().unwrap();
    fs::write(&second, &whole[..last.start - 8]).unwrap();
    fs::rename(&first, run.join("first")).unwrap();
    let (status, report) = check(run, &[]);
    assert_eq!((status, &report["damage"]), (Some(1), &json!([])));
    let [gone, cut] = [0, 1].map(|index| &report["missing"][index]);
    assert_eq!(
        (&gone["generation"], &gone["games"]),
        (&json!(1), &json!(n_games / 2))
    );
    assert_eq!(gone["numbers"], json!([[0, n_games / 2 - 1]]));
    assert_eq!((&cut["generation"], &cut["games"]), (&json!(2), &json!(1)));
    let output = crownhead(&["data", "check", run.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("generation 2: 1 games are missing: "),
        "{text}"
    );

    // Training continues without them.
    let args = [
        "train",
        "english",
        "--generations",
        "3",
        "--run",
        run.to_str().unwrap(),
    ];
    succeed(&args);
    fs::rename(run.join("first"), &first).unwrap();
    fs::write(&second, &whole).unwrap();
    assert_eq!(check(run, &[]).0, Some(0));
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let output = crownhead(&["data", "export", "runs/x", "--to", "games.csv"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("ends in"), "{message}");
    let output = crownhead(&["data", "stats", folder.path().to_str().unwrap()]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no run.toml"), "{message}");
}

#[test]
fn shells_and_readers_learn_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeed(&["completions", shell]);
        for word in ["crownhead", "CROWNHEAD_COMPLETE", shell] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man1");
    succeed(&["man", "--to", to.to_str().unwrap()]);
    let page = fs::read_to_string(to.join("crownhead-data-check.1")).unwrap();
    assert!(page.contains("dry\\-run") && page.contains("Examples"));
}

/// The completions of the last of these words in `folder`.
fn offered(folder: &Path, words: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .current_dir(folder)
        .env("CROWNHEAD_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .args(["--", "crownhead"])
        .args(words)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_values() {
    let folder = tempfile::tempdir().unwrap();
    for run in ["english", "thai"] {
        let dir = folder.path().join("runs").join(run);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("run.toml"), "").unwrap();
    }
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let offers = |words: &[&str]| offered(folder.path(), words);
    assert_eq!(offers(&["train", "fr"]), ["frisian", "frisian-plain"]);
    assert_eq!(offers(&["match", "a", "b", "--variant", "th"])[0], "thai");
    assert_eq!(offers(&["train", "thai", "--preset", "ti"]), ["tiny"]);
    let set = |text: &str| offers(&["train", "thai", "--set", text]);
    assert_eq!(set("search.mo"), ["search.mode="]);
    assert_eq!(set("search.mode=p"), ["search.mode=puct"]);
    assert_eq!(offers(&["config", "explain", "sear"])[0], "search");
    assert_eq!(offers(&["status", "r"]), ["runs/english", "runs/thai"]);
    assert_eq!(offers(&["doctor", "runs/t"]), ["runs/thai"]);
    assert_eq!(offers(&["status", "else"]), ["elsewhere/"]);
    assert_eq!(offers(&["match", "run:runs/e"]), ["run:runs/english"]);
    assert_eq!(offers(&["match", "bun"]), ["bundled"]);
    assert_eq!(offers(&["compl"]), ["completions"]);
}
