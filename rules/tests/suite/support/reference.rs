//! A second move generator, slow and plain: rows and columns, and every path of every capture.
//!
//! It shares nothing with the first but the table of rules.

use std::collections::BTreeMap;

use rules::{Color, KingReach, Lifting, Position, Priority};

/// (start, end, victims) as square numbers.
pub(crate) type Identity = (usize, usize, Vec<usize>);

type Cell = (i32, i32);
type Piece = (Color, bool);

/// The legal moves, each with its smallest path.
pub(crate) fn moves(position: &Position) -> BTreeMap<Identity, Vec<usize>> {
    let grid = Grid::new(position);
    let rules = position.variant().rules();
    let mut captures = Vec::new();
    for (&cell, &piece) in grid
        .pieces
        .iter()
        .filter(|(_, piece)| piece.0 == position.turn())
    {
        let mut rest = grid.clone();
        rest.pieces.remove(&cell);
        rest.captures(piece, &mut vec![cell], &mut Vec::new(), &mut captures);
    }
    if rules.priority == Priority::ValueThenKing {
        let best = captures.iter().map(|capture| grid.value(capture)).max();
        captures.retain(|capture| Some(grid.value(capture)) == best);
    }
    let mut moves = BTreeMap::new();
    if captures.is_empty() || !rules.capture_is_mandatory {
        for (from, to) in grid.simple_moves() {
            let (from, to) = (grid.number(from), grid.number(to));
            moves.insert((from, to, Vec::new()), vec![from, to]);
        }
    }
    for (path, victims) in captures {
        let path: Vec<usize> = path.into_iter().map(|cell| grid.number(cell)).collect();
        let mut victims: Vec<usize> = victims.into_iter().map(|cell| grid.number(cell)).collect();
        victims.sort_unstable();
        let known = moves
            .entry((path[0], path[path.len() - 1], victims))
            .or_insert(path.clone());
        if path < *known {
            *known = path;
        }
    }
    moves
}

type Capture = (Vec<Cell>, Vec<Cell>);

#[derive(Clone)]
struct Grid<'a> {
    position: &'a Position,
    size: i32,
    pieces: BTreeMap<Cell, Piece>,
}

const DIAGONALS: [Cell; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
/// One step along a row or column goes to the next dark square.
const STRAIGHTS: [Cell; 4] = [(0, 2), (0, -2), (2, 0), (-2, 0)];

impl<'a> Grid<'a> {
    fn new(position: &'a Position) -> Grid<'a> {
        let width = position.board().width();
        let mut grid = Grid {
            position,
            size: 2 * width as i32,
            pieces: BTreeMap::new(),
        };
        for color in Color::ALL {
            for square in position.pieces(color) {
                let n = position.board().number(square) - 1;
                let row = (n / width) as i32;
                let column = 2 * (n % width) as i32 + i32::from(row % 2 == 0);
                let is_king = position.all_kings().contains(square);
                grid.pieces.insert((row, column), (color, is_king));
            }
        }
        grid
    }

    fn number(&self, (row, column): Cell) -> usize {
        (row * self.size / 2 + column / 2 + 1) as usize
    }

    fn has(&self, (row, column): Cell) -> bool {
        (0..self.size).contains(&row) && (0..self.size).contains(&column)
    }

    fn is_empty(&self, cell: Cell) -> bool {
        self.has(cell) && !self.pieces.contains_key(&cell)
    }

    fn is_ring(&self, (row, column): Cell) -> bool {
        let edge = self.size - 1;
        row == 0 || column == 0 || row == edge || column == edge
    }

    /// The priority of a capture: its value, then whether a king makes it.
    fn value(&self, (path, victims): &Capture) -> (usize, bool) {
        let worth = |cell: &Cell| if self.pieces[cell].1 { 199 } else { 100 };
        (victims.iter().map(worth).sum(), self.pieces[&path[0]].1)
    }

    fn simple_moves(&self) -> Vec<(Cell, Cell)> {
        let us = self.position.turn();
        let rules = self.position.variant().rules();
        let inner_only = rules.simple_area != rules.board.mask();
        let resting = match self.position.king_rest(us) {
            Some((square, 3)) => self.position.board().number(square),
            _ => 0,
        };
        let mut moves = Vec::new();
        for (&from, &(color, is_king)) in &self.pieces {
            if color != us || (is_king && self.number(from) == resting) {
                continue;
            }
            let goes_far = is_king && rules.king_reach != KingReach::Short;
            for step in DIAGONALS
                .into_iter()
                .filter(|step| is_king || step.0 == forward(us))
            {
                for distance in 1..if goes_far { self.size } else { 2 } {
                    let to = along(from, step, distance);
                    if !self.is_empty(to) {
                        break;
                    }
                    if !(inner_only && self.is_ring(to)) {
                        moves.push((from, to));
                    }
                }
            }
        }
        moves
    }

    /// Adds every way in which a piece that has come along `path` can go on and finish its capture.
    fn captures(
        &self,
        piece: Piece,
        path: &mut Vec<Cell>,
        victims: &mut Vec<Cell>,
        found: &mut Vec<Capture>,
    ) {
        let rules = self.position.variant().rules();
        let jumps = self.jumps(piece, path[path.len() - 1], victims);
        if !victims.is_empty() && (jumps.is_empty() || rules.may_stop_capture) {
            found.push((path.clone(), victims.clone()));
        }
        for (victim, landing) in jumps {
            let mut next = self.clone();
            if rules.lifting == Lifting::AtOnce {
                next.pieces.remove(&victim);
            }
            path.push(landing);
            victims.push(victim);
            next.captures(piece, path, victims, found);
            path.pop();
            victims.pop();
        }
    }

    fn jumps(&self, piece: Piece, from: Cell, victims: &[Cell]) -> Vec<(Cell, Cell)> {
        let rules = self.position.variant().rules();
        let (us, is_king) = piece;
        let straight = if is_king {
            rules.kings_jump_straight
        } else {
            rules.men_jump_all_ways
        };
        let backward = is_king || rules.men_jump_all_ways;
        let diagonals = DIAGONALS
            .into_iter()
            .filter(|step| backward || step.0 == forward(us));
        let straights = STRAIGHTS.into_iter().filter(|_| straight);
        let reach = if is_king {
            rules.king_reach
        } else {
            KingReach::Short
        };
        let mut jumps = Vec::new();
        for step in diagonals.chain(straights) {
            let furthest = if reach == KingReach::Short {
                1
            } else {
                self.size
            };
            let Some(distance) = (1..=furthest).find(|&d| !self.is_empty(along(from, step, d)))
            else {
                continue;
            };
            let victim = along(from, step, distance);
            let is_enemy = self
                .pieces
                .get(&victim)
                .is_some_and(|(color, _)| *color != us);
            if !is_enemy || victims.contains(&victim) {
                continue;
            }
            let free = |d: &i32| self.is_empty(along(from, step, *d));
            let landings = (distance + 1..distance + self.size).take_while(free);
            let n = if reach == KingReach::FarLandsAnywhere {
                usize::MAX
            } else {
                1
            };
            jumps.extend(landings.take(n).map(|d| (victim, along(from, step, d))));
        }
        jumps
    }
}

fn forward(color: Color) -> i32 {
    if color == Color::White { -1 } else { 1 }
}

fn along((row, column): Cell, step: Cell, distance: i32) -> Cell {
    (row + step.0 * distance, column + step.1 * distance)
}
