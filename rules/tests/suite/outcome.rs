//! Results, and the order in which the rules are checked (1.6).

use rules::{Color, DrawReason, Game, Goal, Outcome, Position, Variant, WinReason};

fn outcome(variant: Variant, fen: &str) -> Option<Outcome> {
    Position::from_fen(variant, fen).unwrap().outcome()
}

#[test]
fn a_lost_game_is_not_drawn() {
    let blocked = Some(Outcome::Win(Color::White, WinReason::Blocked));
    assert_eq!(outcome(Variant::English, "B:W25,30:B21:H80"), blocked);
    for variant in Variant::ALL {
        let winner = match variant.rules().goal {
            Goal::Win | Goal::FirstKing => Color::White,
            Goal::Misere => Color::Black,
        };
        let bare = Some(Outcome::Win(winner, WinReason::NoPieces));
        assert_eq!(outcome(variant, "B:W20:B:H99"), bare);
        assert_eq!(outcome(variant, "B:W:B"), bare);
    }
}

#[test]
fn material_draws_come_before_repetition_and_no_progress() {
    let f18 = Position::from_fen(Variant::Frisian, "B:WK46,K47:BK5:H50").unwrap();
    assert_eq!(
        f18.outcome_with(true, 2),
        Some(Outcome::Draw(DrawReason::TwoKingsVOne))
    );
    let quiet = Position::from_fen(Variant::English, "W:WK1:BK32:H80").unwrap();
    assert_eq!(
        quiet.outcome_with(true, 2),
        Some(Outcome::Draw(DrawReason::Repetition))
    );
    assert_eq!(
        quiet.outcome_with(true, 1),
        Some(Outcome::Draw(DrawReason::NoProgress))
    );
}

#[test]
fn limits_of_the_material_draws() {
    let one_each = Some(Outcome::Draw(DrawReason::OneKingEach));
    let two_v_one = Some(Outcome::Draw(DrawReason::TwoKingsVOne));
    assert_eq!(outcome(Variant::Frisian, "W:WK46:BK4:H3"), None);
    assert_eq!(outcome(Variant::Frisian, "W:WK46:BK4:H4"), one_each);
    assert_eq!(outcome(Variant::Frisian, "B:WK46,K47:BK5:H13"), None);
    assert_eq!(outcome(Variant::Frisian, "B:WK46,K47:BK5:H14"), two_v_one);
    assert_eq!(outcome(Variant::Frisian, "B:WK46:BK5,K4:H14"), two_v_one);
    assert_eq!(outcome(Variant::Frisian, "B:WK46:BK5,4:H14"), None);
    assert_eq!(outcome(Variant::FrisianPlain, "W:WK46:BK4:H49"), None);
    assert_eq!(outcome(Variant::FrisianPlain, "B:WK46,K47:BK5:H49"), None);
    for thai in [Variant::Thai, Variant::ThaiLiftAfter] {
        assert_eq!(outcome(thai, "W:WK29:BK32"), one_each);
        assert_eq!(outcome(thai, "W:WK29:BK18"), None, "a capture is on");
    }
    assert_eq!(outcome(Variant::English, "W:WK29:BK32"), None);
}

/// FMJD, Annex 1, 6.2 to 6.4, and draughts-64, 7.2.4 to 7.2.8.
#[test]
fn few_pieces_must_win_in_time() {
    for (variant, pieces, limit, why) in [
        (Variant::International, "WK46:BK4", 10, "few-pieces"),
        (Variant::International, "WK46:BK4,K5", 10, "few-pieces"),
        (Variant::International, "WK46,40:BK4", 10, "few-pieces"),
        (Variant::International, "WK46,K47,40:BK4", 32, "few-pieces"),
        (Variant::International, "WK46,41,40:BK4", 32, "few-pieces"),
        (Variant::International, "WK46:BK4,15,14", 32, "few-pieces"),
        (Variant::International, "WK46:B15,14", 50, "no-progress"),
        (Variant::International, "WK46,K47:BK4,K5", 50, "no-progress"),
        (
            Variant::International,
            "WK46,K47,K48,K49:BK4",
            50,
            "no-progress",
        ),
        (Variant::International, "WK46,K47:BK4,15", 50, "no-progress"),
        (Variant::Russian, "WK29:BK4", 10, "few-pieces"),
        (Variant::Russian, "WK29,22:BK3", 10, "few-pieces"),
        (Variant::Russian, "WK29,K30,K31:BK3", 30, "few-pieces"),
        (Variant::Russian, "WK30,K31,21:BK3", 60, "few-pieces"),
        (Variant::Russian, "WK29,K30:BK3,K2", 60, "few-pieces"),
        (Variant::Russian, "WK29,22:BK3,12,11", 60, "few-pieces"),
        (Variant::Russian, "WK29,22,23:BK3,12,11", 120, "few-pieces"),
        (
            Variant::Russian,
            "WK29,22,23,24:BK3,12,11",
            120,
            "few-pieces",
        ),
        (
            Variant::Russian,
            "WK29,22,23,24:BK3,12,11,10",
            30,
            "no-progress",
        ),
        (Variant::Russian, "WK29,K30:B12,11", 30, "no-progress"),
        (Variant::Brazilian, "WK29:BK3,K2", 10, "few-pieces"),
        (Variant::Brazilian, "WK29,22:BK3,12", 60, "few-pieces"),
    ] {
        let at = |plies| {
            let fen = format!("W:{pieces}:H{plies}");
            outcome(variant, &fen).map(Outcome::reason)
        };
        assert_eq!(at(limit - 1), None, "{variant} {pieces}");
        assert_eq!(at(limit), Some(why), "{variant} {pieces}");
    }
}

/// A game from a position, with its moves; it must not be over before the last.
fn game(variant: Variant, fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(variant, fen).unwrap());
    for text in moves.split(' ') {
        assert_eq!(game.outcome(), None, "{text}");
        game.play(game.position().parse_move(text).unwrap());
    }
    game
}

/// draughts-64, 7.2.6 to 7.2.8: the moves that restart the count.
#[test]
fn endings_are_counted_from_their_beginning() {
    let few = Some(Outcome::Draw(DrawReason::FewPieces));
    for variant in [Variant::Russian, Variant::Brazilian] {
        let counted = |fen, moves| {
            let game = game(variant, fen, moves);
            (game.position().no_progress(), game.outcome())
        };
        // 7.2.8: five moves of each side, whatever is moved.
        let moves = "a3-b4 h2-d6 c1-a3 d6-h2 b4-a5 h2-g1 a3-c1 g1-h2 a5-b6 h2-g3";
        assert_eq!(counted("W:WKc1,a3:BKh2", moves), (10, few));
        // A promotion does not restart it, nor does a capture within the ending.
        assert_eq!(counted("W:WKc1,a7:BKh4:H3", "a7-b8").0, 4);
        assert_eq!(counted("B:WKc1,g3:BKh4:H3", "h4xf2").0, 4);
        // The first king of a side does, and so does the capture that leads to the ending.
        assert_eq!(counted("W:Wa7:BKh2:H3", "a7-b8").0, 0);
        assert_eq!(counted("B:WKc1,g3,a5:BKh4:H3", "h4xf2").0, 0);
        // 7.2.6: a capture or a promotion, but no other man move.
        assert_eq!(counted("W:WKc1,a3:BKh2,h8:H31", "a3-b4").0, 32);
        assert_eq!(counted("W:WKc1,a3,c3:BKh2,h6,h4:H31", "a3-b4").0, 32);
        assert_eq!(counted("W:WKc1,a7:BKh2,h6:H31", "a7-b8").0, 0);
        assert_eq!(counted("W:WKc1,a3:BKh2,h6:H59", "a3-b4"), (60, few));
        // 7.2.5: with more pieces, and where a side has no king, any man move.
        assert_eq!(counted("W:WKc1,a3,c3,e3:BKh2,h6,h4,f6:H9", "a3-b4").0, 0);
        assert_eq!(counted("W:WKc1,a3:Bh6,h4:H9", "a3-b4").0, 0);
    }
    // International draughts counts from the last capture or man move.
    let game = game(Variant::International, "W:WK46,36:BK5:H3", "36-31");
    assert_eq!(game.position().no_progress(), 0);
}

/// draughts-64, 7.2.7.
#[test]
fn a_lone_king_holds_the_main_road() {
    let few = Some(Outcome::Draw(DrawReason::FewPieces));
    let fen = "W:WKb8,Kd8,a3:BKa1";
    // Five moves of each side on the main road, with a man move among them.
    let moves = "b8-a7 a1-h8 a7-b8 h8-a1 b8-a7 a1-h8 a3-b4 h8-a1 d8-e7 a1-h8";
    assert_eq!(game(Variant::Russian, fen, moves).outcome(), few);
    assert_eq!(game(Variant::Brazilian, fen, moves).outcome(), few);
    // Four pieces against the king: no such ending.
    let four = fen.replace("a3", "a3,h2");
    assert_eq!(game(Variant::Russian, &four, moves).outcome(), None);
}

#[test]
fn a_limit_of_plies_is_that_of_the_strictest_rule() {
    let army = |men, kings| rules::Army { men, kings };
    let limit = |variant: Variant, a, b| variant.rules().draws.limit(a, b);
    let lone = army(0, 1);
    assert_eq!(limit(Variant::International, lone, army(1, 1)), 10);
    assert_eq!(limit(Variant::International, army(2, 1), lone), 32);
    assert_eq!(limit(Variant::International, army(2, 0), lone), 50);
    assert_eq!(limit(Variant::Frisian, lone, army(0, 2)), 14);
    assert_eq!(limit(Variant::Frisian, lone, lone), 4);
    // Drawn immediately, or a win: no limit of its own.
    assert_eq!(limit(Variant::Thai, lone, lone), 40);
}

#[test]
fn a_side_without_moves_wins_antidraughts() {
    let won = |reason| Some(Outcome::Win(Color::Black, reason));
    let anti = |fen| outcome(Variant::Antidraughts, fen);
    assert_eq!(anti("B:W31:B"), won(WinReason::NoPieces));
    assert_eq!(anti("B:W36,41:B31"), None, "a capture backwards");
    assert_eq!(anti("B:W41,47:B36"), won(WinReason::Blocked));
}

/// As lidraughts does, which looks for kings after it has looked for moves.
#[test]
fn the_first_king_wins_breakthrough() {
    let won = |color| Some(Outcome::Win(color, WinReason::FirstKing));
    let first = |fen| outcome(Variant::Breakthrough, fen);
    for (fen, winner) in [
        ("B:WK2,31:B40", Color::White),
        ("W:W31:BK2,40", Color::Black),
        // No game leads here, but a FEN may.
        ("W:WK2,31:B40", Color::White),
        ("W:WK2:BK49", Color::Black),
    ] {
        let position = Position::from_fen(Variant::Breakthrough, fen).unwrap();
        assert_eq!(position.outcome(), won(winner), "{fen}");
        assert!(position.legal_moves().is_empty() && !position.has_moves());
    }
    assert_eq!(first("W:W8,31:B40"), None);
    let mut game = Game::new(Position::from_fen(Variant::Breakthrough, "W:W8,31:B40").unwrap());
    game.play(game.position().parse_move("8-2").unwrap());
    assert_eq!(game.outcome(), won(Color::White));
    // A man that passes the last row is not crowned.
    let mut game = Game::new(Position::from_fen(Variant::Breakthrough, "W:W13:B7,8,40").unwrap());
    game.play(game.position().parse_move("13x11").unwrap());
    assert_eq!(game.outcome(), None);
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let start = Position::from_fen(Variant::English, "W:WK1:BK32").unwrap();
    let mut game = Game::new(start);
    for round in 0..2 {
        for text in ["1-5", "32-28", "5-1", "28-32"] {
            assert_eq!(game.outcome(), None);
            assert_eq!(game.repetitions(), round);
            game.play(game.position().parse_move(text).unwrap());
        }
    }
    assert_eq!(game.repetitions(), 2);
    assert_eq!(game.earlier_hashes().len(), 8);
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
    assert!(!game.legal_moves().is_empty());
}

#[test]
fn a_game_knows_how_it_came_about() {
    let start = Position::start(Variant::Thai);
    let mut game = Game::new(start);
    while game.outcome().is_none() {
        game.play(game.legal_moves()[0]);
    }
    let mut replay = Game::new(*game.start());
    game.moves().iter().for_each(|&mv| replay.play(mv));
    assert_eq!(*replay.start(), start);
    assert_eq!(replay.position(), game.position());
    assert_eq!(replay.plies() as usize, game.moves().len());
}

#[test]
fn points_and_names() {
    let win = Outcome::Win(Color::White, WinReason::Blocked);
    assert_eq!(
        (win.half_points(Color::White), win.half_points(Color::Black)),
        (2, 0)
    );
    assert_eq!(
        (win.winner(), win.reason()),
        (Some(Color::White), "blocked")
    );
    let draw = Outcome::Draw(DrawReason::TwoKingsVOne);
    assert_eq!(
        (
            draw.half_points(Color::White),
            draw.half_points(Color::Black)
        ),
        (1, 1)
    );
    assert_eq!((draw.winner(), draw.reason()), (None, "two-kings-v-one"));
}

#[test]
fn a_game_is_called_by_who_won_it() {
    let won = |color| Some(Outcome::Win(color, WinReason::Blocked));
    assert_eq!(rules::status(None), "ongoing");
    assert_eq!(rules::status(won(Color::White)), "white");
    assert_eq!(rules::status(won(Color::Black)), "black");
    let draw = Some(Outcome::Draw(DrawReason::NoProgress));
    assert_eq!(rules::status(draw), "draw");
}
