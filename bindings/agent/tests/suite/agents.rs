//! Agents of every kind: results and errors.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::alphabeta::Resources;
use agent::{
    Agent, Batch, Control, Error, Evaluator, EvaluatorError, Game, Limits, Options, Position,
    Precision, Variant, Wdl, games, legal_moves, view,
};
use engine::{AlphaBetaConfig, AlphaBetaPlayer, Player, SearchPlayer, SearchPlayerConfig, Turn};
use model::{CpuEvaluator, Model};
use nnue::Network;
use types::{Handicap, RatedHandicap, Seed, Strength};

const OPTIONS: Options = Options {
    hash: 1,
    threads: 1,
    precision: Precision::Int8,
    portable: false,
    elo: None,
    seed: 0,
};

fn folder(name: &str) -> String {
    format!(
        "{}/../../players/bundled/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn load(source: &str) -> Result<Agent, Error> {
    Agent::load(source, &OPTIONS)
}

fn start(variant: Variant) -> Game {
    Game::new(Position::start(variant))
}

/// One agent of each kind: an evaluation, a network, and material.
fn agents() -> Vec<Agent> {
    let files = ["evaluations/thai.safetensors", "thai.safetensors"];
    let mut agents: Vec<_> = files
        .map(|file| load(&folder(file)).expect("it is bundled"))
        .into();
    agents.push(load("material:thai").expect("all games have it"));
    agents
}

#[test]
fn every_variant_is_played_to_its_end() {
    for variant in Variant::ALL {
        let mut agent = Agent::material(variant, &OPTIONS);
        let mut game = start(variant);
        while game.outcome().is_none() {
            let choice = agent.choose(&game, &Limits::nodes(20)).unwrap();
            assert!(game.legal_moves().contains(&choice.mv));
            game.play(choice.mv);
        }
        let over = agent.choose(&game, &Limits::nodes(20)).unwrap_err();
        assert!(over.to_string().starts_with("the game is over: "), "{over}");
    }
}

#[test]
fn choices_depend_on_the_game_and_the_limits_alone() {
    for mut agent in agents() {
        let mut game = start(agent.variant());
        let limits = Limits::nodes(300);
        let first = agent.choose(&game, &limits).unwrap();
        game.play(first.mv);
        agent.choose(&game, &Limits::nodes(500)).unwrap();
        let again = agent.choose(&start(agent.variant()), &limits).unwrap();
        assert_eq!(again, first, "{}", agent.name());
        let games = vec![start(agent.variant()); 3];
        assert_eq!(agent.choose_many(&games, Some(300)).unwrap(), [first; 3]);
    }
}

#[test]
fn analysis_reports_lines_and_stops() {
    for mut agent in agents() {
        let game = start(agent.variant());
        let (mut n_reports, control) = (0, Arc::new(Control::pondering()));
        let limits = Limits {
            lines: Some(3),
            ..Limits::default()
        };
        let found = agent.analyse(&game, &limits, Arc::clone(&control), &mut |_| {
            n_reports += 1;
            control.stop();
        });
        let analysis = view::Analysis::new(&found.unwrap(), game.position());
        assert_eq!((analysis.lines.len(), n_reports > 0), (3, true));
        assert!(analysis.lines[0].value.is_some());
        for line in &analysis.lines {
            let legal = legal_moves(game.position());
            assert!(legal.iter().any(|legal| legal.text == line.moves[0]));
            assert!(!line.moves.is_empty());
        }
    }
}

#[test]
fn a_clock_of_ones_own_limits_time() {
    fn clock() -> Duration {
        static TICKS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        Duration::from_millis(TICKS.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }
    for mut agent in agents() {
        let control = Control::with_clock(clock);
        control.start();
        let limits = Limits {
            seconds: Some(0.05),
            ..Limits::default()
        };
        let choice = agent.choose_until(&start(agent.variant()), &limits, Arc::new(control));
        assert!(choice.unwrap().nodes > 0);
    }
}

#[test]
fn judgments_are_probabilities() {
    let [mut evaluation, mut network, _] = agents().try_into().ok().unwrap();
    let game = start(network.variant());
    let judged = network.judge(&[game.clone(), game.clone()]).unwrap();
    assert_eq!(judged[0], judged[1]);
    assert_eq!(network.value(&game).unwrap(), judged[0].value);
    let sum: f32 = judged[0].policy.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-5);
    let likely = view::policy(&judged[0], game.position());
    assert_eq!(likely.len(), game.legal_moves().len());
    assert!(likely.is_sorted_by(|a, b| a.probability >= b.probability));
    let value = evaluation.value(&game).unwrap();
    assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-5);
    let error = evaluation.judge(&[game]).unwrap_err().to_string();
    assert!(error.contains("has no policy"), "{error}");
}

#[test]
fn a_finished_game_has_its_result_as_value() {
    let lost = Position::from_fen(Variant::Thai, "W:W:B18").unwrap();
    for mut agent in agents() {
        let game = Game::new(lost);
        assert_eq!(agent.value(&game).unwrap(), Wdl::LOSS);
    }
}

/// Prefers the last of the legal moves.
struct Last;

impl Evaluator for Last {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (value, logits) = batch.reply_mut(index);
            *value = Wdl::DRAW;
            logits.fill(0.0);
            *logits.last_mut().expect("a legal move") = 20.0;
        }
        Ok(())
    }
}

#[test]
fn an_evaluator_of_ones_own_is_searched_with() {
    let mut agent = Agent::with_evaluator("last", Variant::Frisian, Box::new(Last));
    let game = start(Variant::Frisian);
    let choice = agent.choose(&game, &Limits::nodes(32)).unwrap();
    assert_eq!(Some(&choice.mv), game.legal_moves().last());
}

/// Stops its own search.
struct Weary(Arc<Control>);

impl Evaluator for Weary {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        self.0.stop();
        Last.evaluate(batch)
    }
}

#[test]
fn a_stop_ends_a_search_of_so_many_nodes() {
    let control = Arc::new(Control::running());
    let evaluator = Box::new(Weary(Arc::clone(&control)));
    let mut agent = Agent::with_evaluator("weary", Variant::Frisian, evaluator);
    let limits = Limits::nodes(100_000);
    let stopped = agent.choose_until(&start(Variant::Frisian), &limits, control);
    assert!(matches!(stopped, Err(Error::Stopped)));
}

#[test]
fn what_cannot_be_loaded_is_explained() {
    let error = |source: &str| load(source).err().unwrap().to_string();
    let (hash, threads) = (usize::MAX, usize::MAX);
    for options in [Options { hash, ..OPTIONS }, Options { threads, ..OPTIONS }] {
        let refused = Agent::load("material:english", &options).err().unwrap();
        assert!(refused.to_string().contains("or less"), "{refused}");
    }
    let precision = Precision::F16;
    let refused = Agent::load(
        "material:english",
        &Options {
            precision,
            ..OPTIONS
        },
    );
    assert!(refused.is_err_and(|error| error.to_string().contains("precision is f16")));
    assert!(error("/nowhere/at/all").contains("failed to read /nowhere/at/all"));
    assert!(error("material:chess").contains("unknown variant `chess`"));
    assert!(error("englisch").contains("did you mean `english`"));
    for mixed in [
        "bundled:english,sims=8,elo=900",
        "bundled:english,elo=900,sims=8",
    ] {
        assert!(error(mixed).contains("elo sets its strength: remove the other options"));
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(error(path).contains("holds neither a run nor"));
    std::fs::write(dir.path().join("model.safetensors"), b"no tensors").unwrap();
    assert!(
        error(path).contains("failed to load the model"),
        "{}",
        error(path)
    );
    let mut thai = load("material:thai").unwrap();
    let other = thai
        .choose(&start(Variant::English), &Limits::nodes(1))
        .unwrap_err();
    assert_eq!(other.to_string(), "material:thai plays thai, not english");
}

#[test]
fn options_of_a_player_replace_those_of_the_caller() {
    let game = start(Variant::Thai);
    for [text, plain] in [
        ["thai,threads=2,hash=3", "thai"],
        ["bundled:thai,precision=f32", "bundled:thai"],
    ] {
        let options = Options {
            precision: Precision::F32,
            ..OPTIONS
        };
        let mut same = Agent::load(plain, &options).unwrap();
        let mut agent = load(text).unwrap();
        assert!(agent.elo_range().is_some());
        assert_eq!(agent.elo_range(), same.elo_range());
        assert_eq!(agent.value(&game).unwrap(), same.value(&game).unwrap());
        let (name, own) = text.split_once(',').unwrap();
        for limited in [format!("{text},elo=900"), format!("{name},elo=900,{own}")] {
            let mut limited = load(&limited).unwrap();
            let elo = Some(900.0);
            let mut keyword = Agent::load(plain, &Options { elo, ..options }).unwrap();
            let limits = Limits::default();
            assert_eq!(
                limited.choose(&game, &limits).unwrap(),
                keyword.choose(&game, &limits).unwrap()
            );
        }
    }
    let hash = load("material:thai,hash=70000").err().unwrap().to_string();
    assert!(hash.contains("70000 is more than 65536"), "{hash}");
}

#[test]
fn folders_and_damaged_files_are_told_apart() {
    let bytes = std::fs::read(folder("thai.safetensors")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("model.safetensors"), &bytes).unwrap();
    let agent = Agent::read(Path::new(dir.path()), &OPTIONS).unwrap();
    assert_eq!(agent.variant(), Variant::Thai);
    for length in [0, 7, 100, bytes.len() - 1] {
        assert!(Agent::from_bytes("cut", &bytes[..length], &OPTIONS).is_err());
    }
}

#[test]
fn a_game_is_shown_whole() {
    let mut game = start(Variant::English);
    games::play(&mut game, "11-15").unwrap();
    let json = serde_json::to_value(view::GameView::new(&game)).unwrap();
    assert_eq!(json["moves"][0], "11-15");
    assert_eq!(
        (&json["turn"], &json["status"]),
        (&"white".into(), &"ongoing".into())
    );
    assert_eq!(json["legal_moves"].as_array().unwrap().len(), 7);
}

/// The choice of a match player.
fn choice_of(player: &mut dyn Player, game: &Game) -> agent::Choice {
    let turn = Turn {
        game,
        seed: Seed::new(5),
        time: None,
    };
    let mut choices = Vec::new();
    player
        .choose(&[turn], &mut choices)
        .expect("the game is not over");
    choices[0]
}

#[test]
fn agents_choose_as_the_players_of_matches_do() {
    let variant = Variant::Frisian;
    let mut agents = ["evaluations/frisian.safetensors", "frisian.safetensors"]
        .map(|file| load(&folder(file)).unwrap());
    let read = |file| std::fs::read(folder(file)).unwrap();
    let evaluation = Network::from_bytes(&read("evaluations/frisian.safetensors")).unwrap();
    let config = AlphaBetaConfig {
        resources: Resources {
            table_bytes: 1 << 20,
            threads: 1,
        },
        depth: None,
        nodes: Some(2_000),
        usual_nodes: 1,
    };
    let mut alpha_beta = AlphaBetaPlayer::new("ab", evaluation, config);
    let model = Model::from_bytes(&read("frisian.safetensors"), Path::new("frisian")).unwrap();
    let evaluator =
        CpuEvaluator::with_precision(variant, &model.config, &model.weights, OPTIONS.precision);
    let tree = |simulations| {
        let config = SearchPlayerConfig {
            simulations,
            ..agent::usual_search()
        };
        SearchPlayer::new("net", evaluator.as_ref().unwrap().clone(), config)
    };
    let (mut few, mut many) = (tree(16), tree(150));
    let mut game = start(variant);
    for _ in 0..8 {
        let [evaluation, network] = &mut agents;
        let choose = |agent: &mut Agent, nodes| agent.choose(&game, &Limits::nodes(nodes)).unwrap();
        assert_eq!(choose(evaluation, 2_000), choice_of(&mut alpha_beta, &game));
        assert_eq!(choose(network, 16), choice_of(&mut few, &game));
        let choice = choose(network, 150);
        assert_eq!(choice, choice_of(&mut many, &game));
        game.play(choice.mv);
    }
}

#[test]
fn agents_are_held_back_to_their_strengths() {
    let rated = |least, most| {
        let ladder = Handicap::ladder(least, most).into_iter().enumerate();
        Strength::new(ladder.map(|(number, handicap)| RatedHandicap {
            nodes: handicap.nodes,
            temperature: handicap.temperature,
            elo: 100.0 * number as f64,
            ci95: 10.0,
        }))
    };
    let read = |file: &str| std::fs::read(folder(file)).unwrap();
    let mut model = Model::from_bytes(&read("thai.safetensors"), Path::new("thai")).unwrap();
    model.strength = rated(1, 64);
    let evaluation = Network::from_bytes(&read("evaluations/thai.safetensors")).unwrap();
    let evaluation = evaluation.with_strength(rated(100, 100_000));
    let start = start(Variant::Thai);
    for bytes in [model.to_bytes().unwrap(), evaluation.to_bytes().unwrap()] {
        let load = |elo, seed| {
            let options = Options {
                elo,
                seed,
                ..OPTIONS
            };
            Agent::from_bytes("thai", &bytes, &options)
        };
        let mut free = load(None, 0).unwrap();
        assert_eq!(free.elo_range(), Some((0.0, 1500.0)));
        let choose = |elo, seed| {
            let mut agent = load(Some(elo), seed).unwrap();
            let choice = agent.choose(&start, &Limits::nodes(5)).unwrap();
            let games = std::slice::from_ref(&start);
            assert_eq!(agent.choose_many(games, None).unwrap(), [choice]);
            assert_eq!(
                agent.value(&start).unwrap(),
                load(None, 0).unwrap().value(&start).unwrap()
            );
            agent.reseed(seed + 1);
            let again = agent.choose(&start, &Limits::default()).unwrap();
            agent.reseed(seed);
            assert_eq!(agent.choose(&start, &Limits::default()).unwrap(), choice);
            [choice, again]
        };
        let own = free.choose(&start, &Limits::default()).unwrap();
        assert_eq!(choose(1500.0, 3), [own; 2]);
        let weak: Vec<[agent::Choice; 2]> = (0..8).map(|seed| choose(0.0, seed)).collect();
        assert!(weak.iter().any(|choices| choices[0].mv != weak[0][0].mv));
        for pair in weak.windows(2) {
            assert_eq!(pair[0][1], pair[1][0]);
        }
        let error = load(Some(1600.0), 0).err().unwrap().to_string();
        assert!(
            error.contains("thai: 1600 Elo is out of its range"),
            "{error}"
        );
        let control = Arc::new(Control::pondering());
        let limits = Limits::default();
        let found = load(Some(600.0), 0)
            .unwrap()
            .analyse(&start, &limits, control, &mut |_| ());
        assert_eq!(found.unwrap().variations.len(), 1);
    }
    let error = load("material:thai,seed=3,elo=700")
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("material:thai was not measured"), "{error}");
    let error = load("material:thai,elo=strong").err().unwrap().to_string();
    assert!(error.contains("write elo=1200"), "{error}");
}
