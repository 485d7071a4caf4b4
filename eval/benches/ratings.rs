//! Ratings of 200 players: reading the results of 100,000 games, and the fit.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use eval::read_results;
use ratings::{DrawModel, RatingFit, RatingOptions, Tallies, USUAL_PRIOR};

const PLAYERS: u64 = 200;
const GAMES: u64 = 100_000;

fn main() {
    divan::main();
}

/// Games in PGN, headers only; the player with the greater number wins more often.
fn pgn() -> String {
    let mut text = String::new();
    for game in 0..GAMES {
        let white = game % PLAYERS;
        let black = (white + 1 + game / PLAYERS % (PLAYERS - 1)) % PLAYERS;
        let result = match (game * 7919 + 300 * white / PLAYERS) % 1000 {
            0..300 => "1/2-1/2",
            lot if lot + white > 600 + black => "1-0",
            _ => "0-1",
        };
        let _ = write!(
            text,
            "[Event \"bench\"]\n[Site \"local\"]\n[Date \"2026.01.01\"]\n[Round \"{game}\"]\n\
             [White \"player-{white:03}\"]\n[Black \"player-{black:03}\"]\n[Result \"{result}\"]\n\n\
             {result}\n\n"
        );
    }
    text
}

fn tallies(text: &str) -> Tallies {
    let mut tallies = Tallies::default();
    let reading = read_results(text.as_bytes(), None, &mut tallies).expect("PGN");
    assert_eq!(reading.games, GAMES);
    tallies
}

#[divan::bench(sample_count = 10)]
fn read(bencher: Bencher<'_, '_>) {
    let text = pgn();
    bencher
        .counter(ItemsCount::new(GAMES))
        .counter(BytesCount::of_str(&text))
        .bench(|| tallies(&text));
}

#[divan::bench(args = [DrawModel::BayesElo, DrawModel::Davidson], sample_count = 10)]
fn fit(bencher: Bencher<'_, '_>, draw_model: DrawModel) {
    let tallies = tallies(&pgn());
    let options = RatingOptions {
        prior: USUAL_PRIOR,
        anchor: None,
        draw_model,
    };
    bencher.bench(|| RatingFit::new(&tallies, &options).expect("a fit"));
}
