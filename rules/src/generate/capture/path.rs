//! The squares visited by a capture. The generator works with sets of victims; this finds the paths
//! of a move when notation needs them.

use std::collections::HashSet;

use super::super::color;
use super::super::kind::Kind;
use super::field::Field;
use crate::priority::Ranking;
use crate::ruleset::Ruleset;
use crate::{Move, Position, Promotion, Square};

/// The first `limit` paths of a legal capture that land on `stops` in this order between origin and
/// destination, smallest first.
pub(crate) fn paths<R: Ruleset, const WHITE: bool>(
    position: &Position,
    mv: Move,
    stops: &[Square],
    limit: usize,
) -> Vec<Vec<Square>> {
    let mut walk = Walk::<R, WHITE>::new(position, mv, limit);
    walk.collect(State::start(position, mv), stops);
    walk.found
}

/// The search for paths of one capture.
struct Walk<R, const WHITE: bool> {
    field: Field<R, WHITE>,
    end: Square,
    victims: u64,
    /// The best order of the victims, by the contributions of captured kings.
    order: u32,
    /// The squares visited so far; never empty.
    path: Vec<Square>,
    /// The paths found so far, and their maximum number.
    found: Vec<Vec<Square>>,
    limit: usize,
    /// The states, with the number of remaining stops, from which the end cannot be reached.
    dead_ends: HashSet<(State, usize)>,
}

/// The state of the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    at: Square,
    captured: u64,
    /// The contributions of captured kings to the order of captures.
    order: u32,
    /// True if the piece currently moves as a king.
    is_king: bool,
    /// True if promotion has ended the move.
    is_over: bool,
}

impl State {
    fn start(position: &Position, mv: Move) -> State {
        State {
            at: mv.from,
            captured: 0,
            order: 0,
            is_king: position.all_kings().contains(mv.from),
            is_over: false,
        }
    }
}

impl<R: Ruleset, const WHITE: bool> Walk<R, WHITE> {
    const RANKING: Ranking = Ranking::new(R::RULES.priority);

    fn new(position: &Position, mv: Move, limit: usize) -> Self {
        let mut field = Field::new(position);
        field.empty |= mv.from.bit().0;
        let mut walk = Walk {
            field,
            end: mv.to,
            victims: mv.captured.0,
            order: 0,
            path: vec![mv.from],
            found: Vec::new(),
            limit,
            dead_ends: HashSet::new(),
        };
        if Self::RANKING.first_king > 0 {
            walk.find_order(State::start(position, mv), &mut HashSet::new());
        }
        walk
    }

    /// Raises the order to the best one of a path to the end.
    fn find_order(&mut self, state: State, seen: &mut HashSet<State>) {
        if state.captured == self.victims && state.at == self.end {
            self.order = self.order.max(state.order);
        }
        for next in self.jumps(state) {
            if seen.insert(next) {
                self.find_order(next, seen);
            }
        }
    }

    /// Adds the paths over all victims that end on the move's destination, until there are enough.
    /// States from which there is none are recorded, so that the work is proportional to the paths
    /// found.
    fn collect(&mut self, state: State, stops: &[Square]) {
        if state.captured == self.victims {
            let is_at_end = state.at == self.end && state.order == self.order;
            if is_at_end && stops.is_empty() && self.found.len() < self.limit {
                self.found.push(self.path.clone());
            }
            return;
        }
        if self.dead_ends.contains(&(state, stops.len())) {
            return;
        }
        let n_before = self.found.len();
        for next in self.jumps(state) {
            if self.found.len() >= self.limit {
                return;
            }
            let stops = match stops {
                [stop, later @ ..] if *stop == next.at && next.captured != self.victims => later,
                _ => stops,
            };
            self.path.push(next.at);
            self.collect(next, stops);
            self.path.pop();
        }
        if self.found.len() == n_before {
            self.dead_ends.insert((state, stops.len()));
        }
    }

    /// The states after one more jump over a victim of the move, smallest landing square first.
    fn jumps(&self, state: State) -> Vec<State> {
        let mut jumps = match state {
            State { is_over: true, .. } => Vec::new(),
            State { is_king: true, .. } => self.jumps_as::<true>(state),
            State { .. } => self.jumps_as::<false>(state),
        };
        jumps.retain(|next| next.captured & !self.victims == 0);
        jumps.sort_unstable_by_key(|next| (next.at, next.captured));
        jumps
    }

    fn jumps_as<const KING: bool>(&self, state: State) -> Vec<State> {
        let State { at, captured, .. } = state;
        if Kind::<R, WHITE, KING>::IS_SHORT {
            let landings = self.field.landings::<KING>(at, captured).into_iter();
            return landings
                .map(|landing| self.after_jump::<KING>(state, at.midpoint(landing), landing))
                .collect();
        }
        let ways = self.field.ways_on::<KING>(at, captured);
        let directions = Kind::<R, WHITE, KING>::JUMPS.iter().enumerate();
        let open = directions.filter(|(way, _)| ways >> way & 1 == 1);
        open.flat_map(|(_, &direction)| {
            let victim = self.field.victim_along(direction, at, captured);
            let victims = captured | victim.bit().0;
            let landings = self
                .field
                .landings_behind::<KING>(direction, victim, victims);
            let is_last = victims == self.victims;
            let is_vain = is_last && self.field.must_go_on::<KING>(landings, victims);
            crate::Bitboard(if is_vain { 0 } else { landings })
                .into_iter()
                .map(move |landing| self.after_jump::<KING>(state, victim, landing))
        })
        .collect()
    }

    fn after_jump<const KING: bool>(&self, state: State, victim: Square, landing: Square) -> State {
        let is_crowned = !KING && R::RULES.crown_area(color(WHITE)).contains(landing);
        State {
            at: landing,
            captured: state.captured | victim.bit().0,
            order: match self.field.enemy_kings & victim.bit().0 {
                0 => state.order,
                _ => state.order | Self::RANKING.king_after(state.captured),
            },
            is_king: KING || is_crowned && R::RULES.promotion == Promotion::InPassing,
            is_over: is_crowned && R::RULES.promotion == Promotion::EndsMove,
        }
    }
}
