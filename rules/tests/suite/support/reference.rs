//! A slow and simple reference move generator: rows and columns, and every path of every capture.
//!
//! It shares only the table of rules with the real one.

use std::collections::BTreeMap;

use rules::{
    Color, Criterion, Directions, Goal, Lifting, Piece, Position, Promotion, Reach, Rules,
};

/// (start, end, victims) as numbers of squares in row-by-row order, from 1.
pub(crate) type Identity = (usize, usize, Vec<usize>);

type Cell = (i32, i32);
/// The side, and true for a king.
type Man = (Color, bool);

/// The legal moves, each with its smallest path.
pub(crate) fn moves(position: &Position) -> BTreeMap<Identity, Vec<usize>> {
    let grid = Grid::new(position);
    let rules = position.variant().rules();
    if rules.goal == Goal::FirstKing && grid.pieces.values().any(|(_, is_king)| *is_king) {
        return BTreeMap::new();
    }
    let mut captures = Vec::new();
    for (&cell, &piece) in grid
        .pieces
        .iter()
        .filter(|(_, piece)| piece.0 == position.turn())
    {
        let mut rest = grid.clone();
        rest.pieces.remove(&cell);
        rest.captures(piece, &mut vec![cell], &mut Vec::new(), true, &mut captures);
    }
    for criterion in rules.priority {
        let value = |capture: &Capture| grid.value(*criterion, capture);
        let best = captures.iter().map(value).max();
        captures.retain(|capture| Some(value(capture)) == best);
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
    pieces: BTreeMap<Cell, Man>,
}

const DIAGONALS: [Cell; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
/// A step along a row or column goes to the next dark square.
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
                let n = position.board().token(square);
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

    fn rules(&self) -> &'static Rules {
        self.position.variant().rules()
    }

    /// The value of a capture by a criterion.
    fn value(&self, criterion: Criterion, (path, victims): &Capture) -> usize {
        let kings = victims.iter().filter(|cell| self.pieces[cell].1).count();
        match criterion {
            Criterion::MostPieces => victims.len(),
            Criterion::MostKings => kings,
            Criterion::FrisianValue => 100 * victims.len() + 99 * kings,
            Criterion::ByKing => usize::from(self.pieces[&path[0]].1),
            Criterion::KingsFirst => victims.iter().fold(0, |order, cell| {
                2 * order + usize::from(self.pieces[cell].1)
            }),
        }
    }

    fn simple_moves(&self) -> Vec<(Cell, Cell)> {
        let us = self.position.turn();
        let rules = self.rules();
        let inner_only = rules.simple_area != rules.board.mask();
        let resting = match self.position.king_rest(us) {
            Some((square, 3)) => self.position.board().token(square) + 1,
            _ => 0,
        };
        let mut moves = Vec::new();
        for (&from, &(color, is_king)) in &self.pieces {
            if color != us || (is_king && self.number(from) == resting) {
                continue;
            }
            let kind = kind(rules, is_king);
            let goes_far = kind.reach != Reach::Short;
            for step in steps(kind.steps, us) {
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

    /// Adds every way in which a piece that has come along `path` can continue and finish its
    /// capture. It may not end here if it could continue from another square beyond its last
    /// victim.
    fn captures(
        &self,
        piece: Man,
        path: &mut Vec<Cell>,
        victims: &mut Vec<Cell>,
        may_end: bool,
        found: &mut Vec<Capture>,
    ) {
        let rules = self.rules();
        let (us, is_king) = piece;
        let at = path[path.len() - 1];
        let crowned_row = if us == Color::White { 0 } else { self.size - 1 };
        let is_crowned = !victims.is_empty() && !is_king && at.0 == crowned_row;
        let piece = (
            us,
            is_king || is_crowned && rules.promotion == Promotion::InPassing,
        );
        let jumps = match rules.promotion {
            Promotion::EndsMove if is_crowned => Vec::new(),
            _ => self.jumps(piece, at, victims),
        };
        if !victims.is_empty() && (rules.may_stop_capture || (jumps.is_empty() && may_end)) {
            found.push((path.clone(), victims.clone()));
        }
        for &(victim, landing) in &jumps {
            let mut next = self.clone();
            if rules.lifting == Lifting::AtOnce {
                next.pieces.remove(&victim);
            }
            victims.push(victim);
            let beside = jumps
                .iter()
                .filter(|jump| jump.0 == victim && jump.1 != landing);
            let may_end = beside
                .map(|jump| next.jumps(piece, jump.1, victims))
                .all(|further| further.is_empty());
            path.push(landing);
            next.captures(piece, path, victims, may_end, found);
            path.pop();
            victims.pop();
        }
    }

    fn jumps(&self, piece: Man, from: Cell, victims: &[Cell]) -> Vec<(Cell, Cell)> {
        let (us, is_king) = piece;
        let kind = kind(self.rules(), is_king);
        let mut jumps = Vec::new();
        for step in steps(kind.jumps, us) {
            let furthest = if kind.reach == Reach::Short {
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
                .is_some_and(|(color, is_king)| *color != us && (!is_king || kind.captures_kings));
            if !is_enemy || victims.contains(&victim) {
                continue;
            }
            let free = |d: &i32| self.is_empty(along(from, step, *d));
            let landings = (distance + 1..distance + self.size).take_while(free);
            let n = if kind.reach == Reach::Flying {
                usize::MAX
            } else {
                1
            };
            jumps.extend(landings.take(n).map(|d| (victim, along(from, step, d))));
        }
        jumps
    }
}

fn kind(rules: &Rules, is_king: bool) -> Piece {
    if is_king { rules.king } else { rules.man }
}

/// The steps in these directions: forward diagonals, all diagonals, rows and columns.
fn steps(directions: Directions, color: Color) -> Vec<Cell> {
    let forward = if color == Color::White { -1 } else { 1 };
    let is_meant = |step: &Cell| match *step {
        (rows, columns) if rows == 0 || columns == 0 => directions.contains(Directions::STRAIGHT),
        (rows, _) if rows == forward => directions.contains(Directions::FORWARD),
        _ => directions.contains(Directions::DIAGONAL),
    };
    let all = DIAGONALS.into_iter().chain(STRAIGHTS);
    all.filter(is_meant).collect()
}

fn along((row, column): Cell, step: Cell, distance: i32) -> Cell {
    (row + step.0 * distance, column + step.1 * distance)
}
