//! Tests of `crownhead endgame`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use model::{Model, ModelMeta, ModelWeights, Preset};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::Variant;
use serde_json::{Value, json};

fn crownhead(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command.current_dir(dir).args(args).output().unwrap()
}

/// The JSON of a command that succeeds.
fn answer(dir: &Path, args: &[&str]) -> Value {
    let output = crownhead(dir, &[&["--format", "json"], args].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The message of a command that fails.
fn failure(dir: &Path, args: &[&str]) -> String {
    let output = crownhead(dir, args);
    assert_ne!(output.status.code(), Some(0), "{args:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_database_is_built_once_and_replaced_when_it_must_be() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let build = |pieces| {
        answer(
            dir,
            &["endgame", "build", "thai", "--pieces", pieces, "--verify"],
        )
    };
    let small = build("2");
    let same = |report: &Value| json!([report["pieces"], report["positions"], report["verified"]]);
    let positions = small["positions"].as_u64().unwrap();
    assert_eq!(same(&small), json!([2, positions, 2 * positions]));
    let parts = ["wins", "draws", "losses"].map(|part| small[part].as_u64().unwrap());
    assert_eq!(parts.iter().sum::<u64>(), positions);
    assert_eq!(small["built"], true);
    let again = build("2");
    assert_eq!(
        (&again["built"], same(&again)),
        (&json!(false), same(&small))
    );
    let large = answer(dir, &["endgame", "build", "thai", "--pieces", "3"]);
    assert_eq!(
        (&large["built"], &large["pieces"]),
        (&json!(true), &json!(3))
    );
    let kept = answer(dir, &["endgame", "build", "thai", "--pieces", "2"]);
    assert_eq!(
        (&kept["built"], &kept["pieces"]),
        (&json!(false), &json!(3))
    );

    let file = dir.join("endgames/thai.egd");
    let whole = fs::read(&file).unwrap();
    assert_eq!(large["bytes"], whole.len());
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let message = failure(dir, &["endgame", "probe", "thai", "--fen", "W:WK14:BK1"]);
    assert!(
        message.contains("thai.egd") && message.contains("cut off"),
        "{message}"
    );
    let mended = answer(dir, &["endgame", "build", "thai", "--pieces", "3"]);
    assert_eq!(mended["built"], true);
    assert_eq!(fs::read(&file).unwrap(), whole);
}

#[test]
fn positions_are_looked_up() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let probe = |fen| ["endgame", "probe", "english", "--fen", fen];
    let message = failure(dir, &probe("W:WK23:BK32"));
    assert!(
        message.contains("endgame build english --pieces 4"),
        "{message}"
    );
    answer(dir, &["endgame", "build", "english", "--pieces", "2"]);
    // Textbook: the king in the double corner draws, the one in the single corner may be caught.
    let held = answer(dir, &probe("W:WK23:BK32"));
    assert_eq!(
        (&held["value"], &held["settled"]),
        (&json!("draw"), &json!(true))
    );
    let caught = answer(dir, &probe("B:WK22:BK29"));
    assert_eq!(
        (&caught["value"], &caught["settled"]),
        (&json!("loss"), &json!(true))
    );
    let moves = caught["moves"].as_array().unwrap();
    assert!(!moves.is_empty() && moves.iter().all(|mv| mv["value"] == "loss"));
    let late = answer(dir, &probe("B:WK22:BK29:H79"));
    assert_eq!(
        (&late["value"], &late["settled"]),
        (&json!("loss"), &json!(false))
    );
    let message = failure(dir, &probe("W:WK14,K15:BK1"));
    assert!(
        message.contains("3 pieces and the database at most 2"),
        "{message}"
    );
}

#[test]
fn networks_are_measured_and_know_databases() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let (variant, config) = (Variant::Thai, Preset::Nano.for_variant(Variant::Thai));
    let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let model = Model::new(variant, config, ModelMeta::default(), weights).unwrap();
    model.save(&dir.join("net")).unwrap();
    let measure = |threads| {
        let args = [
            "endgame",
            "measure",
            "model:net",
            "--positions",
            "90",
            "--sims",
            "4",
        ];
        answer(dir, &[&args[..], &["--threads", threads]].concat())
    };
    let measured = measure("1");
    assert_eq!(measured, measure("2"));
    assert_eq!(
        (&measured["variant"], &measured["score"]["positions"]),
        (&json!("thai"), &json!(90))
    );
    // An untrained network plays endings badly.
    assert!(
        measured["score"]["network"]["value_error"]
            .as_f64()
            .unwrap()
            > 0.4
    );

    let args = [
        "match",
        "model:net,endgames=endgames,sims=4",
        "model:net,sims=4",
        "--pairs",
        "1",
    ];
    let message = failure(dir, &args);
    assert!(
        message.contains("there is no endgame database of thai in endgames"),
        "{message}"
    );
    answer(dir, &["endgame", "build", "thai", "--pieces", "2"]);
    let report = answer(dir, &args);
    assert_eq!(report["a"], "model:net,sims=4,endgames=endgames");
    let message = failure(
        dir,
        &[
            "match",
            "random,endgames=endgames",
            "random",
            "--variant",
            "thai",
        ],
    );
    assert!(
        message.contains("only networks, ab: and material: players take endgames"),
        "{message}"
    );
}
