//! Endgame databases, whose game the first byte says.

use endgame::Database;
use rules::Variant;

/// What is a database is written as it was read.
pub(crate) fn endgame(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let variant = Variant::ALL[usize::from(*first) % Variant::ALL.len()];
    if let Ok(database) = Database::read(bytes, variant) {
        let mut written = Vec::new();
        database
            .write(&mut written)
            .expect("memory takes everything");
        assert!(Database::read(&written[..], variant).expect("it was just written") == database);
    }
}
