//! `hub:COMMAND`, `hub1:COMMAND`: programs that speak the Hub protocol.

use std::sync::Arc;
use std::time::Duration;

use engine::hub::{HubPlayer, HubPlayerConfig, Version};
use engine::{Analyzer, SearchLimits, TimeLeft};
use eval::{Computes, PlayerFactory};
use rules::Variant;

use super::{Kind, Loaded, Seat, Source};
use crate::portable::PortableKind;
use crate::{RequestError, Result};

/// The time without an answer after which an engine without a clock counts as hung.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time per move if neither the player nor the match sets a limit.
const MOVE_TIME: Duration = Duration::from_secs(1);

/// The row for version 2.
pub(super) const KIND: Kind = Kind {
    word: "hub",
    forms: "hub:COMMAND",
    takes: &["nodes", "time"],
    parse: |rest| parse(Version::Two, rest, "write hub:COMMAND"),
};

/// The row for version 1, which has no node limit.
pub(super) const KIND_OF_VERSION_1: Kind = Kind {
    word: "hub1",
    forms: "hub1:COMMAND",
    takes: &["time"],
    parse: |rest| parse(Version::One, rest, "write hub1:COMMAND"),
};

fn parse(version: Version, command: &str, form: &str) -> Result<Arc<dyn Source>, String> {
    if command.trim().is_empty() {
        return Err(form.to_owned());
    }
    let command = command.to_owned();
    Ok(Arc::new(Hub { version, command }))
}

/// A program with its arguments.
#[derive(Clone, Debug)]
struct Hub {
    version: Version,
    command: String,
}

impl Hub {
    fn config(&self, seat: &Seat<'_>) -> HubPlayerConfig {
        let nodes = seat.options.nodes;
        HubPlayerConfig {
            variant: seat.variant,
            version: self.version,
            limits: SearchLimits {
                nodes,
                time: nodes.is_none().then_some(TimeLeft::Move(MOVE_TIME)),
                ..SearchLimits::default()
            },
            timeout: TIMEOUT,
        }
    }
}

impl Loaded for Hub {
    fn games(&self) -> Vec<Variant> {
        Variant::ALL.to_vec()
    }

    /// Starts the engine once per thread.
    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let config = self.config(seat);
        let command = self.command.clone();
        let mut factory = PlayerFactory::new("", move || {
            let player = HubPlayer::of_command(&command, config).started()?;
            Ok(Box::new(player))
        });
        factory.computes = Computes::Program;
        Ok(factory)
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        if !seat.is_bounded {
            let reason = "is a Hub engine already: start it without crownhead";
            return Err(RequestError(format!("{} {reason}", seat.name)).into());
        }
        let player = HubPlayer::of_command(&self.command, self.config(seat));
        Ok(Box::new(player))
    }

    fn plays_any(&self) -> bool {
        true
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Err("it is a program of this machine".to_owned())
    }
}
