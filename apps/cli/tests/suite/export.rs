//! Tests of `crownhead export`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use model::{Model, ModelMeta, ModelWeights, Preset};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::Variant;
use rules::pdn::PdnReader;
use serde_json::Value;

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

/// Saves an untrained network and returns its name for the command line.
fn save_model(variant: Variant, dir: &Path) -> String {
    let config = Preset::Nano.for_variant(variant);
    let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let model = Model::new(variant, config, ModelMeta::default(), weights).unwrap();
    model.save(dir).unwrap();
    format!("model:{}", dir.display())
}

fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

fn manifest(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn an_exported_model_plays_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = save_model(Variant::GAMES[2], &folder.path().join("net"));
    let to = folder.path().join("out");
    let export = ["export", &source, "--to", to.to_str().unwrap()];
    let report: Value =
        serde_json::from_str(&succeed(&[&export[..], &["--format", "json"]].concat())).unwrap();
    let expected = [
        "README.md",
        "manifest.json",
        "model-int8.onnx",
        "model-qdq.onnx",
        "model.json",
        "model.onnx",
        "model.safetensors",
    ];
    assert_eq!(
        (files(&to), report["files"].clone()),
        (
            expected.map(String::from).to_vec(),
            expected.as_slice().into()
        )
    );
    assert_eq!(manifest(&to)["net_id"], report["net_id"]);
    assert_eq!(manifest(&to)["elo"], Value::Null);
    let int8 = &manifest(&to)["int8"];
    let size = fs::metadata(to.join("model-int8.onnx")).unwrap().len();
    assert_eq!(
        (&int8["file"], &int8["bytes"]),
        (&"model-int8.onnx".into(), &size.into())
    );
    assert_eq!(int8["games"]["positions"], 1000);
    assert_eq!(int8["share_in_bytes"], 0.0);
    let share = manifest(&to)["qdq"]["share_in_bytes"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&share), "{share}");
    let card = fs::read_to_string(to.join("README.md")).unwrap();
    assert!(card.contains("`model-int8.onnx` has "), "{card}");

    let player = format!("model:{},sims=2", to.display());
    succeed(&["match", &player, "random", "--pairs", "1"]);

    // An earlier export is replaced, including formats that are no longer requested.
    succeed(&[&export[..], &["--formats", "onnx"]].concat());
    assert_eq!(files(&to), ["README.md", "manifest.json", "model.onnx"]);
    assert_eq!(manifest(&to)["int8"], Value::Null);
}

#[test]
fn a_run_gives_its_games_and_its_rating() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let train = [
        "train",
        "english",
        "--preset",
        "tiny",
        "--generations",
        "2",
        "--threads",
        "2",
    ];
    succeed(&[&train[..], &["--run", run.to_str().unwrap()]].concat());
    let (source, to) = (
        format!("run:{}@1", run.display()),
        folder.path().join("out"),
    );
    succeed(&["export", &source, "--to", to.to_str().unwrap()]);
    let pdn = fs::read(to.join("games.pdn")).unwrap();
    let games: Vec<_> = PdnReader::new(pdn.as_slice()).map(Result::unwrap).collect();
    assert!(!games.is_empty());
    for game in &games {
        assert_eq!(game.tag("White"), Some("run@1"));
        game.replay(Variant::English).unwrap();
    }
    let card = fs::read_to_string(to.join("README.md")).unwrap();
    assert!(card.contains("| `games.pdn` |"), "{card}");
    let manifest = manifest(&to);
    assert_eq!(
        (&manifest["name"], &manifest["variant"]),
        (&"run@1".into(), &"english".into())
    );
    assert!(manifest["training"]["games"].as_u64() > Some(0));
}

#[test]
fn other_folders_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let source = save_model(Variant::GAMES[0], &folder.path().join("net"));
    fs::write(folder.path().join("README.md"), "mine").unwrap();
    let output = crownhead(&["export", &source, "--to", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("choose a new folder"), "{error}");
    assert_eq!(
        fs::read_to_string(folder.path().join("README.md")).unwrap(),
        "mine"
    );
}

#[test]
fn a_page_is_whole_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("page");
    for (source, n_agents) in [("ab:bundled", 8), ("bundled", 5), ("bundled:thai", 1)] {
        succeed(&["export", source, "--to", to.to_str().unwrap(), "--page"]);
        let read = |name: &str| fs::read_to_string(to.join(name)).unwrap();
        let agents: Vec<Value> = serde_json::from_str(&read("assets/agents.json")).unwrap();
        assert_eq!(agents.len(), n_agents);
        let (worker, index) = (read("service-worker.js"), read("index.html"));
        assert!(!worker.contains("__") && !index.contains("\"/") && !index.contains("#/runs"));
        let (policy, loads) = (index.find("default-src 'none'"), index.find("<link"));
        assert!(policy.is_some() && policy < loads, "{index}");
        let mut n_files = 0;
        for name in files(&to.join("assets")) {
            assert!(worker.contains(&format!("\"assets/{name}\"")), "{name}");
            n_files += 1;
        }
        for agent in agents {
            for file in [&agent["file"], &agent["endgames"]["file"]] {
                let path = to.join("assets").join(file.as_str().unwrap());
                assert!(path.is_file(), "{}", path.display());
            }
        }
        assert_eq!(worker.matches("\"assets/").count(), n_files);
    }
    let other = crownhead(&[
        "export",
        "bundled",
        "--to",
        folder.path().to_str().unwrap(),
        "--page",
    ]);
    let error = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(
        error.contains("contains something other than a page"),
        "{error}"
    );
    let alone = crownhead(&["export", "ab:bundled", "--to", to.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(error.contains("or add --page"), "{error}");
}

/// A program `hf` that records its arguments.
#[cfg(unix)]
#[test]
fn an_export_is_uploaded() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let source = save_model(Variant::GAMES[0], &folder.path().join("net"));
    let to = folder.path().join("out");
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).unwrap();
    let push = || {
        Command::new(env!("CARGO_BIN_EXE_crownhead"))
            .args(["export", &source, "--formats", "onnx", "--private"])
            .args(["--to", to.to_str().unwrap(), "--push", "hf:me/thing"])
            .env("PATH", &programs)
            .output()
            .unwrap()
    };
    let output = push();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("there is no program hf (pip install"),
        "{error}"
    );
    assert!(to.join("model.onnx").is_file());

    let hf = programs.join("hf");
    let calls = folder.path().join("calls");
    let script = |end| format!("#!/bin/sh\necho \"$*\" > {}\n{end}\n", calls.display());
    fs::write(
        &hf,
        script("echo; echo https://hub.local/me/thing/tree/main"),
    )
    .unwrap();
    fs::set_permissions(&hf, fs::Permissions::from_mode(0o755)).unwrap();
    let output = push();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.ends_with("Uploaded to https://hub.local/me/thing/tree/main\n"),
        "{text}"
    );
    let expected = format!(
        "upload me/thing {} . --repo-type model --quiet --commit-message Export of Crownhead --private \
         --include README.md --include manifest.json --include model.onnx\n",
        to.display()
    );
    assert_eq!(fs::read_to_string(&calls).unwrap(), expected);

    // Its messages may quote file names and answers of a server.
    let says = r"printf 'no \033[2Jright\302\233' >&2; exit 3";
    fs::write(&hf, script(says)).unwrap();
    let output = push();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("not uploaded: hf failed with exit status: 3. no "),
        "{error}"
    );
    assert!(error.contains("[2Jright"), "{error}");
    let steers = |letter: char| letter.is_control() && letter != '\n';
    assert!(!error.contains(steers), "{}", error.escape_debug());
}

#[test]
fn places_to_upload_to_are_checked_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("out");
    let to = to.to_str().unwrap();
    for (source, place) in [
        ("bundled:thai", "me/thing"),
        ("bundled:thai", "hf:thing"),
        ("bundled:thai", "hf:me/thing/more"),
        ("bundled:thai", "hf:-me/thing"),
        ("bundled:thai", "hf:me/th ing"),
        ("ab:bundled", "hf:me/thing"),
    ] {
        let output = crownhead(&["export", source, "--to", to, "--push", place]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains("hf:OWNER/NAME") || error.contains("no model card"),
            "{error}"
        );
        assert!(!Path::new(to).exists());
    }
}
