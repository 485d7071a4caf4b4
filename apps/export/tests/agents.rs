//! Agents of front ends and of the command line are the same.

use std::sync::atomic::AtomicBool;

use agent::{Agent, Options, usual_search};
use engine::{SearchLimits, SearchPlayerConfig, Stopper, Task};
use eval::Arena;
use export::{WeightsFormat, export};
use lab::strength::measure_strength;
use model::InstructionSet;
use roster::{Effort, PlayerSpec};
use rules::{Game, Position, Variant};
use run::Run;
use run::config::ConfigSources;
use types::Seed;

#[test]
fn networks_search_as_the_usual_configuration_says() {
    for variant in Variant::ALL {
        let config = ConfigSources::default().resolve(variant).unwrap().config;
        let search = config.search.without_noise();
        let usual = SearchPlayerConfig::new(search, usual_search().simulations);
        assert_eq!(usual, usual_search(), "{variant}");
        let precision = config.model.precision.by(InstructionSet::best());
        assert_eq!(precision, Options::default().precision);
    }
}

#[test]
fn folders_that_the_program_writes_are_agents() {
    let (dir, options) = (tempfile::tempdir().unwrap(), Options::default());
    let source = "bundled:thai".parse().unwrap();
    let formats = [WeightsFormat::Safetensors];
    export(&source, &formats, "MIT", None, dir.path()).unwrap();
    let network = Agent::read(dir.path(), &options).unwrap();
    assert_eq!(network.variant(), Variant::Thai);

    let (dir, (name, bytes)) = (tempfile::tempdir().unwrap(), bundled::EVALUATIONS[0]);
    std::fs::write(dir.path().join(store::EVALUATION_FILE), bytes).unwrap();
    let evaluation = Agent::read(dir.path(), &options).unwrap();
    assert_eq!(evaluation.variant().name(), name);
}

#[test]
fn models_of_runs_are_agents() {
    let dir = tempfile::tempdir().unwrap();
    let (path, variant) = (dir.path().join("run"), Variant::Thai);
    let sources = ConfigSources {
        preset: Some("tiny".into()),
        ..ConfigSources::default()
    };
    drop(Run::create(&path, variant, sources.resolve(variant).unwrap()).unwrap());
    for source in [
        format!("run:{}@0", path.display()),
        format!("{}@0", path.display()),
        format!("model:{}", path.join("models/000000").display()),
    ] {
        let agent = Agent::load(&source, &Options::default()).unwrap();
        assert_eq!(agent.games(), [variant], "{source}");
    }
    let error = Agent::load(&format!("run:{}@7", path.display()), &Options::default());
    assert!(
        error
            .err()
            .unwrap()
            .to_string()
            .contains("failed to load a model of run:")
    );
}

#[test]
fn a_measured_player_is_held_back() {
    let stop = AtomicBool::new(false);
    let arena = Arena {
        pairs_at_once: 10,
        ..Arena::new(Seed::new(1), 2, &stop)
    };
    let effort = Effort {
        simulations: 2,
        time: Some("5".parse().unwrap()),
    };
    let player = |text: &str| text.parse::<PlayerSpec>().unwrap().load();
    let (mut names, variant) = (Vec::new(), Variant::Thai);
    let measured = player("bundled:thai").unwrap();
    let strength = measure_strength(&measured, variant, &effort, 10, &arena, &mut |line| {
        names.push(line.name.clone());
    });
    let strength = strength.unwrap().unwrap();
    let (least, most) = strength.range().unwrap();
    assert!(least < 600.0 && most > least + 300.0, "{strength:?}");
    let (dir, source) = (
        tempfile::tempdir().unwrap(),
        "bundled:thai".parse().unwrap(),
    );
    let formats = [WeightsFormat::Safetensors];
    export(&source, &formats, "MIT", Some(strength), dir.path()).unwrap();
    assert!((16..=24).contains(&names.len()), "{names:?}");

    let limited = |elo: f64| player(&format!("model:{},elo={elo:.0}", dir.path().display()));
    let half = limited(f64::midpoint(least, most)).unwrap();
    assert!(half.name.contains(",elo="), "{}", half.name);
    assert_eq!(half.factory(variant, &effort).unwrap().time, None);
    let game = Game::new(Position::start(variant));
    let mut analyzer = half.analyzer(&[variant]).unwrap();
    let mut find = |seed| {
        let task = Task {
            game: &game,
            seed: Seed::new(seed),
            stopper: Stopper::within(SearchLimits::default()),
        };
        analyzer.analyze(&task, &mut |_| ()).unwrap()
    };
    assert_eq!(find(1), find(1));
    let error = limited(most + 1.0).err().unwrap().to_string();
    assert!(
        error.contains("out of its range: measured strengths go from"),
        "{error}"
    );
    let strange = half.does_not_play(Variant::English).to_string();
    assert!(strange.contains("plays thai, not english"), "{strange}");
}
