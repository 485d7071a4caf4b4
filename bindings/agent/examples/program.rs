//! The program of the page "Libraries": an agent plays a game against itself.

#![expect(clippy::print_stdout, reason = "it is a program")]

use agent::{Agent, Error, Game, Limits, Options, Position, games, legal_moves};

fn main() -> Result<(), Error> {
    let mut agent = Agent::load("english", &Options::default())?;
    let mut game = Game::new(Position::start("english".parse()?));
    let texts: Vec<String> = legal_moves(game.position())
        .into_iter()
        .map(|legal| legal.text)
        .collect();
    println!("{}", texts.join(" "));
    while game.outcome().is_none() {
        game.play(agent.choose(&game, &Limits::nodes(1_000))?.mv);
    }
    println!(
        "{}",
        games::write_pdn(&game, &[("White", "crownhead"), ("Black", "crownhead")])
    );
    Ok(())
}
