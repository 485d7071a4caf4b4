//! FEN: parsing, formatting, and error messages.

use rules::{Color, Position, SetupError, Variant};

fn read(variant: Variant, fen: &str) -> String {
    Position::from_fen(variant, fen)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
        .to_fen()
}

fn error(variant: Variant, fen: &str) -> String {
    Position::from_fen(variant, fen).expect_err(fen).to_string()
}

#[test]
fn fields_are_read_leniently() {
    let expected = "W:W21,22,23,K31:BK1,2,12:H0:F1";
    for fen in [
        "W:W21-23,K31:BK1,2,12",
        "W:BK1,2,12:W21-23,K31",
        " w : b k1 , 2,12. : wk31,23,22,21 . "
            .replace(". :", " :")
            .as_str(),
        "W:B12,02,K01:WK31,021-23:F1:H0.",
        "W:F1:W23,22,21,K31-31:H0:B12,2,K1",
        "W:W21-23,K31:BK1,2,12:",
    ] {
        assert_eq!(read(Variant::English, fen), expected, "{fen}");
    }
    assert_eq!(read(Variant::Thai, "B:W:BK1-K3"), "B:W:BK1,K2,K3:H0:F1");
    assert_eq!(
        read(Variant::Ringboard, "B:W7:B44:H81:F900"),
        "B:W7:B44:H81:F900"
    );
}

#[test]
fn start_positions_are_written_in_full() {
    let english = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12:H0:F1";
    assert_eq!(Position::start(Variant::English).to_fen(), english);
    assert_eq!(read(Variant::English, "B:W21-32:B1-12"), english);
    let frisian = Position::start(Variant::Frisian);
    assert_eq!(
        Position::from_fen(Variant::Frisian, "W:W31-50:B1-20"),
        Ok(frisian)
    );
    assert!(frisian.to_fen().ends_with(":H0:F1:+0+0"));
    assert!(
        !Position::start(Variant::FrisianPlain)
            .to_fen()
            .contains('+')
    );
}

#[test]
fn king_rest_counters() {
    let base = "W:W36,K46:BK5,15:H5:F20";
    let written = |counters: &str| {
        let fen = read(Variant::Frisian, &format!("{base}{counters}"));
        fen.strip_prefix(base).unwrap().to_owned()
    };
    // Black's comes first, as in lidraughts; earlier versions wrote White's first.
    for text in [":+0+346", ":+346+0"] {
        assert_eq!(written(text), ":+0+346", "{text}");
    }
    for text in [":+105+346", ":+346+105"] {
        assert_eq!(written(text), ":+105+346", "{text}");
    }
    assert_eq!(written(":+205+0"), ":+205+0");
    assert_eq!(written(""), ":+0+0");
    // A count without a square, and a square without a count, are ignored.
    assert_eq!(written(":+3+2"), ":+0+0");
    assert_eq!(written(":+046+005"), ":+0+0");
    // A side without men is not restricted.
    assert_eq!(
        read(Variant::Frisian, "W:WK46:B15:+346+0"),
        "W:WK46:B15:H0:F1:+0+0"
    );
    // Other rules have no counters.
    assert_eq!(read(Variant::FrisianPlain, &format!("{base}:+346+0")), base);
    let position = Position::from_fen(Variant::Frisian, &format!("{base}:+346+105")).unwrap();
    let square = |number| position.board().square(number).unwrap();
    assert_eq!(position.king_rest(Color::White), Some((square(46), 3)));
    assert_eq!(position.king_rest(Color::Black), Some((square(5), 1)));
    assert_eq!(position.resting_king(Color::White), square(46).bit());
    assert!(position.resting_king(Color::Black).is_empty());
}

#[test]
fn errors_say_what_is_wrong_and_how_to_mend_it() {
    check_english_errors(&[
        (
            "",
            "FEN starts with ``: it must start with the side to move, W or B, then a colon",
        ),
        (
            "Q:W1:B2",
            "FEN starts with `Q`: it must start with the side to move, W or B, then a colon",
        ),
        (
            "W:W21",
            "FEN has no field for black: add `:B` and its squares",
        ),
        (
            "W:B1",
            "FEN has no field for white: add `:W` and its squares",
        ),
        (
            "W:W21:B1:X5",
            "unknown FEN field `X5`: expected W.., B.., H.., F.. or +..",
        ),
        (
            "W:W21:B1::H0",
            "unknown FEN field ``: expected W.., B.., H.., F.. or +..",
        ),
        (
            "W:W21:B1:W22",
            "FEN field `W22` comes a second time: merge it with the first",
        ),
        (
            "W:W21,Q2:B1",
            "`Q2` in FEN field `W21,Q2` is not a square: write a number, K before kings, or a \
             range such as 1-4",
        ),
    ]);
}

#[test]
fn errors_in_squares_and_counters() {
    check_english_errors(&[
        (
            "W:W33:B1",
            "square 33 is not on the english board: its squares are 1 to 32",
        ),
        (
            "W:W0:B1",
            "square 0 is not on the english board: its squares are 1 to 32",
        ),
        (
            "W:W30-33:B1",
            "square 33 is not on the english board: its squares are 1 to 32",
        ),
        (
            "W:W24-21:B1",
            "range 24-21 in FEN runs backwards: write 21-24",
        ),
        (
            "W:W21,22,21:B1",
            "square 21 is taken twice in FEN: list each square once",
        ),
        (
            "W:W21,K21:B1",
            "square 21 is taken twice in FEN: list each square once",
        ),
        (
            "W:W21,22:B1,22",
            "square 22 is taken twice: list each square once",
        ),
        (
            "W:W4:B1",
            "white man on 4, its last row: a man is crowned there, write K4",
        ),
        (
            "W:W21:B30",
            "black man on 30, its last row: a man is crowned there, write K30",
        ),
        (
            "W:W13-25:B1",
            "white has 13 pieces: a side has at most 12 on this board",
        ),
        (
            "W:W21:B1:H-1",
            "FEN field `H-1` is out of range: write H0 to H65535",
        ),
        (
            "W:W21:B1:H70000",
            "FEN field `H70000` is out of range: write H0 to H65535",
        ),
        (
            "W:W21:B1:F0",
            "FEN field `F0` is out of range: write F1 to F65535",
        ),
    ]);
}

fn check_english_errors(cases: &[(&str, &str)]) {
    for (fen, expected) in cases {
        assert_eq!(error(Variant::English, fen), *expected, "{fen}");
    }
}

#[test]
fn errors_in_king_rest_counters() {
    let cases = [
        (":+446+0", "white's king rest counter is 4: write 0 to 3"),
        (
            ":+347+0",
            "black's king rest counter names square 47, where black has no king: write 0",
        ),
        (
            ":+0+115",
            "white's king rest counter names square 15, where white has no king: write 0",
        ),
        (
            ":+151+0",
            "square 51 is not on the frisian board: its squares are 1 to 50",
        ),
        (
            ":+346",
            "FEN field `+346` does not give king rest counters: write +<black>+<white>, each 0 or \
             a count and the two-digit square of that side's king, such as +0+346",
        ),
    ];
    for (counters, expected) in cases {
        let fen = format!("W:W36,K46:BK5,15{counters}");
        assert_eq!(error(Variant::Frisian, &fen), expected, "{fen}");
    }
    for counters in [
        ":+35+0",
        ":+3464+0",
        ":+146+246",
        ":++",
        ":+é4+0",
        ":+0+0+0",
        ":+3a6+0",
    ] {
        let fen = format!("W:W36,K46:BK5,15{counters}");
        assert!(
            error(Variant::Frisian, &fen).contains("does not give"),
            "{fen}"
        );
    }
}

#[test]
fn the_ring_board_refuses_men_on_the_edge_row_only() {
    assert!(Position::from_fen(Variant::Ringboard, "W:W6,7:B44,45").is_ok());
    assert!(error(Variant::Ringboard, "W:W3:B44").contains("white man on 3, its last row"));
    assert!(error(Variant::Ringboard, "W:W30:B48").contains("black man on 48, its last row"));
}

#[test]
fn counters_do_not_overflow() {
    let fen = "B:WK1:BK32:H65535:F65535";
    let position = Position::from_fen(Variant::English, fen).unwrap();
    let next = position.play(position.legal_moves()[0]);
    assert_eq!((next.no_progress(), next.full_move()), (65535, 65535));
}

#[test]
fn a_king_rests_as_often_as_the_rules_know() {
    let position = Position::from_fen(Variant::Frisian, "W:W30,K46:B15,K5").unwrap();
    let square = |number| position.board().square(number).unwrap();
    let limit = Variant::Frisian.rules().king_rest_limit;
    let with = |number, count| {
        let mut setup = position.setup();
        setup.king_rests[Color::White.index()] = Some((square(number), count));
        Position::new(Variant::Frisian, &setup)
    };
    assert!(with(46, 1).is_ok() && with(46, limit).is_ok());
    for count in [0, limit + 1, u8::MAX] {
        let error = with(46, count).unwrap_err();
        assert!(matches!(error, SetupError::RestCount { .. }), "{error}");
    }
    for square in [30, 5, 20] {
        let error = with(square, 1).unwrap_err();
        assert!(
            matches!(error, SetupError::RestWithoutKing { .. }),
            "{error}"
        );
    }
}

#[test]
fn a_failed_test_names_the_position() {
    let position = Position::from_fen(Variant::English, "W:WK23:BK32:H5").unwrap();
    assert_eq!(
        format!("{position:?}"),
        "Position(english W:WK23:BK32:H5:F1)"
    );
}

#[test]
fn marks_around_a_fen_are_left_out() {
    let plain = Position::from_fen(Variant::English, "W:W21:B1");
    for text in [
        "'W:W21:B1'",
        "“W:W21:B1”",
        "«W:W21:B1.»",
        "FEN \"W:W21:B1\"",
        "[fen \"W:W21:B1\"]",
        "W:W21:B1;",
    ] {
        assert_eq!(Position::from_fen(Variant::English, text), plain, "{text}");
    }
}
