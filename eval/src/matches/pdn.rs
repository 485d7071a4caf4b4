//! Match games as text that any draughts program reads.

use engine::Fault;
use rules::Color;
use rules::pdn::PdnRecord;

use super::game::MatchGame;
use super::result::MatchResult;

impl MatchGame {
    /// `pair.game`, both counted from 1.
    pub fn round(&self) -> String {
        format!("{}.{}", self.pair + 1, 1 + u8::from(self.swapped))
    }

    /// The game in PDN; `names` are those of the match's sides.
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
        let moves: Vec<_> = self.all_moves().collect();
        let start = &self.opening.start;
        PdnRecord {
            tags: &tags,
            start,
            moves: &moves,
            outcome: Some(self.outcome),
        }
        .to_string()
    }
}

impl MatchResult {
    /// All games in PDN, in the order played.
    pub fn to_pdn(&self, event: &str) -> String {
        self.games
            .iter()
            .map(|game| game.to_pdn(&self.names, event))
            .collect()
    }
}
