//! Match games as PDN.

use engine::Fault;
use rules::Color;
use rules::pdn::{PdnPly, PdnRecord};
use types::{Wdl, tidy};

use super::game::MatchGame;
use super::result::MatchResult;
use crate::adjudication::Resignation;

impl MatchGame {
    /// `pair.game`, both counted from 1.
    pub fn round(&self) -> String {
        format!("{}.{}", self.pair + 1, 1 + u8::from(self.swapped))
    }

    /// The game in PDN; `names` are the names of the match's sides.
    ///
    /// A comment such as `{+0.412}` after a move is the mover's evaluation: its probability of
    /// winning minus that of losing, +1 for a win, -1 for a loss. Opening moves, and moves of
    /// players without evaluations, have none.
    pub fn to_pdn(&self, names: &[String; 2], event: &str) -> String {
        let side = |color| usize::from(self.color(0) != color);
        let round = self.round();
        let fault = self.fault.as_ref().map(Fault::to_string);
        let mut tags = vec![
            ("Event", event),
            ("Round", round.as_str()),
            ("White", names[side(Color::White)].as_str()),
            ("Black", names[side(Color::Black)].as_str()),
        ];
        tags.extend(fault.as_deref().map(|fault| ("Forfeit", fault)));
        let resignation = self.resignation.filter(|resignation| resignation.audited);
        let would_resign = resignation.map(|Resignation { color, ply, .. }| {
            format!("{color} would have resigned after ply {ply}")
        });
        tags.extend(would_resign.as_deref().map(|text| ("Audit", text)));
        let opening = self.opening.moves.iter().map(|mv| PdnPly::from(*mv));
        let played = self.moves.iter().zip(&self.values);
        let played = played.map(|(mv, value)| PdnPly {
            comment: comment(value),
            ..(*mv).into()
        });
        let line: Vec<PdnPly> = opening.chain(played).collect();
        let start = &self.opening.start;
        PdnRecord {
            tags: &tags,
            start,
            comment: "",
            line: &line,
            end: Some(self.outcome).into(),
        }
        .to_string()
    }
}

fn comment(value: &Option<Wdl>) -> String {
    value.map_or(String::new(), |value| {
        format!("{:+.3}", tidy(value.value().into(), 3))
    })
}

impl MatchResult {
    /// The newest pair of games in PDN.
    pub fn newest_pair_to_pdn(&self, event: &str) -> String {
        let games = self.games.iter().skip(self.games.len().saturating_sub(2));
        games.map(|game| game.to_pdn(&self.names, event)).collect()
    }
}
