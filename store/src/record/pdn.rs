//! Self-play games as PDN.

use rules::Move;
use rules::pdn::PdnRecord;

use super::Record;

impl Record {
    /// The game as PDN, with `player` as the name of both sides.
    #[must_use]
    pub fn to_pdn(&self, player: &str) -> String {
        let round = self.header.id.to_string();
        let tags = [
            ("Event", "crownhead self-play"),
            ("Round", round.as_str()),
            ("White", player),
            ("Black", player),
        ];
        let moves: Vec<Move> = self.plies.iter().map(|ply| ply.mv).collect();
        PdnRecord {
            tags: &tags,
            start: &self.start,
            moves: &moves,
            comments: &[],
            end: self.result.into(),
        }
        .to_string()
    }
}
