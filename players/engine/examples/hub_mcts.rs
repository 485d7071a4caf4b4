//! A minimal Hub engine for all games, using random rollouts, on standard input and output.

use std::io;

use engine::SearchPlayer;
use engine::hub::{Frame, Identity, Version, serve};
use rules::Variant;

fn main() -> io::Result<()> {
    let identity = Identity {
        name: "hub-mcts".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        variants: Variant::ALL.to_vec(),
        frame: Frame::Pydraughts,
        parameters: Vec::new(),
    };
    let input = io::BufReader::new(io::stdin());
    serve(
        Version::Two,
        input,
        io::stdout(),
        &identity,
        &mut SearchPlayer::mcts(1000),
    )
}
