//! Results, and the order in which the rules are checked (1.6).

use rules::{Color, DrawReason, Game, Outcome, Position, Variant, WinReason};

fn outcome(variant: Variant, fen: &str) -> Option<Outcome> {
    Position::from_fen(variant, fen).unwrap().outcome()
}

#[test]
fn a_lost_game_is_not_drawn() {
    let blocked = Some(Outcome::Win(Color::White, WinReason::Blocked));
    assert_eq!(outcome(Variant::English, "B:W25,30:B21:H80"), blocked);
    let bare = Some(Outcome::Win(Color::White, WinReason::NoPieces));
    for variant in Variant::ALL {
        assert_eq!(outcome(variant, "B:WK20:B:H99"), bare);
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

/// FMJD, Annex 1, 6.2 to 6.4, and draughts-64, 7.2.5 and 7.2.8.
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
        (Variant::Russian, "WK29,K30,K31:BK3", 30, "no-progress"),
        (Variant::Brazilian, "WK29:BK3,K2", 10, "few-pieces"),
        (Variant::Brazilian, "WK29,22:BK3,12", 30, "no-progress"),
    ] {
        let at = |plies| {
            let fen = format!("W:{pieces}:H{plies}");
            outcome(variant, &fen).map(Outcome::reason)
        };
        assert_eq!(at(limit - 1), None, "{variant} {pieces}");
        assert_eq!(at(limit), Some(why), "{variant} {pieces}");
    }
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
fn whoever_cannot_move_has_lost_or_won() {
    for color in Color::ALL {
        assert_eq!(rules::Goal::Win.winner(color), !color);
        assert_eq!(rules::Goal::Misere.winner(color), color);
    }
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
