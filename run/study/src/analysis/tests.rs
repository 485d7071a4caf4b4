use std::fs;
use std::path::Path;

use roster::PlayerSpec;
use rules::Position;

use super::*;
use crate::place::Place;

/// A book game, an ending in which White loses a man, and a game with an illegal move.
const GAMES: &str = "\
[Event \"club <i>championship</i>\"]
[White \"A & B\"]
[Black \"C\"]
[Date \"1901.02.03\"]
[Result \"1/2-1/2\"]
[GameType \"21\"]
1. 11-15 {the Old Fourteenth} 23-19 2. 8-11 22-17 3. 4-8 17-13 1/2-1/2

[White \"D\"]
[Black \"C\"]
[Result \"0-1\"]
[GameType \"21\"]
[FEN \"W:W18,30,31,32:B2,3,4,11\"]
1... 18-15 2. 11x18 31-27 0-1

[White \"E\"]
[Black \"F\"]
[GameType \"21\"]
1. 11-15 23-19 2. 1-2 *
";

impl Place {
    fn request(&self, threads: usize, to: &str) -> AnalysisRequest {
        AnalysisRequest {
            source: Source::new(self.path("games.pdn")).unwrap(),
            variant: None,
            encoding: None,
            to: Some(self.path(to)),
            report: Some(self.path(&format!("{to}.html"))),
            threads,
        }
    }
}

fn analysts(nodes: u64) -> Arc<Analysts> {
    Arc::new(Analysts::new(None, Limit::Nodes(nodes)).unwrap())
}

/// Runs an analysis that fails after `most` games.
fn run(request: &AnalysisRequest, most: usize) -> Result<(Vec<AnalyzedGame>, AnalysisSummary)> {
    let mut games = Vec::new();
    let mut observer = AnalysisObserver {
        game: &mut |game| {
            games.push(game.clone());
            match games.len() > most {
                true => Err(io::Error::other("enough")),
                false => Ok(()),
            }
        },
        progress: &mut |_| {},
    };
    let stop = Arc::new(AtomicBool::new(false));
    let summary = analyse(request, &analysts(3000), &mut observer, &stop)?;
    Ok((games, summary))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn games_are_annotated_and_reported() {
    let place = Place::with(GAMES);
    let (games, summary) = run(&place.request(2, "a.pdn"), usize::MAX).unwrap();
    assert!(summary.is_complete && (summary.games, summary.faulty) == (3, 1));
    let marks = |game: &AnalyzedGame| {
        let marks = game.review.plies.iter().map(|ply| ply.mark);
        marks.collect::<Vec<_>>()
    };
    assert_eq!(marks(&games[0]), [None; 6], "the book of 1901");
    let given = &games[1].review.plies[0];
    assert!(given.mark >= Some(analyst::Mark::Mistake), "{given:?}");
    assert_eq!(given.text, "18-15");
    let forced = &games[1].review.plies[1];
    assert!(
        forced.loss.is_none() && forced.value.is_some_and(|value| value > 0.6),
        "{forced:?}"
    );
    assert_eq!(games[2].review.plies.len(), 2);
    assert!(
        games[2].faults[0].what.starts_with("line 19: ply 3: "),
        "{:?}",
        games[2].faults
    );
    let annotated = text(&place.path("a.pdn"));
    for kept in [
        "{the Old Fourteenth}",
        "[Date \"1901.02.03\"]",
        "[Annotator \"Crownhead (",
    ] {
        assert!(annotated.contains(kept), "{annotated}");
    }
    assert!(!annotated.contains("Termination"), "{annotated}");
    let again = Texts::open(&place.path("a.pdn"), None).unwrap().games(None);
    let again: Vec<_> = again.collect();
    assert_eq!(again.len(), 3);
    let blunder = &again[1].game.as_ref().unwrap().text.moves[0];
    assert!(["?", "??"].contains(&blunder.glyph.as_str()) && blunder.variations.len() == 1);
    let report = text(&place.path("a.pdn.html"));
    assert!(report.contains("A &amp; B") && report.contains("club &lt;i&gt;championship"));
    assert!(report.contains("<svg class=\"course\"") && report.contains("<svg class=\"board\""));
    assert!(report.ends_with("</html>\n") && !report.contains("<i>"));
    assert!(!place.path("a.pdn.progress").exists());
}

#[test]
fn a_player_that_judges_nothing_is_refused() {
    let place = Place::with(GAMES);
    let request = place.request(1, "a.pdn");
    let judged_by = |player: &str| {
        let spec: PlayerSpec = player.parse().unwrap();
        let analysts = Arc::new(Analysts::new(Some(&spec), Limit::Nodes(9)).unwrap());
        let mut observer = AnalysisObserver {
            game: &mut |_| Ok(()),
            progress: &mut |_| {},
        };
        let stop = Arc::new(AtomicBool::new(false));
        analyse(&request, &analysts, &mut observer, &stop)
            .unwrap_err()
            .to_string()
    };
    let error = judged_by("bundled:thai");
    assert!(
        error.contains("no move could be judged: ") && error.contains("thai"),
        "{error}"
    );
    let error = judged_by("random");
    assert!(error.contains("the player gives no values"), "{error}");
    for path in ["a.pdn", "a.pdn.html", "a.pdn.progress"] {
        assert!(!place.path(path).exists(), "{path}");
    }
    let same = AnalysisRequest {
        report: request.to.clone(),
        ..request
    };
    assert!(run(&same, 9).is_err());
}

#[test]
fn a_stopped_analysis_is_resumed_with_the_same_outcome() {
    let place = Place::with(GAMES);
    let (games, _) = run(&place.request(1, "whole.pdn"), usize::MAX).unwrap();
    let part = place.request(3, "part.pdn");
    assert!(run(&part, 0).is_err());
    let progress = place.path("part.pdn.progress");
    let torn = text(&progress) + "{\"game\":2,\"whi";
    fs::write(&progress, torn).unwrap();
    let other = run(
        &AnalysisRequest {
            variant: Some(Variant::ALL[0]),
            ..part.clone()
        },
        0,
    );
    assert!(
        other
            .unwrap_err()
            .to_string()
            .contains("is of an analysis of other games")
    );
    assert_eq!(run(&part, usize::MAX).unwrap().0, games);
    for end in ["", ".html"] {
        let [one, other] =
            ["whole.pdn", "part.pdn"].map(|name| text(&place.path(&format!("{name}{end}"))));
        assert_eq!(one, other);
    }
    let error = run(&part, usize::MAX).unwrap_err();
    assert!(
        error.is_request() && error.to_string().contains("part.pdn exists"),
        "{error}"
    );
}

/// Every first move of English draughts is an opening of tournaments. Ringboard has no theory.
#[test]
fn ordinary_first_moves_have_no_mark() {
    let mut seats = Seats::new(analysts(20_000));
    let others = Variant::GAMES.into_iter();
    for variant in others.filter(|variant| *variant != Variant::Ringboard) {
        let game = Game::new(Position::start(variant));
        let legal = game.legal_moves();
        let judged = legal.iter().map(|&mv| seats.judge(&game, mv).unwrap());
        let n_marked = judged.filter(|judged| judged.mark().is_some()).count();
        let most = usize::from(variant != Variant::English);
        assert!(n_marked <= most, "{variant}: {n_marked}");
    }
}

#[test]
fn positions_are_answered_in_order() {
    let input = "start\n\nstart 11-15 22-17\nW:W1\nB:W18:B14,15:H0:F1\nstart 11-16 1-2\n";
    let question = PositionQuestion {
        variant: Variant::English,
        lines: 2,
        threads: 2,
    };
    let mut seen = Vec::new();
    answer_positions(input.as_bytes(), &question, &analysts(2000), |answer| {
        let found = answer
            .found
            .map(|found| found.findings.map(|found| found.variations.len()));
        seen.push((answer.line, found));
        Ok(())
    })
    .unwrap();
    let lines: Vec<u64> = seen.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6]);
    assert_eq!(seen[0].1, Ok(Some(2)));
    assert_eq!(seen[1].1, Ok(Some(2)));
    assert!(
        seen[2]
            .1
            .as_ref()
            .is_err_and(|error| error.contains("cannot read the FEN"))
    );
    assert!(
        seen[4]
            .1
            .as_ref()
            .is_err_and(|error| error.starts_with("move 2: "))
    );
}
