//! `crownhead dxp`: a player as a partner for other draughts programs.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

use anyhow::Context as _;
use engine::dxp::{self, Connection, PlayedGame, serve};
use rules::{Color, Outcome, Variant};
use serde::Serialize;

use pipeline::RequestError;
use pipeline::players::{Contender, PlayerSpec};

use crate::output::Output;

/// Play draughts programs that speak the DamExchange protocol (DXP), such as Scan, Kingsrow and Damage
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The player is the follower: it waits for programs that connect and ask for games, one after the other, and
thinks as long as they say. The protocol knows boards of 50 squares and names no game: the other program
must have been told to play the same. Ctrl-C ends it.

The other way round, dxp:HOST:PORT is a player: crownhead match asks a program for games that waits there.

The connection is neither secret nor protected: with --address, whoever reaches it can ask for games.

Examples:
  crownhead dxp --variant frisian
  crownhead dxp ab:bundled,threads=2 --variant frisian --address 0.0.0.0
  crownhead match bundled dxp:localhost --variant frisian --time 300+0 --pairs 5")]
pub(crate) struct DxpArgs {
    /// The player: bundled, run:DIR, run:DIR@42, model:DIR, ab:DIR, ab:bundled, mcts:rollouts=N,
    /// alphabeta:depth=N or random
    #[arg(default_value = "bundled")]
    source: PlayerSpec,
    /// The game, for players of several games
    #[arg(long)]
    variant: Option<Variant>,
    /// The address to wait at: that of this machine for programs on others
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = dxp::PORT)]
    port: u16,
    /// End when the first program leaves
    #[arg(long)]
    once: bool,
}

/// Where the player waits.
#[derive(Serialize)]
struct Waiting {
    address: String,
    variant: &'static str,
}

/// A game that is over.
#[derive(Serialize)]
struct Played {
    opponent: String,
    color: &'static str,
    plies: u32,
    /// Points of the player; nothing where the game was ended early.
    points: Option<f64>,
    ended: String,
}

impl DxpArgs {
    /// Plays until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let contender = self.source.load()?;
        let variant = variant(&contender, self.variant)?;
        let mut analyzer = contender.analyzer()?;
        let (ip, port) = (self.address, self.port);
        let listener = TcpListener::bind((ip, port)).with_context(|| {
            format!("failed to wait at {ip}, port {port}: choose another --port")
        })?;
        let waiting = Waiting {
            address: listener.local_addr()?.to_string(),
            variant: variant.name(),
        };
        if output.is_json() {
            output.json(&waiting)?;
        } else {
            let address = &waiting.address;
            writeln!(
                output,
                "Waiting at {address} for games of {variant} (Ctrl-C ends it)"
            )?;
        }
        output.flush()?;
        let name = format!("Crownhead {}", contender.name);
        for stream in listener.incoming() {
            // One that was gone at once is no reason to stop.
            let Ok(stream) = stream else { continue };
            let mut written = Ok(());
            let played = Connection::new(stream).and_then(|mut connection| {
                let after_game = &mut |game: &PlayedGame| written = report(output, game);
                serve(&mut connection, &name, variant, &mut analyzer, after_game)
            });
            if let Err(error) = played {
                note!("the connection was ended: {error}");
            }
            written?;
            if self.once {
                break;
            }
        }
        Ok(())
    }
}

/// Says how a game ended.
fn report(output: &mut Output, played: &PlayedGame) -> anyhow::Result<()> {
    let points = played.game.outcome().map(|outcome| match outcome {
        Outcome::Win(winner, _) if winner == played.color => 1.0,
        Outcome::Win(..) => 0.0,
        Outcome::Draw(_) => 0.5,
    });
    let ended = match (points, played.is_ended_here) {
        (Some(_), _) => "on the board".to_owned(),
        (None, true) => "after the number of moves that was agreed on".to_owned(),
        (None, false) => format!("by the other program: {}", played.reason),
    };
    let played = Played {
        opponent: played.opponent.clone(),
        color: match played.color {
            Color::White => "white",
            Color::Black => "black",
        },
        plies: played.game.moves().len() as u32,
        points,
        ended,
    };
    if output.is_json() {
        output.json(&played)?;
    } else {
        let result = match points {
            Some(1.0) => "won",
            Some(0.0) => "lost",
            Some(_) => "drawn",
            None => "no result",
        };
        let Played {
            opponent,
            color,
            plies,
            ended,
            ..
        } = &played;
        writeln!(
            output,
            "{result} as {color} against {opponent}, {plies} plies, ended {ended}"
        )?;
    }
    Ok(output.flush()?)
}

/// The game that is played: the one asked for, or the only one that the protocol can carry.
fn variant(contender: &Contender, asked: Option<Variant>) -> Result<Variant, RequestError> {
    let games = &contender.games;
    let carried: Vec<Variant> = games
        .iter()
        .copied()
        .filter(|game| dxp::carries(*game))
        .collect();
    let names: Vec<&str> = carried.iter().map(|game| game.name()).collect();
    match (asked, &carried[..]) {
        (Some(asked), _) if !games.contains(&asked) => Err(contender.does_not_play(asked)),
        (Some(asked), _) if carried.contains(&asked) => Ok(asked),
        (Some(asked), _) => Err(RequestError(format!(
            "DXP knows boards of 50 squares on which White moves first, and {asked} has another"
        ))),
        (None, &[only]) => Ok(only),
        (None, []) => Err(RequestError(format!(
            "{} plays no game that DXP can carry: they need boards of 50 squares",
            contender.name
        ))),
        (None, _) => Err(RequestError(format!(
            "{} plays several games that DXP can carry: say which with --variant {}",
            contender.name,
            names.join(" or ")
        ))),
    }
}
