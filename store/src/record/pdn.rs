//! Self-play games as PDN.

use rules::pdn::{PdnPly, PdnRecord};

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
        let line: Vec<PdnPly> = self.plies.iter().map(|ply| ply.mv.into()).collect();
        PdnRecord {
            tags: &tags,
            start: &self.start,
            comment: "",
            line: &line,
            end: self.result.into(),
        }
        .to_string()
    }
}
