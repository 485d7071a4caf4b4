//! The functions of the DLL, called as CheckerBoard calls them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::time::{Duration, Instant};

use crownhead_checkerboard::{
    Cells, CheckerBoardMove, Coordinates, Engine, enginecommand, getmove, islegal, time_left,
};
use engine::TimeLeft;

const BLACK: c_int = 2;

fn command(text: &str) -> (c_int, String) {
    let text = CString::new(text).expect("a text without zeros");
    let mut reply = [0 as c_char; 1024];
    // SAFETY: both texts are long enough.
    let known = unsafe { enginecommand(text.as_ptr(), reply.as_mut_ptr()) };
    // SAFETY: the reply ends with a zero.
    let reply = unsafe { CStr::from_ptr(reply.as_ptr()) };
    (known, reply.to_string_lossy().into_owned())
}

/// The board at the start of english, where black has the squares 1 to 12.
fn start() -> Cells {
    let mut cells = Cells::default();
    for n in 0..32 {
        let (rank, file) = (n / 4, 2 * (3 - n % 4) + (n / 4) % 2);
        cells[file][rank] = match n {
            0..12 => 6,
            20.. => 5,
            _ => 0,
        };
    }
    cells
}

struct Played {
    result: c_int,
    cells: Cells,
    mv: CheckerBoardMove,
    status: String,
}

fn choose(cells: &Cells, color: c_int, seconds: f64, play_now: c_int) -> Played {
    let (mut cells, mut mv, mut play_now) = (*cells, CheckerBoardMove::default(), play_now);
    let mut status = [0 as c_char; 1024];
    // SAFETY: everything is as large as the interface says.
    let result = unsafe {
        getmove(
            &mut cells,
            color,
            seconds,
            status.as_mut_ptr(),
            &mut play_now,
            0,
            0,
            &mut mv,
        )
    };
    // SAFETY: the status ends with a zero.
    let status = unsafe { CStr::from_ptr(status.as_ptr()) };
    Played {
        result,
        cells,
        mv,
        status: status.to_string_lossy().into_owned(),
    }
}

/// The number of a square.
fn number(square: Coordinates) -> c_int {
    square.y * 4 + 4 - (square.x - square.y % 2) / 2
}

fn fen(cells: &Cells, color: c_int) -> String {
    let pieces = |side: c_int| {
        let all = (0..64).map(|i| Coordinates { x: i / 8, y: i % 8 });
        let own = all.filter(|at| cells[at.x as usize][at.y as usize] & 3 == side);
        let text = own.map(|at| match cells[at.x as usize][at.y as usize] & 8 {
            0 => number(at).to_string(),
            _ => format!("K{}", number(at)),
        });
        text.collect::<Vec<_>>().join(",")
    };
    let turn = if color == BLACK { 'B' } else { 'W' };
    format!("{turn}:W{}:B{}", pieces(1), pieces(2))
}

#[test]
fn a_whole_game_is_legal_and_ends() {
    let mut cells = start();
    let mut color = BLACK;
    let mut history = fen(&cells, color);
    for ply in 0..400 {
        assert_eq!(
            command(&format!("set gamehist {history}")).0,
            1,
            "{history}"
        );
        let Played {
            result,
            cells: after,
            mv,
            status,
        } = choose(&cells, color, 0.002, 0);
        if result != 3 {
            assert!(ply > 30, "{result} after {ply} plies");
            return;
        }
        assert_ne!(cells, after, "{status}");
        // The board is the one that the description of the move gives.
        let mut expected = cells;
        *mv.from.cell(&mut expected) = 0;
        for captured in &mv.captured[..mv.jumps as usize] {
            assert_ne!(*captured.cell(&mut expected), 0);
            *captured.cell(&mut expected) = 0;
        }
        *mv.to.cell(&mut expected) = mv.new_piece;
        assert_eq!(expected, after);
        (cells, color) = (after, 3 - color);
        history = match mv {
            CheckerBoardMove {
                jumps: 0,
                old_piece: 9..,
                ..
            } => {
                format!("{history} {}-{}", number(mv.from), number(mv.to))
            }
            _ => fen(&cells, color),
        };
    }
    panic!("the game does not end");
}

#[test]
fn a_history_that_cannot_be_read_is_refused() {
    let mut engine = Engine::new("english");
    for (history, known) in [
        ("W:WK29:BK1", true),
        ("W:WK29:BK1 29-25", true),
        ("W:WK29:BK1 1-5", false),
    ] {
        let reply = engine.command(&format!("set gamehist {history}"));
        assert_eq!(reply.is_some(), known, "{history}");
    }
}

#[test]
fn play_now_and_time_are_respected() {
    let start_time = Instant::now();
    let played = choose(&start(), BLACK, 60.0, 1);
    assert_eq!(played.result, 3);
    assert!(
        start_time.elapsed() < Duration::from_secs(20),
        "{:?}",
        start_time.elapsed()
    );
}

#[test]
fn the_three_units_of_the_clock_are_read() {
    let more = (120 << 16) | 5;
    for (bits, unit) in [(1, 1), (2, 10), (3, 100)] {
        let TimeLeft::Game {
            time,
            increment,
            moves,
        } = time_left(1.0, bits << 2, more)
        else {
            panic!("no clock");
        };
        assert_eq!(time, Duration::from_millis(120 * unit));
        assert_eq!(increment, Duration::from_millis(5 * unit));
        assert_eq!(moves, None);
    }
    // The upper half of the number uses its sign.
    let TimeLeft::Game { time, .. } = time_left(1.0, 4, 0xffff_0000_u32 as c_int) else {
        panic!("no clock");
    };
    assert_eq!(time, Duration::from_millis(65_535));
    for odd in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(matches!(time_left(odd, 0, 0), TimeLeft::Move(_)), "{odd}");
    }
}

#[test]
fn commands_are_answered_or_marked_as_unknown() {
    assert_eq!(command("get protocolversion"), (1, "2".to_owned()));
    assert_eq!(command("get gametype"), (1, "21".to_owned()));
    assert!(command("name").1.starts_with("Crownhead"));
    assert_eq!(command("set hashsize 16"), (1, "16".to_owned()));
    assert_eq!(command("get hashsize"), (1, "16".to_owned()));
    for unknown in [
        "set hashsize 0",
        "set hashsize 99999999",
        "set book 2",
        "help",
        "",
        "get book",
    ] {
        assert_eq!(command(unknown), (0, "?".to_owned()), "{unknown}");
    }
    assert_eq!(command("get movelist B:W:B"), (1, "movelist 0".to_owned()));
}

#[test]
fn legal_moves_are_told_from_others() {
    let cells = start();
    let mut mv = CheckerBoardMove::default();
    // SAFETY: the board and the move are as large as the interface says.
    let mut ask = |from, to| unsafe { islegal(&cells, BLACK, from, to, &mut mv) };
    assert_eq!(
        (ask(11, 15), ask(11, 16), ask(11, 18), ask(0, 99)),
        (1, 1, 0, 0)
    );
    let ask_without_move = |color| {
        // SAFETY: the board is as large as the interface says, and the move may be null.
        unsafe { islegal(&cells, color, 11, 15, ptr::null_mut()) }
    };
    assert_eq!((ask_without_move(BLACK), ask_without_move(7)), (1, 0));
}

#[test]
fn a_board_that_is_no_position_is_reported() {
    let played = choose(&[[15; 8]; 8], BLACK, 0.01, 0);
    assert_eq!(played.result, 3);
    assert!(played.status.contains("no piece"), "{}", played.status);
}
