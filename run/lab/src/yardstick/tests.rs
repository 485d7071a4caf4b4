use std::fs;

use rules::{Game, Position};

use super::*;
use study::analysis::Limit;

/// Games of the random mover, and their results.
fn games(n: u64) -> String {
    let mut text = String::new();
    for number in 0..n {
        let mut rng = Seed::new(number).rng();
        let mut game = Game::new(Position::start(Variant::GAMES[0]));
        let mut moves = Vec::new();
        while game.outcome().is_none() {
            let legal = game.legal_moves().to_vec();
            let mv = legal[rng.random_range(0..legal.len())];
            moves.push(game.position().move_text(mv));
            game.play(mv);
        }
        let result = match game.outcome().and_then(|outcome| outcome.winner()) {
            Some(winner) => format!("[Winner \"{winner:?}\"]"),
            None => "[Result \"1/2-1/2\"]".to_owned(),
        };
        text += &format!("{result}\n[GameType \"21\"]\n{} *\n\n", moves.join(" "));
    }
    text
}

fn twelve_of(file: std::path::PathBuf) -> YardstickRequest {
    YardstickRequest {
        games: vec![file],
        variant: Variant::GAMES[0],
        positions: 12,
        seed: 1,
        threads: 2,
    }
}

fn analysts(name: &str, nodes: u64) -> Arc<Analysts> {
    let player = name.parse().unwrap();
    Arc::new(Analysts::new(Some(&player), Limit::Nodes(nodes)).unwrap())
}

#[test]
fn a_player_agrees_with_itself_and_material_agrees_less() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("games.pdn");
    fs::write(&file, games(60)).unwrap();
    let request = twelve_of(file);
    let kept = place.path().join("judged.jsonl");
    let judge = analysts("ab:bundled", 300);
    let build = |kept: &std::path::Path| {
        let mut steps = Vec::new();
        let yardstick = Yardstick::new(&request, &judge, kept.into(), &mut |stage| {
            steps.push((stage.done, stage.total));
        });
        (yardstick.unwrap(), steps)
    };
    let (yardstick, steps) = build(&kept);
    assert_eq!(*steps.last().unwrap(), (48, 48), "12 of each phase");
    let whole = fs::read_to_string(&kept).unwrap();

    // A line that was cut short, and one that is missing, are judged again.
    fs::write(&kept, &whole[..whole.len() - 150]).unwrap();
    let (again, steps) = build(&kept);
    assert!(steps[0].0 >= 45 && steps.len() <= 4, "{steps:?}");
    assert_eq!(fs::read_to_string(&kept).unwrap(), whole);
    assert_eq!(
        (&again.samples, &again.values),
        (&yardstick.samples, &yardstick.values)
    );

    let mine = yardstick.measure(&judge, &mut |_| {}).unwrap();
    let material = yardstick.measure(&analysts("material:english", 300), &mut |_| {});
    let material = material.unwrap();
    assert_eq!(mine.phases.len(), 4);
    for (same, other) in mine.phases.iter().zip(&material.phases) {
        let [same_r, other_r] = [same, other].map(|phase| phase.correlation.unwrap());
        assert!((same_r.value - 1.0).abs() < 1e-9, "{same:?}");
        assert!(
            other_r.value < 1.0 && other_r.ci95[0] <= other_r.value,
            "{other:?}"
        );
        assert!(same.loss.unwrap().value.is_finite());
        assert_eq!(same.positions, 12);
    }
    assert_eq!(mine.phases[0].pieces, [19, 24]);
    assert_eq!(mine.phases[3].pieces, [1, 8]);

    // Of other games only the positions that are theirs count.
    let few = place.path().join("few.pdn");
    fs::write(&few, games(3)).unwrap();
    let few = twelve_of(few);
    let fewer = Yardstick::new(&few, &judge, kept.clone(), &mut |_| {}).unwrap();
    assert!(fewer.samples.len() <= 12, "{}", fewer.samples.len());

    // The values of another judge are not mixed with these.
    let other = analysts("ab:bundled", 200);
    let error = Yardstick::new(&request, &other, kept, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("another judge"), "{error}");
}

#[test]
fn files_without_a_quiet_position_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("games.pdn");
    fs::write(&file, "[GameType \"21\"]\n*\n").unwrap();
    let request = twelve_of(file);
    let kept = place.path().join("judged.jsonl");
    let judge = analysts("material:english", 10);
    let error = Yardstick::new(&request, &judge, kept, &mut |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the files have no quiet position of english"
    );
}
