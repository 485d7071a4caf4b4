//! Exact texts of match, gate and tournament reports.

use engine::Fault;
use eval::{
    GateReport, MatchGame, MatchReport, MatchResult, Opening, ReadSummary, Resignation,
    Resignations, Schedule, Skipped, Verdict, openings,
};
use ratings::{Counts, GateRule, Pentanomial, SprtBounds};
use rules::{Color, Outcome, Position, Variant, WinReason};
use types::{Seed, Wdl};

const BOUNDS: SprtBounds = SprtBounds {
    nelo0: 0.0,
    nelo1: 40.0,
    alpha: 0.05,
    beta: 0.05,
};

fn opening() -> Opening {
    let start = Position::start(Variant::English);
    Opening::from_text(start, "11-15 23-19").expect("legal moves")
}

/// A game that Black won by a forfeit after one move.
fn game(swapped: bool) -> MatchGame {
    let opening = opening();
    let mv = opening.game().legal_moves()[0];
    MatchGame {
        pair: 4,
        swapped,
        opening,
        moves: vec![mv],
        values: vec![Some(Wdl {
            win: 0.5,
            draw: 0.25,
            loss: 0.25,
        })],
        outcome: Outcome::Win(Color::Black, WinReason::Resigned),
        fault: None,
        resignation: None,
        duplicate: false,
    }
}

/// 70 pairs, two of whose games are given.
fn result() -> MatchResult {
    let resigned = |audited| {
        let (color, ply) = (Color::White, 3);
        let resignation = Resignation {
            color,
            ply,
            audited,
        };
        Some(resignation)
    };
    let mut games = vec![game(false), game(true)];
    games[0].fault = Some(Fault::Ended {
        reason: "tired".to_owned(),
    });
    games[0].resignation = resigned(true);
    games[1].resignation = resigned(false);
    games[1].moves.clear();
    games[1].values.clear();
    MatchResult {
        names: ["new", "old"].map(str::to_owned),
        moving_first: Counts {
            wins: 30,
            draws: 25,
            losses: 15,
        },
        moving_second: Counts {
            wins: 20,
            draws: 25,
            losses: 23,
        },
        pairs: Pentanomial([2, 10, 35, 18, 4]),
        duplicates: 2,
        games,
    }
}

#[test]
fn a_match_for_people() {
    let report = MatchReport::new(Variant::English, &result(), BOUNDS, 7, 1.5);
    assert_eq!(
        report.to_string(),
        "\
english: new against old
1 of 2 games were forfeited, 0 by the first player and 1 by the second; score
without them: 0.0 %

                  won  drawn   lost   score
  moving first     30     25     15    60.7 %
  moving second    20     25     23    47.8 %
  all games        50     50     38    54.3 %

  pairs        1; with 0, ½, 1, 1½, 2 points: 2 10 35 18 4
  Elo          +30 [-6, +67] (95 %); 0 is equal strength
  normalized   +49; stronger with 95.0 %
  LLR          +1.34 in -2.94..+2.94 for +40 against +0 normalized: not a measure of strength
  games        2 plies on average; 2 played twice and counted once
  resignation  1 resigned; 1 more were played to the end, 0 of them not lost by the side that would have resigned
  forfeit      game 5.1, old: ended the game: tired
"
    );
    assert_eq!(report.mean_plies, 2.5);
    let (score, superiority) = (report.score, report.likelihood_of_superiority);
    let score = score.unwrap();
    assert!((score - 75.0 / 138.0).abs() < 1e-12 && (0.95..0.951).contains(&superiority));
    assert_eq!((report.seed, report.seconds), (7, 1.5));
    let verdict = |cells| {
        let pairs = Pentanomial(cells);
        let mut result = MatchResult { pairs, ..result() };
        result.games[0].fault = None;
        MatchReport::new(Variant::English, &result, BOUNDS, 7, 1.5).verdict
    };
    assert_eq!(verdict([0, 0, 10, 40, 10]), "better");
    assert_eq!(verdict([10, 40, 10, 0, 0]), "not better");
}

#[test]
fn either_side_may_forfeit() {
    let mut result = result();
    result.games[1].fault = result.games[0].fault.clone();
    let report = MatchReport::new(Variant::English, &result, BOUNDS, 7, 1.5);
    let forfeits: Vec<_> = report
        .forfeits
        .games
        .iter()
        .map(|forfeit| (forfeit.round.as_str(), forfeit.loser.as_str()))
        .collect();
    assert_eq!(forfeits, [("5.1", "old"), ("5.2", "new")]);
    assert_eq!((report.forfeits.a, report.forfeits.b), (1, 1));
    assert_eq!(report.score_without_forfeits, None);
    assert_eq!(report.verdict, "not a measure of strength");
}

#[test]
fn few_forfeits_leave_a_measure_of_strength() {
    let verdict = |games: usize| {
        let mut result = result();
        let rest = (2..games).map(|_| game(false));
        result.games.extend(rest);
        MatchReport::new(Variant::English, &result, BOUNDS, 7, 1.5).verdict
    };
    assert_eq!(verdict(49), "not a measure of strength");
    assert_eq!(verdict(50), "inconclusive");
}

#[test]
fn a_match_without_anything_to_note() {
    let none = MatchResult {
        games: Vec::new(),
        duplicates: 0,
        moving_second: Counts::default(),
        ..result()
    };
    let report = MatchReport::new(Variant::English, &none, BOUNDS, 7, 1.5);
    let text = report.to_string();
    assert!(
        text.contains("  moving second     0      0      0   no game\n"),
        "{text}"
    );
    assert!(
        text.ends_with("  games        0 plies on average\n"),
        "{text}"
    );
    assert_eq!(report.mean_plies, 0.0);
}

#[test]
fn a_match_for_ratings() {
    let tallies: Vec<_> = result().tallies().iter().collect();
    let rows = tallies.iter().map(|tally| {
        let names = (tally.first.as_str(), tally.second.as_str());
        (names, [tally.wins, tally.draws, tally.losses])
    });
    let rows: Vec<_> = rows.collect();
    let expected = [
        (("new", "old"), [30, 25, 15]),
        (("old", "new"), [23, 25, 20]),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn audits_add_up() {
    let audit = |resigned, audited, not_lost| Resignations {
        resigned,
        audited,
        not_lost,
    };
    assert_eq!(Resignations::of(&result().games), audit(1, 1, 0));
    assert_eq!(audit(1, 2, 1).plus(audit(30, 50, 7)), audit(31, 52, 8));
    assert_eq!(audit(0, 0, 0).describe(), None);
    assert!(audit(0, 1, 0).describe().is_some() && audit(1, 0, 0).describe().is_some());
    // Black won, so White's resignation was right and Black's would not have been.
    let mut games = result().games;
    games[0].resignation = games[0].resignation.map(|resignation| Resignation {
        color: Color::Black,
        ..resignation
    });
    assert_eq!(Resignations::of(&games), audit(1, 1, 1));
}

#[test]
fn a_match_as_pdn() {
    let result = result();
    let all = result.newest_pair_to_pdn("a test");
    let more = MatchResult {
        games: [result.games.clone(), result.games.clone()].concat(),
        ..result.clone()
    };
    assert_eq!(more.newest_pair_to_pdn("a test"), all);
    let none = MatchResult {
        games: Vec::new(),
        ..result
    };
    assert_eq!(none.newest_pair_to_pdn("a test"), "");
    assert_eq!(
        all,
        r#"[Event "a test"]
[Round "5.1"]
[White "old"]
[Black "new"]
[Forfeit "ended the game: tired"]
[Audit "white would have resigned after ply 3"]
[Result "1-0"]
[Winner "Black"]
[Termination "resigned"]
[GameType "21,B,8,8,N1,0"]
[Variant "english"]

1. 11-15 23-19 2. 8-11 {+0.250} *

[Event "a test"]
[Round "5.2"]
[White "new"]
[Black "old"]
[Result "1-0"]
[Winner "Black"]
[Termination "resigned"]
[GameType "21,B,8,8,N1,0"]
[Variant "english"]

1. 11-15 23-19 *

"#
    );
}

#[test]
fn a_gate_in_words() {
    let sentence = |cells| {
        let pairs = Pentanomial(cells);
        let rule = GateRule::new(&BOUNDS, 500);
        let report = GateReport::new(&MatchResult { pairs, ..result() }, &rule);
        (report.verdict, report.sentence)
    };
    let (verdict, text) = sentence([2, 10, 35, 18, 4]);
    assert_eq!(verdict, Verdict::Inconclusive);
    assert_eq!(
        text,
        "new against old is inconclusive: LLR +1.34 is between -6.34 and +6.34 after 1 of at most 500 pairs \
         (50 won, 50 drawn, 38 lost; Elo +30 [-6, +67]); H0 is +0, H1 +40 normalized Elo, promoted in 5 % of \
         such gates, and rejected in 5 %"
    );
    let (verdict, text) = sentence([0, 0, 10, 80, 60]);
    assert_eq!(verdict, Verdict::Better);
    assert!(text.starts_with("new is better than old: LLR +"), "{text}");
    assert!(text.contains(" is at or above +6.34 after "), "{text}");
    let (verdict, text) = sentence([60, 80, 10, 0, 0]);
    assert_eq!(verdict, Verdict::NotBetter);
    assert!(
        text.starts_with("new is not better than old: LLR -"),
        "{text}"
    );
    assert!(text.contains(" is at or below -6.34 after "), "{text}");
}

#[test]
fn names_of_verdicts_and_schedules() {
    let verdicts = [Verdict::Better, Verdict::NotBetter, Verdict::Inconclusive];
    let names = verdicts.map(|verdict| verdict.to_string());
    assert_eq!(names, ["better", "not better", "inconclusive"]);
    let schedules = [Schedule::RoundRobin, Schedule::Gauntlet];
    let names = schedules.map(|schedule| schedule.to_string());
    assert_eq!(names, ["round robin", "gauntlet"]);
}

#[test]
fn what_was_skipped_a_line_each() {
    let skipped = |games, first_line| Skipped { games, first_line };
    let summary = ReadSummary {
        games: 5,
        unfinished: skipped(3, 17),
        unnamed: Skipped::default(),
        against_itself: skipped(1, 40),
        unreadable: skipped(2, 44),
        fault: "line 44: no tag".to_owned(),
    };
    assert_eq!(
        summary.to_string(),
        "games without a result, not counted: 3 (the first at line 17)\n\
         games of a player against itself, not counted: 1 (the first at line 40)\n\
         games that cannot be read, not counted: 2 (the first: line 44: no tag)\n"
    );
    assert_eq!(ReadSummary::default().to_string(), "");
}

#[test]
fn openings_in_writing() {
    let start = Position::start(Variant::English);
    assert_eq!(opening().moves_text(), "11-15 23-19");
    assert_eq!(Opening::from_text(start, " 11-15  23-19 "), Some(opening()));
    assert_eq!(Opening::from_text(start, "11-15 11-15"), None);
    assert_eq!(
        Opening::from_text(start, "").map(|none| none.moves_text()),
        Some(String::new())
    );
    let [one, two] = [1, 2].map(|n| openings::sample(Variant::English, n, Seed::new(1)));
    let digests = [one.as_slice(), &two, &two[1..], &[]].map(openings::digest);
    assert_eq!(digests[3], "cbf29ce484222325");
    for (place, digest) in digests.iter().enumerate() {
        assert_eq!(digest.len(), 16);
        assert!(!digests[..place].contains(digest));
    }
}
