use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ratings::Counts;
use rules::{Color, DrawReason, Outcome, Position, WinReason};
use run::config::{ConfigSources, RunFile};
use store::{GameId, Header as Origin, Ply, Record, RecordedSearch, RunDir};

use super::*;

const BLACK_WINS: Option<Outcome> = Some(Outcome::Win(Color::Black, WinReason::Resigned));
const WHITE_WINS: Option<Outcome> = Some(Outcome::Win(Color::White, WinReason::Resigned));
const DRAWN: Option<Outcome> = Some(Outcome::Draw(DrawReason::Agreed));

/// An english game of the first legal moves from a position, in which Black moves first.
fn game(fen: &str, plies: usize, result: Option<Outcome>) -> StudiedGame {
    let mut game = Game::new(Position::from_fen(Variant::English, fen).unwrap());
    for _ in 0..plies {
        let mv = game.legal_moves()[0];
        game.play(mv);
    }
    StudiedGame { game, result }
}

#[test]
fn results_and_moves_are_counted() {
    // A forced capture; a man that moves, and a man that answers.
    let capture = || game("B:W18,32:B14", 1, BLACK_WINS);
    let quiet = || game("B:W31:B1", 2, DRAWN);
    let games = [capture(), capture(), quiet(), game("B:W31:B1", 2, None)];
    let of = measure(&[&games[..], &games].concat());
    assert_eq!((of.games, of.unfinished, of.distinct), (8, 2, 2));
    let [wins, draws, losses] = [4, 2, 0];
    assert_eq!(
        of.first,
        Counts {
            wins,
            draws,
            losses
        }
    );
    let value = |estimate: Option<Estimate>| estimate.unwrap().value;
    assert!((value(of.score) - 2.5 / 3.0).abs() < 1e-12);
    assert!((value(of.draws) - 1.0 / 3.0).abs() < 1e-12);
    // The game without a result has no length.
    assert!((value(of.plies) - 4.0 / 3.0).abs() < 1e-12);
    assert_eq!(value(of.captures), 0.5);
    // Two moves for each man of the quiet games.
    assert_eq!(value(of.forced), 0.5);
    assert_eq!(of.moves_by_ply, [1.5, 2.0]);
}

#[test]
fn the_first_lead_predicts_results() {
    let equal = || game("B:W31:B1", 2, BLACK_WINS);
    let black = |result| game("B:W31:B1,2", 2, result);
    let white = |result| game("B:W31,32:B1", 2, result);
    let of = |games: &[StudiedGame]| measure(games).lead;
    let lead = of(&[
        equal(),
        black(BLACK_WINS),
        white(WHITE_WINS),
        black(WHITE_WINS),
        white(DRAWN),
    ]);
    let [wins, draws, losses] = [2, 1, 1];
    assert_eq!(
        lead.leaders,
        Counts {
            wins,
            draws,
            losses
        }
    );
    let values = [lead.games, lead.score, lead.predicted].map(|one| one.unwrap().value);
    assert_eq!(values, [0.8, 0.625, 0.4]);
    // Black is a man down until the capture: no lead. Then Black is ahead.
    let captured = "B:W18,19,32:B14,15";
    let after = of(&[game(captured, 2, BLACK_WINS), game(captured, 1, BLACK_WINS)]);
    assert_eq!(
        after.leaders.games(),
        0,
        "no quiet position was reached: {after:?}"
    );
}

/// A hundred different games, in which Black has a man and these pieces and wins some.
fn games_of(wins: usize, more: &str) -> Vec<StudiedGame> {
    let games = (0..100).map(|index| {
        let (white, black) = (25 + index % 8, 1 + index / 8);
        let result = if index < wins { BLACK_WINS } else { WHITE_WINS };
        game(&format!("B:W{white}:B{black}{more}"), 1, result)
    });
    games.collect()
}

#[test]
fn the_value_of_a_king_is_that_of_the_odds() {
    // Odds of 1, 3 and 9 for even pieces, a man more and a king more: a king is two men.
    let even_and_man = [games_of(50, ""), games_of(75, ",20")].concat();
    let all = [even_and_man.clone(), games_of(90, ",K20")].concat();
    let phases = measure(&all).kings;
    let [none, .., last] = &phases[..] else {
        panic!("{phases:?}");
    };
    assert_eq!(
        (none.pieces, none.positions, none.king),
        ([19, 24], 0, None)
    );
    assert_eq!((last.positions, last.games), (300, 100));
    assert!((last.man.unwrap().value - 3.0_f64.ln()).abs() < 1e-9);
    let king = last.king.unwrap();
    assert!((king.value - 2.0).abs() < 1e-9, "{king:?}");
    assert!(king.ci95[0] > 1.2 && king.ci95[1] < 4.2, "{king:?}");
    // Repeated games are no new evidence.
    let last = |games: &[StudiedGame]| measure(games).kings.pop().unwrap();
    assert_eq!(last(&[all.clone(), all].concat()).king, Some(king));
    // A few games do not show the value of a king, nor do games in which men are worth nothing.
    let few = games_of(90, ",K20").into_iter().skip(81).collect();
    assert_eq!(last(&[even_and_man, few].concat()).king, None);
    let worthless = [games_of(50, ""), games_of(25, ",20"), games_of(90, ",K20")];
    let of = last(&worthless.concat());
    assert!(of.man.unwrap().value < 0.0 && of.king.is_none(), "{of:?}");
}

#[test]
fn differences_are_those_of_pairs() {
    let quiet = |plies, result| game("B:W31:B1", plies, result);
    // The second games score 1/2, 0 and 1/2 more, and the last pair has no result.
    let first = [
        quiet(2, DRAWN),
        quiet(1, BLACK_WINS),
        quiet(2, WHITE_WINS),
        quiet(1, None),
    ];
    let second = [
        quiet(2, BLACK_WINS),
        quiet(2, BLACK_WINS),
        quiet(3, DRAWN),
        quiet(1, DRAWN),
    ];
    let twice = [first, second].map(|games| [&games[..], &games].concat());
    let of = pairs::difference(String::new(), [&twice[0], &twice[1]]);
    assert_eq!((of.pairs, of.same), (6, 2));
    let value = |estimate: Option<Estimate>| estimate.unwrap().value;
    assert!((value(of.score) - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(value(of.draws), 0.0);
    assert!((value(of.plies) - 2.0 / 3.0).abs() < 1e-12);
    // The variance of the scores is 1/15, and Student's quantile 2.571.
    let high = 1.0 / 3.0 + 2.571 * (1.0 / 15.0 / 6.0_f64).sqrt();
    assert!((of.score.unwrap().ci95[1] - high).abs() < 1e-3, "{of:?}");
}

#[test]
fn openings_form_a_tree_with_popular_lines_first() {
    let start = Position::start(Variant::English);
    let game = |moves: &[&str], result| {
        let mut game = Game::new(start);
        for mv in moves {
            let mv = game.position().parse_move(mv).unwrap();
            game.play(mv);
        }
        StudiedGame { game, result }
    };
    let mut games = vec![game(&["11-15", "23-19"], BLACK_WINS); 30];
    games.extend(vec![game(&["9-14", "22-18"], DRAWN); 9]);
    games.push(game(&["9-14", "22-17"], DRAWN));
    games.push(super::tests::game("B:W31:B1", 1, BLACK_WINS));
    let lines = openings::opening_lines(Variant::English, &games);
    let shown: Vec<(String, u64, f64)> = lines
        .iter()
        .map(|(_, line)| (line.moves.join(" "), line.games, line.share))
        .take(4)
        .collect();
    let line = |moves: &str, games, share| (moves.to_owned(), games, share);
    assert_eq!(
        shown,
        [
            line("11-15", 30, 0.75),
            line("11-15 23-19", 30, 0.75),
            line("9-14", 10, 0.25),
            line("9-14 22-18", 9, 0.225),
        ]
    );
    // All seven first moves, and two longer lines: one game of forty is too rare.
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[0].1.score.unwrap().value, 1.0);
    assert_eq!(lines[8].1.score, None);
}

fn request(to: Option<PathBuf>, threads: usize) -> StudyRequest {
    StudyRequest {
        subjects: vec![
            Subject::Game(Variant::English),
            Subject::Game(Variant::Italian),
        ],
        games: 6,
        nodes: vec![20, 40],
        seed: 5,
        is_material: true,
        to,
        figure: None,
        threads,
    }
}

fn run(request: &StudyRequest) -> Study {
    match study(request, &mut |_| (), &Arc::default()).unwrap() {
        Ended::Complete(study) => study,
        Ended::Stopped(games) => panic!("stopped after {games}"),
    }
}

#[test]
fn a_study_resumes_and_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.html", "parts.html"].map(|name| folder.path().join(name));
    let study_of = run(&request(Some(whole.clone()), 2));
    let stop = Arc::new(AtomicBool::new(false));
    let mut stopping = request(Some(parts.clone()), 1);
    let mut stop_soon = |stage: &StageProgress| stop.store(stage.done > 2, Ordering::Relaxed);
    let Ended::Stopped(games) = study(&stopping, &mut stop_soon, &stop).unwrap() else {
        panic!("it was stopped");
    };
    assert!((3..24).contains(&games) && !parts.exists(), "{games}");
    let kept = folder.path().join("parts.html.progress");
    let lines = fs::read_to_string(&kept).unwrap().lines().count();
    assert_eq!(lines, games + 1);
    // Another study must not take these games.
    let other = StudyRequest {
        seed: 6,
        ..stopping.clone()
    };
    let refused = study(&other, &mut |_| (), &Arc::default())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("a study of other games"), "{refused}");
    stopping.threads = 2;
    let mut first = None;
    let mut watch = |stage: &StageProgress| first = first.or(Some(stage.done));
    let resumed = study(&stopping, &mut watch, &Arc::default());
    assert!(matches!(resumed.unwrap(), Ended::Complete(resumed) if resumed == study_of));
    assert_eq!(first, Some(games as u64));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&parts).unwrap());
    assert!(!kept.exists());
    let page = fs::read_to_string(whole).unwrap();
    assert!(page.contains("default-src 'none'") && page.contains("</svg>"));
    assert!(!page.contains("href") && !page.contains("src=") && !page.contains("NaN"));
    assert!(page.contains("--games 6 --nodes 20,40 --seed 5 --material"));
    let of = &study_of.columns[0].levels[1].measures;
    assert!(of.games == 6 && of.distinct > 4, "{of:?}");
    // Two games are compared, and counting material has no opinion of openings.
    assert_eq!(study_of.differences.len(), 2);
    assert!(study_of.columns[0].openings.is_empty());
}

#[test]
fn games_that_were_changed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.md");
    let stop = Arc::new(AtomicBool::new(true));
    let request = request(Some(page), 1);
    assert!(matches!(
        study(&request, &mut |_| (), &stop).unwrap(),
        Ended::Stopped(0)
    ));
    let kept = folder.path().join("a.md.progress");
    let header = fs::read_to_string(&kept).unwrap();
    for game in ["[99]", "[-1]", "[]"] {
        fs::write(&kept, format!("{header}{{\"moves\":{game}}}\n")).unwrap();
        let error = study(&request, &mut |_| (), &stop).unwrap_err().to_string();
        assert!(game == "[-1]" || error.contains("was changed"), "{error}");
    }
}

#[test]
fn outputs_need_names_that_say_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut request = request(Some(folder.path().join("page.txt")), 1);
    let refused = |request: &StudyRequest| {
        study(request, &mut |_| (), &Arc::default())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&request).ends_with("must end in .html or .md"));
    request.to = None;
    request.figure = Some(folder.path().join("a.png"));
    assert!(refused(&request).ends_with("must end in .svg"));
    request.figure = Some(folder.path().join("b/a.svg"));
    assert!(refused(&request).ends_with("first"));
    let error = "chess".parse::<Subject>().unwrap_err().to_string();
    assert!(error.ends_with("nor is it a run"), "{error}");
}

#[test]
fn text_fits_a_terminal_and_pages_escape_names() {
    let mut study = run(&StudyRequest {
        games: 2,
        nodes: vec![10],
        ..request(None, 2)
    });
    let mut columns: Vec<Column> = Vec::new();
    for index in 0..7 {
        let mut column = study.columns[index % 2].clone();
        column.name = format!("runs/a-rather-long-<name>|{index}");
        columns.push(column);
    }
    study.columns = columns;
    study.differences.clear();
    let text = study.to_string();
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains("…") && text.contains("name>|6"));
    assert!(
        text.contains("\nGames\nGames, different ones among them"),
        "{text}"
    );
    let html = page::html(&study);
    assert!(!html.contains("<name>") && html.contains("&lt;name&gt;|6"));
    let figure = Some(page::link(
        Path::new("docs/a/x.md"),
        Path::new("docs/figures/x.svg"),
    ));
    let page = page::markdown(&study, figure);
    assert!(page.contains("](../figures/x.svg)"), "{page}");
}

#[test]
fn runs_are_named_by_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = Subject::Run(folder.path().to_owned());
    for prefix in ["", "run:"] {
        let text = format!("{prefix}{}", folder.path().display());
        assert_eq!(text.parse(), Ok(run.clone()));
    }
    let of = StudyRequest {
        subjects: vec![run],
        ..request(None, 1)
    };
    let refused = || {
        study(&of, &mut |_| (), &Arc::default())
            .unwrap_err()
            .to_string()
    };
    let error = refused();
    assert!(
        error.contains("is not a run directory") && error.contains("runs/english"),
        "{error}"
    );
    begin_run(folder.path());
    assert!(refused().ends_with("has no games yet: train it first"));
}

/// Begins a run, and gives the hash of its settings.
fn begin_run(folder: &Path) -> u64 {
    let settings = ConfigSources::default().resolve(Variant::English).unwrap();
    let file = RunFile::new(Variant::English, settings);
    fs::write(folder.join("run.toml"), file.render()).unwrap();
    file.hash()
}

/// A game of the first legal moves, which was broken off.
fn record(config_hash: u64, generation: u32, number: u32) -> Record {
    let played = game(&Position::start(Variant::English).to_fen(), 4, None);
    let plies = played.game.moves().iter().map(|&mv| Ply {
        mv,
        search: RecordedSearch::Opening,
    });
    Record {
        header: Origin {
            variant: Variant::English,
            rules_version: Variant::English.rules_version(),
            seed: 1,
            id: GameId { generation, number },
            network: String::new(),
            config_hash,
        },
        start: *played.game.start(),
        plies: plies.collect(),
        result: played.result,
    }
}

#[test]
fn a_run_is_measured_in_parts_with_the_nearest_rating() {
    let folder = tempfile::tempdir().unwrap();
    let hash = begin_run(folder.path());
    let dir = RunDir::open(folder.path()).unwrap();
    for generation in 1..=5 {
        let mut games = dir.games(Variant::English).writer(generation).unwrap();
        for number in 0..10 {
            games.append(&record(hash, generation, number)).unwrap();
        }
        games.sync().unwrap();
    }
    let points = [(1, 100), (2, 200), (5, 500)].map(|(generation, elo)| {
        format!(
            "{{\"generation\":{generation},\"model\":1,\"seconds\":1.0,\"elo\":{elo}.0,\
             \"ci95\":9.0,\"games\":1,\"simulations\":1}}"
        )
    });
    let ratings = format!("{{\"zero\":\"random\",\"points\":[{}]}}", points.join(","));
    fs::write(dir.ratings_path(), ratings).unwrap();
    let (levels, last) = play::run_levels(folder.path(), 7).unwrap();
    let shown: Vec<_> = levels
        .iter()
        .map(|level| {
            (
                level.generations.unwrap(),
                level.measures.games,
                level.elo.map(|elo| elo.ci95),
            )
        })
        .collect();
    // Of two generations, three and four games; of two ratings at the same distance, the first.
    assert_eq!(
        shown,
        [
            ([1, 2], 7, Some([91.0, 109.0])),
            ([3, 4], 7, None),
            ([5, 5], 7, Some([491.0, 509.0])),
        ]
    );
    assert_eq!(last.len(), 7);
    assert_eq!(levels[0].measures.unfinished, 7);
    assert_eq!(levels[0].name, "part 1 of 3");
}
