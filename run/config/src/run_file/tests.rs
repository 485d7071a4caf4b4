use model::Inputs;

use super::*;

fn asked(set: &[&str]) -> Resolved {
    let set = set.iter().map(|text| (*text).to_owned()).collect();
    ConfigSources {
        set,
        ..Default::default()
    }
    .resolve(Variant::ALL[0])
    .unwrap()
}

fn run(set: &[&str]) -> RunFile {
    RunFile::new(Variant::ALL[0], asked(set))
}

#[test]
fn the_file_reads_back() {
    let run = run(&["search.simulations=17", "train.learning_rate=0.25"]);
    let read = RunFile::parse("run.toml", &run.render()).unwrap();
    assert_eq!(read.render(), run.render());
    assert_eq!(read.hash(), run.hash());
    assert_eq!(read.variant, run.variant);
}

#[test]
fn a_run_goes_on_with_its_own_settings() {
    let mut run = run(&["search.simulations=17"]);
    let variant = run.variant;
    let again = asked(&["threads=3", "search.simulations=17"]);
    assert!(!run.ask(variant, &again, 5).unwrap());
    assert!(!run.ask(variant, &asked(&[]), 5).unwrap());
    let config = &run.resolved.config;
    assert_eq!((config.search.simulations, config.threads), (17, 3));
    assert_eq!(run.changes, []);
}

#[test]
fn a_device_is_chosen_once() {
    let auto = asked(&["device=auto"]);
    let mut chosen = auto.clone();
    chosen.set_device("flex");
    let run = RunFile::new(Variant::ALL[0], chosen);
    let mut run = RunFile::parse("run.toml", &run.render()).unwrap();
    let variant = run.variant;
    assert!(!run.ask(variant, &auto, 1).unwrap());
    assert_eq!(run.resolved.config.device, "flex");
    assert!(run.ask(variant, &asked(&["device=cpu"]), 1).is_err());
}

#[test]
fn what_may_change_does_so_from_a_generation_on() {
    let mut run = run(&["search.simulations=17"]);
    let variant = run.variant;
    let mut ask = |set: &str, next| run.ask(variant, &asked(&[set]), next).unwrap();
    assert!(ask("search.simulations=18", 3));
    assert!(!ask("search.simulations=18", 4));
    assert!(ask("search.simulations=20", 6));
    assert!(ask("train.learning_rate=0.5", 6));
    // Requested twice before the generation started: only the last request counts.
    assert!(ask("search.simulations=19", 6));
    assert!(ask("train.learning_rate=0.002", 6));
    run.changes[0].since = Some(StepsAt {
        step: 7,
        samples: 9,
    });
    let run = RunFile::parse("run.toml", &run.render()).unwrap();
    let simulations = |generation| {
        run.settings_of(generation)
            .unwrap()
            .config
            .search
            .simulations
    };
    assert_eq!([2, 3, 5, 6, 9].map(simulations), [17, 18, 18, 19, 19]);
    assert_eq!(run.resolved.config.search.simulations, 19);
    let trace: Vec<String> = run.changes.iter().map(ToString::to_string).collect();
    let expected = [
        "from generation 3 on, search.simulations is 18 instead of 17",
        "from generation 6 on, search.simulations is 19 instead of 18",
    ];
    assert_eq!(trace, expected);
    assert_eq!(run.changes[0].since.unwrap().samples, 9);
}

#[test]
fn the_settings_of_a_generation_have_one_text() {
    let at = |set: &[&str]| {
        let mut file = run(&["search.simulations=17", "threads=2"]);
        for (generation, set) in (2..).zip(set) {
            file.ask(file.variant, &asked(&[set]), generation).unwrap();
        }
        file.of_generation(2).unwrap()
    };
    let text = at(&[]).render();
    for same in [
        &["threads=3"][..],
        &["search.simulations=17"],
        &["threads=2", "search.simulations=18"],
    ] {
        assert_eq!(at(same).render(), text);
    }
    let changed = at(&["search.simulations=18"]);
    assert_ne!(changed.render(), text);
    let read = RunFile::parse("assignment", &changed.render()).unwrap();
    assert_eq!(read.resolved.config.search.simulations, 18);
    assert_eq!(
        (read.run_id, read.changes),
        (run(&["search.simulations=17"]).run_id, Vec::new())
    );
}

#[test]
fn a_preset_is_no_wish_for_a_change() {
    let sources = |set: &[&str]| ConfigSources {
        preset: Some("tiny".to_owned()),
        set: set.iter().map(|text| (*text).to_owned()).collect(),
        ..Default::default()
    };
    let variant = Variant::ALL[0];
    let tiny = |set: &[&str]| sources(set).resolve(variant).unwrap();
    let mut run = RunFile::new(variant, tiny(&[]));
    assert!(run.ask(variant, &tiny(&["gate.simulations=5"]), 2).unwrap());
    assert!(!run.ask(variant, &tiny(&[]), 2).unwrap());
    assert_eq!(run.resolved.config.gate.simulations, 5);
    let error = self::run(&[]).ask(variant, &tiny(&[]), 2).unwrap_err();
    let expected = "`search.simulations` is 32, configs/tiny.toml:5 asks for 4";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn differences_are_named() {
    let mut run = run(&["selfplay.max_plies=100"]);
    let variant = run.variant;
    let error = run.ask(variant, &asked(&["selfplay.max_plies=99"]), 1);
    let expected = "the run was started with other settings: `selfplay.max_plies` is 100, --set \
                    asks for 99; leave these options out, or name a new directory for another run";
    assert_eq!(error.unwrap_err().to_string(), expected);
    let error = run
        .ask(Variant::ALL[1], &asked(&[]), 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("the run trains"), "{error}");
}

#[test]
fn threads_do_not_change_the_hash() {
    assert_eq!(run(&["threads=2"]).hash(), run(&["threads=1"]).hash());
    assert_ne!(run(&["seed=2"]).hash(), run(&["seed=1"]).hash());
}

#[test]
fn an_edited_setting_is_noticed_and_threads_are_free() {
    let text = run(&["search.simulations=17", "threads=2"]).render();
    let parse = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        RunFile::parse("run.toml", &text.replace(from, to))
    };
    assert!(parse("threads = 2", "threads = 3").is_ok());
    for (from, to) in [
        ("simulations = 17", "simulations = 16"),
        ("seed = 1", "seed = 99"),
        ("\nrun_id = \"", "\nrun_id = \"f"),
        ("\nconfig_hash = \"", "\nconfig_hash = \"f"),
        ("\nconfig_hash = ", "\n#"),
    ] {
        let error = parse(from, to).unwrap_err().to_string();
        assert!(error.contains("it is damaged: found "), "{error}");
    }
    let other = "[[change]]\ngeneration = 3\nkey = \"train.learning_rate\"\nold = 0.1\nnew = 0.2\n";
    assert!(RunFile::parse("run.toml", &(text + other)).is_err());
}

/// A file of an earlier version lacks the identity and newer keys.
#[test]
fn earlier_files_go_on_as_they_are() {
    let keys = ["considered_simulations", "run_id", "config_hash"];
    let text = run(&[]).render();
    let lines = text
        .lines()
        .filter(|line| !keys.iter().any(|key| line.starts_with(key)));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let file = RunFile::parse("run.toml", &text).unwrap();
    assert_eq!((file.run_id, file.render()), (None, text));
    assert_ne!(file.hash(), run(&[]).hash());
}

#[test]
fn what_a_key_stood_for_before_holds_in_earlier_files() {
    let text = run(&[]).render().replace("inputs = \"exchanges\"\n", "");
    let lines = text
        .lines()
        .filter(|line| !line.contains("_id") && !line.contains("config_hash"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let file = RunFile::parse("run.toml", &text).unwrap();
    assert_eq!(file.resolved.config.model.inputs, Inputs::Pieces);
    assert_eq!(file.render(), text);
}

#[test]
fn a_damaged_file_is_explained() {
    let text = run(&[])
        .render()
        .replace("simulations", "simulatons")
        .replace("variant", "variants");
    let error = RunFile::parse("run.toml", &text).unwrap_err().to_string();
    assert!(error.contains("run.toml: `variant` is missing"), "{error}");
    assert!(
        error.contains("did you mean `search.simulations`"),
        "{error}"
    );
}

/// A `run.toml` of the version that had these keys.
fn with_retired(values: &[(&str, &str)]) -> RunFile {
    let mut file = run(&[]);
    let setting = |&(key, value): &(&str, &str)| {
        let layer = Layer::parse("run.toml", &format!("{key} = {value}\n")).unwrap();
        layer.settings[0].clone()
    };
    file.retired = values.iter().map(setting).collect();
    file.run_id = Some(RunId(file.hash()));
    file
}

const USUAL: [(&str, &str); 11] = [
    ("selfplay.network", "\"newest\""),
    ("selfplay.archive_fraction", "0.0"),
    ("selfplay.archive", "\"window\""),
    ("window.horizons", "[]"),
    ("window.forced", "\"skip\""),
    ("window.fast", "\"skip\""),
    ("train.short_values_weight", "0.0"),
    ("train.plies_left_weight", "0.0"),
    ("endgame.prove", "false"),
    ("endgame.adjudicate", "false"),
    ("endgame.relabel", "false"),
];

#[test]
fn keys_that_no_longer_exist_stay_in_the_file_of_a_run() {
    let text = with_retired(&USUAL).render();
    for part in [
        "[selfplay]\nnetwork = \"newest\"\ngames_per_generation",
        "opening_plies = 6\narchive_fraction = 0.0\narchive = \"window\"\nmax_plies",
        "growth_slope = 0.4\nhorizons = []\npolicy_surprise",
        "value_surprise = 0.1\nforced = \"skip\"\nfast = \"skip\"\nheld_out",
        "soft_policy_weight = 1.0\nshort_values_weight = 0.0\nplies_left_weight = 0.0\nvalue_root",
        "lessons = 0.03\nprove = false\nadjudicate = false\nrelabel = false\n\n[fleet]\nmode",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let file = RunFile::parse("run.toml", &text).unwrap();
    assert_eq!(file.render(), text);
    assert_ne!(file.hash(), run(&[]).hash());
    assert_eq!(file.without_effect().count(), 0);
    let edited = text.replace("horizons = []", "horizons = [6.0]");
    let error = RunFile::parse("run.toml", &edited).unwrap_err().to_string();
    assert!(error.contains("it is damaged: found "), "{error}");
}

#[test]
fn a_run_that_asked_for_more_says_what_no_longer_has_an_effect() {
    let started = [
        ("endgame.prove", "true"),
        ("selfplay.archive_fraction", "0.0"),
    ];
    let mut file = with_retired(&started);
    file.changes.push(SettingChange {
        generation: 3,
        key: "selfplay.archive_fraction".to_owned(),
        old: Value::Float(0.0),
        new: Value::Float(0.25),
        since: None,
    });
    let file = RunFile::parse("run.toml", &file.render()).unwrap();
    let notices: Vec<String> = file.without_effect().collect();
    let expected = [
        "`endgame.prove` = true no longer has an effect: proofs during self-play gained nothing",
        "`selfplay.archive_fraction` = 0.25 no longer has an effect: games start at the initial position, \
         because other starts gained nothing",
    ];
    assert_eq!(notices, expected);
    assert!(file.asks_for("endgame.prove") && !file.asks_for("endgame.relabel"));
}

#[test]
fn a_file_or_an_option_may_only_ask_for_what_every_run_does() {
    let assignments = USUAL.map(|(key, value)| format!("{key}={value}"));
    let resolved = asked(&assignments.each_ref().map(String::as_str));
    assert_eq!(resolved.settings, asked(&[]).settings);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let resolve = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let sources = ConfigSources {
            config: Some(path.clone()),
            ..Default::default()
        };
        let resolved = sources.resolve(Variant::ALL[0]);
        resolved.map(|_| ()).map_err(|error| error.to_string())
    };
    resolve("[endgame]\nprove = false\n[train]\nplies_left_weight = 0\n").unwrap();
    let fault =
        "`endgame.prove` no longer exists: proofs during self-play gained nothing; leave it out";
    let error = resolve("[endgame]\nprove = true\n").unwrap_err();
    assert!(error.ends_with(&format!("mine.toml:2: {fault}")), "{error}");
    let sources = ConfigSources {
        set: vec!["endgame.prove=true".to_owned()],
        ..Default::default()
    };
    let error = sources.resolve(Variant::ALL[0]).unwrap_err().to_string();
    let expected = format!("--set endgame.prove=true: {fault}");
    assert!(error.ends_with(&expected), "{error}");
}
