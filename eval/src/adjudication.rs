//! Games that end early: resignation and draws by agreement.
//!
//! Both use the players' evaluations ([`engine::Choice::value`]). A player without evaluations
//! neither resigns nor agrees; a single move without one, such as a forced move, changes nothing.
//! Both are off by default: they save moves, but trust evaluations that may be wrong. Some games
//! are played on after a resignation ([`Resign::audit`]), which measures how often it was wrong.

use std::fmt;

use rand::RngExt;
use rules::Color;
use types::Seed;

/// Adjudication rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjudication {
    /// Resignation rule; `None` for never.
    pub resign: Option<Resign>,
    /// Draw agreement rule; `None` for never.
    pub draw: Option<DrawAgreement>,
}

/// A side resigns if ...
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resign {
    /// ... its evaluation is at most this, from -1 for a loss to 1 for a win, ...
    pub at_most: f32,
    /// ... on this many consecutive turns of its own; at least one.
    pub turns: u32,
    /// Fraction of games, 0 to 1, in which a resignation is only recorded and the game is played to
    /// its end.
    pub audit: f64,
}

/// The sides agree to a draw if ...
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawAgreement {
    /// ... both evaluations are at most this far from 0, on the scale from -1 for a loss to 1 for a
    /// win, ...
    pub within: f32,
    /// ... on this many consecutive plies; at least one ...
    pub plies: u32,
    /// ... and at least this many plies were played, including the opening: an even position at the
    /// start is not a draw.
    pub after_ply: u32,
}

/// A resignation, carried out or only recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resignation {
    /// The side that resigned.
    pub color: Color,
    /// Plies played before it, the opening included.
    pub ply: u32,
    /// True if the game was played to its end.
    pub audited: bool,
}

impl Adjudication {
    /// Every game is played to its end.
    pub const OFF: Adjudication = Adjudication {
        resign: None,
        draw: None,
    };
}

impl Resign {
    /// True if a resignation in this game is only recorded.
    pub(crate) fn audits(&self, seed: Seed, pair: usize, swapped: bool) -> bool {
        let game = seed.derive("audit", &[pair as u64, swapped.into()]);
        game.rng().random_bool(self.audit.clamp(0.0, 1.0))
    }
}

impl fmt::Display for Adjudication {
    /// Empty if both are off.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resign = self.resign.map(|resign| {
            let (at_most, turns) = (resign.at_most, resign.turns);
            format!(
                "resign at {at_most} for {turns} turns, audit {}",
                resign.audit
            )
        });
        let draw = self.draw.map(|draw| {
            let (within, plies) = (draw.within, draw.plies);
            format!(
                "draw within {within} for {plies} plies after {}",
                draw.after_ply
            )
        });
        let rules: Vec<String> = [resign, draw].into_iter().flatten().collect();
        f.write_str(&rules.join("; "))
    }
}

/// The sides' evaluations so far, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expectations {
    /// [side] consecutive turns at or below the limit for resigning.
    hopeless: [u32; 2],
    /// [side] consecutive turns within the limit for a draw.
    even: [u32; 2],
}

/// The consequence of the evaluations after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    PlayOn,
    Resign,
    Draw,
}

impl Expectations {
    /// Adds the evaluation of `side` after its move; `plies` have been played.
    pub(crate) fn update(
        &mut self,
        terms: &Adjudication,
        side: usize,
        value: Option<f32>,
        plies: u32,
    ) -> Ruling {
        let Some(value) = value else {
            return Ruling::PlayOn;
        };
        let count = |turns: u32, holds: bool| if holds { turns + 1 } else { 0 };
        if let Some(resign) = terms.resign {
            self.hopeless[side] = count(self.hopeless[side], value <= resign.at_most);
            if self.hopeless[side] >= resign.turns.max(1) {
                return Ruling::Resign;
            }
        }
        if let Some(draw) = terms.draw {
            self.even[side] = count(self.even[side], value.abs() <= draw.within);
            let turns = draw.plies.max(1).div_ceil(2);
            if self.even.iter().all(|&even| even >= turns) && plies >= draw.after_ply {
                return Ruling::Draw;
            }
        }
        Ruling::PlayOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Adjudication = Adjudication {
        resign: Some(Resign {
            at_most: -0.9,
            turns: 2,
            audit: 0.25,
        }),
        draw: Some(DrawAgreement {
            within: 0.1,
            plies: 3,
            after_ply: 5,
        }),
    };

    fn wishes(terms: &Adjudication, values: &[Option<f32>]) -> Vec<Ruling> {
        let mut expectations = Expectations::default();
        let said = values.iter().enumerate();
        said.map(|(ply, value)| expectations.update(terms, ply % 2, *value, ply as u32 + 1))
            .collect()
    }

    #[test]
    fn a_side_resigns_after_turns_of_its_own_in_a_row() {
        let values = [-0.9, 0.8, -0.5, 0.8, -1.0, 0.8, -0.95].map(Some);
        let mut expected = vec![Ruling::PlayOn; 7];
        expected[6] = Ruling::Resign;
        assert_eq!(wishes(&BOTH, &values), expected);
    }

    #[test]
    fn a_draw_takes_both_sides_and_enough_plies() {
        let values = [0.0, 0.1, -0.1, 0.2, 0.0, 0.0, 0.0, 0.05].map(Some);
        let mut expected = vec![Ruling::PlayOn; 8];
        expected[7] = Ruling::Draw;
        assert_eq!(wishes(&BOTH, &values), expected);
        let silent = [Some(0.0), None, Some(0.0), None, Some(0.0), None, Some(0.0)];
        assert!(
            wishes(&BOTH, &silent)
                .iter()
                .all(|&ruling| ruling == Ruling::PlayOn)
        );
    }

    #[test]
    fn a_forced_move_changes_nothing() {
        let values = [Some(-1.0), Some(0.0), None, Some(0.0), Some(-1.0)];
        assert_eq!(wishes(&BOTH, &values)[4], Ruling::Resign);
        let values = [Some(0.0), Some(0.0), None, Some(0.0), Some(0.0)];
        assert_eq!(wishes(&BOTH, &values)[4], Ruling::Draw);
    }

    #[test]
    fn nobody_asks_for_anything_when_it_is_off() {
        let values = [Some(-1.0), Some(0.0)].repeat(300);
        let wishes = wishes(&Adjudication::OFF, &values);
        assert!(wishes.iter().all(|&ruling| ruling == Ruling::PlayOn));
    }

    #[test]
    fn what_is_off_is_not_named() {
        let resign = "resign at -0.9 for 2 turns, audit 0.25";
        let draw = "draw within 0.1 for 3 plies after 5";
        assert_eq!(BOTH.to_string(), format!("{resign}; {draw}"));
        let text = |terms: Adjudication| terms.to_string();
        assert_eq!(text(Adjudication { draw: None, ..BOTH }), resign);
        let resign = None;
        assert_eq!(text(Adjudication { resign, ..BOTH }), draw);
        assert_eq!(Adjudication::OFF.to_string(), "");
    }

    #[test]
    fn about_the_share_that_was_asked_for_is_played_on() {
        let audited = |audit| {
            let resign = Resign {
                at_most: 0.0,
                turns: 1,
                audit,
            };
            (0..4000)
                .filter(|&pair| resign.audits(Seed::new(1), pair, false))
                .count()
        };
        assert_eq!((audited(0.0), audited(1.0)), (0, 4000));
        assert!((900..1100).contains(&audited(0.25)), "{}", audited(0.25));
    }
}
