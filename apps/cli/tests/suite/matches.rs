//! Tests of `crownhead match`.

use std::path::Path;
use std::process::{Command, Output};

use model::{Model, ModelMeta, ModelWeights, Preset};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::Variant;
use serde_json::Value;

fn play(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command
        .args(["match", "--format", "json"])
        .args(args)
        .output()
        .unwrap()
}

/// The report of a match that was played to the end.
fn report(args: &[&str]) -> Value {
    let output = play(args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Saves an untrained network.
fn save_model(variant: Variant, dir: &Path) {
    let config = Preset::Nano.for_variant(variant);
    let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let model = Model::new(variant, config, ModelMeta::default(), weights).unwrap();
    model.save(dir).unwrap();
}

#[test]
fn a_network_plays_a_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let (variant, dir) = (Variant::GAMES[4], folder.path().join("net"));
    save_model(variant, &dir);
    let player = format!("model:{},sims=2", dir.display());
    let pdn = folder.path().join("games.pdn");
    let args = [
        &player,
        "random",
        "--pairs",
        "3",
        "--pdn",
        pdn.to_str().unwrap(),
    ];
    let mut one = report(&[&args[..], &["--threads", "1"]].concat());
    assert_eq!(one["variant"], variant.name());
    assert_eq!(
        (&one["a"], &one["b"]),
        (&Value::from(player.as_str()), &Value::from("random"))
    );
    let games: u64 = ["wins", "draws", "losses"]
        .iter()
        .map(|key| one[key].as_u64().unwrap())
        .sum();
    assert_eq!(
        (
            one["pairs"].as_u64(),
            games + one["duplicates"].as_u64().unwrap()
        ),
        (Some(3), 6)
    );
    assert_eq!(
        std::fs::read_to_string(&pdn)
            .unwrap()
            .matches("[Event ")
            .count(),
        6
    );

    let mut two = report(&[&args[..], &["--threads", "2"]].concat());
    for report in [&mut one, &mut two] {
        report["seconds"] = Value::Null;
    }
    assert_eq!(one, two, "threads change nothing");
}

#[test]
fn a_decided_test_stops_early_and_speaks_of_the_bounds_asked_for() {
    let players = ["alphabeta:depth=2", "random", "--variant", "thai"];
    let bounds = [
        "--elo0",
        "-20",
        "--elo1",
        "30",
        "--early-stop",
        "--pairs",
        "300",
    ];
    let report = report(&[&players[..], &bounds].concat());
    assert_eq!(report["verdict"], "better");
    assert!(
        report["llr"].as_f64() >= report["llr_limits"][1].as_f64(),
        "{report}"
    );
    assert!(report["pairs"].as_u64().unwrap() < 300, "{report}");
    let (nelo0, nelo1) = (&report["bounds"]["nelo0"], &report["bounds"]["nelo1"]);
    assert_eq!((nelo0.as_f64(), nelo1.as_f64()), (Some(-20.0), Some(30.0)));

    let swapped = play(&[&players[..], &["--elo0", "5", "--elo1", "5"]].concat());
    assert_eq!(swapped.status.code(), Some(2));
    let error = String::from_utf8(swapped.stderr).unwrap();
    assert!(error.contains("--elo0 must be below --elo1"), "{error}");
}

#[test]
fn a_network_plays_one_game_only() {
    let folder = tempfile::tempdir().unwrap();
    save_model(Variant::GAMES[3], folder.path());
    let player = format!("model:{}", folder.path().display());
    let output = play(&[&player, "random", "--variant", Variant::GAMES[0].name()]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains(" plays thai, not english"), "{error}");
}

#[test]
fn bundled_networks_can_play() {
    for variant in ["english", "customary", "frisian", "thai", "ringboard"] {
        let args = ["bundled,sims=8", "random", "--pairs", "5", "--variant"];
        let report = report(&[&args[..], &[variant]].concat());
        assert_eq!(report["wins"], 10, "{report}");
    }
    let output = play(&["bundled,sims=2", "bundled:thai,sims=4", "--pairs", "1"]);
    assert_eq!(output.status.code(), Some(0));
    let output = play(&["bundled", "random", "--variant", "frisian-plain"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("not frisian-plain"), "{error}");
}

#[test]
fn a_run_that_is_not_there_is_named() {
    let output = play(&["run:no/such/run", "random"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("failed to load a model of run:no/such/run"),
        "{error}"
    );
}

#[test]
fn baselines_need_a_game() {
    assert_eq!(
        play(&["random", "alphabeta:depth=1"]).status.code(),
        Some(2)
    );
    let report = report(&[
        "random",
        "alphabeta:depth=2",
        "--variant",
        "frisian",
        "--pairs",
        "4",
    ]);
    assert_eq!(report["wins"], 0);
    assert_eq!(report["pentanomial"].as_array().unwrap().len(), 5);
}

#[test]
fn games_can_end_early_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let (variant, dir) = (Variant::GAMES[1], folder.path().join("net"));
    save_model(variant, &dir);
    let player = format!("model:{},sims=2", dir.display());
    // With this seed no game is over before a draw can be agreed.
    let args = [player.as_str(), &player, "--pairs", "2", "--seed", "2"];
    let early = report(&[&args[..], &["--agree-draw", "4", "--draw-within", "1"]].concat());
    // Forced moves, which are not evaluated, can delay it slightly beyond ply 60.
    let plies = early["mean_plies"].as_f64().unwrap();
    assert!(
        early["draws"] == 4 && (60.0..70.0).contains(&plies),
        "{early}"
    );
    let resign = [
        "--resign",
        "0",
        "--resign-turns",
        "1",
        "--resign-audit",
        "0",
    ];
    let resigned = report(&[&args[..], &resign].concat());
    assert_eq!(resigned["resignations"]["resigned"], 4);
    for (wrong, expected) in [
        (["--resign", "0.5"], "write a number from -1 to 0"),
        (["--resign-turns", "2"], "--resign <VALUE>"),
        (["--openings", "none.pdn"], "failed to read none.pdn"),
    ] {
        let output = play(&[&args[..], &wrong].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(expected), "{error}");
    }
}
