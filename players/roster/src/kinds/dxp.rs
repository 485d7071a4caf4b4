//! `dxp:HOST:PORT`: followers in the DamExchange protocol.

use std::sync::Arc;

use engine::dxp::{self, DxpPlayer, DxpPlayerConfig};
use engine::{Analyzer, TimeControl};
use eval::{Computes, PlayerFactory};
use rules::Variant;

use super::{Kind, Loaded, Seat};
use crate::options::Options;
use crate::portable::PortableKind;
use crate::{RequestError, Result};

/// Minutes per game if neither the player nor the match sets a limit.
const MINUTES: u32 = 5;

/// The row of the registry.
pub(super) const KIND: Kind = Kind {
    word: "dxp",
    forms: "dxp:HOST:PORT",
    takes: &["time"],
    parse: |rest| match rest {
        "" => Err("write dxp:HOST:PORT".to_owned()),
        address => Ok(Arc::new(Dxp {
            address: with_port(address)?,
        })),
    },
};

/// Adds the protocol's port to an address without one.
fn with_port(address: &str) -> Result<String, String> {
    match address.rsplit_once(':') {
        // An IPv6 address without a port ends with a bracket.
        Some((_, end)) if end.ends_with(']') => Ok(format!("{address}:{}", dxp::PORT)),
        Some((_, port)) if port.parse::<u16>().is_err() => Err(format!(
            "`{port}` is not a port, a number up to 65535: write dxp:HOST:PORT"
        )),
        Some(_) => Ok(address.to_owned()),
        None => Ok(format!("{address}:{}", dxp::PORT)),
    }
}

/// The minutes per game, the only time limit that DXP supports.
fn minutes_of(time: TimeControl) -> Result<u32, String> {
    let minutes = match time {
        TimeControl::Game { time, increment } if increment.is_zero() => {
            let seconds = time.as_secs_f64();
            let minutes = (seconds / 60.0) as u32;
            (f64::from(minutes) * 60.0 == seconds).then_some(minutes)
        }
        _ => None,
    };
    let minutes = minutes.filter(|minutes| (1..=dxp::MAX_NUMBER).contains(minutes));
    minutes.ok_or_else(|| {
        format!(
            "DXP cannot express the limit {time}: write time=300+0, whole minutes for a game, at most {}",
            dxp::MAX_NUMBER
        )
    })
}

/// A program at `HOST:PORT`.
#[derive(Clone, Debug)]
struct Dxp {
    address: String,
}

impl Loaded for Dxp {
    fn games(&self) -> Vec<Variant> {
        let games = Variant::ALL.into_iter();
        games.filter(|variant| dxp::carries(*variant)).collect()
    }

    fn check(&self, options: &Options) -> Result<(), String> {
        options.time.map(minutes_of).transpose().map(|_| ())
    }

    /// There is one follower, whatever the number of threads.
    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let minutes = seat.time.map(minutes_of).transpose();
        let name = seat.name.to_owned();
        let wrong = |problem| RequestError(format!("player {name}: {problem}"));
        let config = DxpPlayerConfig {
            address: self.address.clone(),
            variant: seat.variant,
            minutes: minutes.map_err(wrong)?.unwrap_or(MINUTES),
        };
        let mut factory = PlayerFactory::new("", move || {
            let player = DxpPlayer::new(name.clone(), config.clone())?;
            Ok(Box::new(player))
        });
        factory.is_single = true;
        factory.computes = Computes::Elsewhere;
        Ok(factory)
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        let reason = "is another program: it can play, but not analyze";
        Err(RequestError(format!("{} {reason}", seat.name)).into())
    }

    fn plays_any(&self) -> bool {
        true
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Err("it is a program of this machine".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_may_be_left_out() {
        let full = |address| with_port(address).unwrap();
        assert_eq!(full("scan.local"), "scan.local:27531");
        assert_eq!(full("[::1]"), "[::1]:27531");
        assert_eq!(full("[::1]:99"), "[::1]:99");
        assert!(
            with_port("127.0.0.1:99999")
                .unwrap_err()
                .contains("`99999`")
        );
    }
}
