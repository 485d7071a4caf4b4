//! Games of self-play as PDN.

use rules::Move;
use rules::pdn::PdnRecord;
use store::Record;

/// A game, both sides of which have this name.
#[must_use]
pub fn text(record: &Record, player: &str) -> String {
    let round = record.header.id.to_string();
    let tags = [
        ("Event", "crownhead self-play"),
        ("Round", round.as_str()),
        ("White", player),
        ("Black", player),
    ];
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.mv).collect();
    PdnRecord {
        tags: &tags,
        start: &record.start,
        moves: &moves,
        comments: &[],
        outcome: record.result,
    }
    .to_string()
}
