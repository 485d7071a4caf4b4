//! The player that training makes: tree search guided by a network.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use search::{Batch, Evaluator, Search, SearchConfig, search_all};

use crate::player::{Choice, Player, PlayerError, Turn};

/// How a [`NetPlayer`] thinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetPlayerConfig {
    /// Settings of the search. To play as well as possible: no noise (Gumbel scale 0, no root noise).
    pub search: SearchConfig,
    /// Simulations for each move, at least one.
    pub simulations: u32,
    /// Games searched together, at least one: each has a tree in memory and one place in a batch.
    pub games_at_once: usize,
}

/// Searches many games in lockstep, so that one evaluator answers them in shared batches.
pub struct NetPlayer<E> {
    name: String,
    evaluator: E,
    config: NetPlayerConfig,
    /// One tree for each game searched together, made when first needed.
    searches: Vec<Search>,
    batch: Batch,
}

impl<E: Evaluator> NetPlayer<E> {
    /// A player with its own evaluator.
    pub fn new(name: impl Into<String>, evaluator: E, config: NetPlayerConfig) -> Self {
        Self {
            name: name.into(),
            evaluator,
            config,
            searches: Vec::new(),
            batch: Batch::new(),
        }
    }

    /// Appends the choices for a group that is searched together. A forced move needs no search.
    fn choose_together(
        &mut self,
        turns: &[Turn<'_>],
        choices: &mut Vec<Choice>,
    ) -> Result<(), PlayerError> {
        let NetPlayerConfig {
            search,
            simulations,
            ..
        } = self.config;
        let memory = Search::memory_for(simulations);
        let mut searched = Vec::with_capacity(turns.len());
        for (index, turn) in (choices.len()..).zip(turns) {
            let legal = turn.game.legal_moves();
            let &mv = legal.first().ok_or_else(|| PlayerError::NoMoves {
                fen: turn.game.position().to_fen(),
            })?;
            choices.push(Choice {
                mv,
                value: None,
                nodes: 0,
            });
            if legal.len() == 1 {
                continue;
            }
            if self.searches.len() == searched.len() {
                self.searches.push(Search::new(search, memory));
            }
            let rng = &mut ChaCha8Rng::seed_from_u64(turn.seed);
            self.searches[searched.len()].begin(turn.game, simulations, rng);
            searched.push((index, legal));
        }
        let searches = &mut self.searches[..searched.len()];
        search_all(searches, &mut self.evaluator, &mut self.batch)?;
        for ((index, legal), search) in searched.iter().zip(searches) {
            let result = search.result();
            choices[*index] = Choice {
                mv: legal[result.best],
                value: result.value,
                nodes: u64::from(result.evaluations),
            };
        }
        Ok(())
    }
}

impl<E: Evaluator + Send> Player for NetPlayer<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        for together in turns.chunks(self.config.games_at_once.max(1)) {
            self.choose_together(together, choices)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Position, Variant};
    use search::{EvaluatorError, GumbelConfig, Mode, Uniform};

    fn config(games_at_once: usize) -> NetPlayerConfig {
        let gumbel = GumbelConfig {
            gumbel_scale: 0.0,
            ..GumbelConfig::PAPER
        };
        NetPlayerConfig {
            search: SearchConfig {
                mode: Mode::Gumbel(gumbel),
                draw_score: 0.0,
            },
            simulations: 16,
            games_at_once,
        }
    }

    fn choices(games: &[Game], games_at_once: usize) -> Vec<Choice> {
        let turns: Vec<Turn<'_>> = games.iter().map(|game| Turn { game, seed: 1 }).collect();
        let mut choices = Vec::new();
        let mut player = NetPlayer::new("net", Uniform, config(games_at_once));
        player.choose(&turns, &mut choices).unwrap();
        choices
    }

    /// Games of all variants, some with a forced move.
    fn games() -> Vec<Game> {
        let mut games: Vec<Game> = Variant::ALL.map(|v| Game::new(Position::start(v))).into();
        let forced = Position::from_fen(Variant::English, "W:W22:B18").unwrap();
        games.insert(2, Game::new(forced));
        games
    }

    #[test]
    fn answers_do_not_depend_on_who_is_asked_together() {
        let games = games();
        let together = choices(&games, 100);
        assert_eq!(choices(&games, 1), together);
        assert_eq!(choices(&games, 3), together);
        for (game, choice) in games.iter().zip(&together) {
            assert!(game.legal_moves().contains(&choice.mv));
        }
    }

    #[test]
    fn a_forced_move_is_not_searched() {
        let forced = choices(&games(), 4)[2];
        assert_eq!((forced.nodes, forced.value), (0, None));
        assert!(choices(&games(), 4)[0].nodes > 1);
    }

    #[test]
    fn failures_are_handed_on() {
        struct Broken;
        impl Evaluator for Broken {
            fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
                Ok(()) // Leaves all replies unanswered.
            }
        }
        let ask = |game: &Game| {
            NetPlayer::new("broken", Broken, config(1))
                .choose(&[Turn { game, seed: 0 }], &mut Vec::new())
        };
        let start = Game::new(Position::start(Variant::English));
        assert!(matches!(ask(&start), Err(PlayerError::Evaluator(_))));
        let lost = Position::from_fen(Variant::English, "W:W:B18").unwrap();
        assert!(matches!(
            ask(&Game::new(lost)),
            Err(PlayerError::NoMoves { .. })
        ));
    }
}
