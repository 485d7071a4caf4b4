//! Players of a tournament in a form for other machines.

use roster::{Effort, LoadedPlayer, Portable, PortableKind};
use rules::Variant;
use share::{MatchSide, PortablePlayer};
use xxhash_rust::xxh3::xxh3_128;

use crate::{FleetError, Result};

/// A part of a player that is shared as a separate object: its name and its bytes.
pub(crate) type Object = (String, Vec<u8>);

/// The shared form of a player of a game, and its object if it has one.
///
/// # Errors
/// If it would play differently on another machine.
pub(crate) fn shared_form(
    player: &LoadedPlayer,
    variant: Variant,
    effort: &Effort,
) -> Result<(PortablePlayer, Option<Object>)> {
    let Portable {
        name,
        kind,
        options,
    } = player.portable(variant, effort)?;
    let (side, settings, object) = match kind {
        PortableKind::Named(name) => (MatchSide::Baseline(name), String::new(), None),
        PortableKind::Evaluation(bytes) => {
            let hash = hash(&bytes);
            let side = MatchSide::Evaluation(hash.clone());
            (side, String::new(), Some((hash, bytes)))
        }
        PortableKind::Network {
            id,
            bytes,
            settings,
        } => (MatchSide::Network(id.clone()), settings, Some((id, bytes))),
    };
    let shared = PortablePlayer {
        name,
        side,
        options,
        settings,
    };
    Ok((shared, object))
}

/// Loads a shared player, whose object `fetch` returns; `None` if the object is not there yet.
///
/// # Errors
/// If the player cannot be made here.
pub(crate) fn load(
    shared: &PortablePlayer,
    variant: Variant,
    fetch: &dyn Fn(&str) -> Result<Option<Vec<u8>>>,
) -> Result<Option<LoadedPlayer>> {
    let kind = match &shared.side {
        MatchSide::Baseline(name) => PortableKind::Named(name.clone()),
        MatchSide::Evaluation(expected) => {
            let Some(bytes) = fetch(expected)? else {
                return Ok(None);
            };
            if hash(&bytes) != *expected {
                let name = &shared.name;
                let message = format!("the fleet's player {name} has another evaluation");
                return Err(FleetError::Missing(message));
            }
            PortableKind::Evaluation(bytes)
        }
        MatchSide::Network(id) => match fetch(id)? {
            None => return Ok(None),
            Some(bytes) => PortableKind::Network {
                id: id.clone(),
                bytes,
                settings: shared.settings.clone(),
            },
        },
    };
    let portable = Portable {
        name: shared.name.clone(),
        kind,
        options: shared.options.clone(),
    };
    Ok(Some(LoadedPlayer::of_portable(&portable, variant)?))
}

fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
