//! Games, replayed to be measured.

use rules::{Color, Game, Outcome, Position};

/// A game with its result.
#[derive(Clone)]
pub(super) struct StudiedGame {
    /// The game.
    pub(super) game: Game,
    /// The result; `None` if it was broken off.
    pub(super) result: Option<Outcome>,
}

/// Pieces from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Material {
    pub(super) turn: Color,
    /// All pieces of the side to move and of the other one.
    pub(super) pieces: [usize; 2],
    pub(super) kings: [usize; 2],
}

impl Material {
    pub(super) fn of(position: &Position) -> Material {
        let turn = position.turn();
        let armies = [turn, !turn].map(|color| position.army(color));
        Material {
            turn,
            pieces: armies.map(|army| army.men + army.kings),
            kings: armies.map(|army| army.kings),
        }
    }

    /// True if both sides have the same pieces, even if the turn differs.
    pub(super) fn is_same(&self, other: &Material) -> bool {
        let mut other = *other;
        if other.turn != self.turn {
            other.turn = self.turn;
            other.pieces.reverse();
            other.kings.reverse();
        }
        *self == other
    }

    /// All pieces.
    pub(super) fn count(&self) -> usize {
        self.pieces.iter().sum()
    }
}

/// A replayed game.
pub(super) struct Trace {
    pub(super) start: Position,
    pub(super) result: Option<Outcome>,
    /// [ply] Legal moves.
    pub(super) n_moves: Vec<usize>,
    pub(super) captures: usize,
    /// The first side that led.
    pub(super) leader: Option<Color>,
    /// Each material of the game, at the first position with it where no capture is possible.
    pub(super) material: Vec<Material>,
}

impl Trace {
    pub(super) fn new(studied: &StudiedGame) -> Trace {
        let (start, moves) = (*studied.game.start(), studied.game.moves());
        let mut trace = Trace {
            start,
            result: studied.result,
            n_moves: Vec::with_capacity(moves.len()),
            captures: 0,
            leader: None,
            material: Vec::new(),
        };
        let mut position = start;
        for mv in moves {
            let legal = position.legal_moves();
            trace.n_moves.push(legal.len());
            trace.captures += usize::from(mv.is_capture());
            if !legal.iter().any(|mv| mv.is_capture()) {
                trace.see(&position);
            }
            position = position.play(*mv);
        }
        trace
    }

    /// Looks at a position without captures.
    fn see(&mut self, position: &Position) {
        let material = Material::of(position);
        let [ours, theirs] = material.pieces;
        if ours != theirs {
            let turn = material.turn;
            self.leader
                .get_or_insert(if ours > theirs { turn } else { !turn });
        }
        let last = self.material.last();
        if last.is_none_or(|last| !last.is_same(&material)) {
            self.material.push(material);
        }
    }
}
