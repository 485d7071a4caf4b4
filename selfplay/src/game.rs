//! A self-play game in progress: its random stream, its current search, and its record so far.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Outcome, Position};
use search::{Batch, Search, random_opening};
use store::{Ply, Policy8, Record, RecordedSearch, Surprise, Wdl8};
use types::{Seed, Wdl, kl_divergence};

use crate::Job;

/// The minimum prior in the surprise of a policy.
const PRIOR_FLOOR: f32 = 1e-9;

/// A finished game.
pub(crate) struct FinishedGame {
    pub(crate) record: Record,
    /// Network evaluations used for the game.
    pub(crate) evaluations: u64,
}

/// The next requirement of a game.
pub(crate) enum Wants {
    /// The reply to this request of the batch is needed.
    Reply(usize),
    /// The game is over.
    Nothing(Box<FinishedGame>),
}

/// A game between two searches, or inside one.
pub(crate) struct GameInProgress {
    number: u32,
    rng: ChaCha8Rng,
    game: Game,
    plies: Vec<Ply>,
    /// The number of random plies at the start of `plies`.
    n_opening_plies: usize,
    kind: Kind,
    evaluations: u64,
    /// The moves to play regardless of the searches; `None` to play the moves found.
    follows: Option<Vec<Move>>,
}

/// The purpose of the search of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// There is one legal move: no search.
    Forced,
    /// Selects a move only.
    Fast,
    /// Also a policy target.
    Full,
}

impl GameInProgress {
    /// Starts game `number` of the job with the search of its first move. With a record to follow,
    /// it plays the recorded moves, and its own record contains the moves that it would have
    /// played.
    pub(crate) fn new(
        job: &Job<'_>,
        number: u32,
        follows: Option<&Record>,
        search: &mut Search,
    ) -> Self {
        let header = job.header;
        let path = [header.id.generation.into(), number.into()];
        let mut rng = Seed::new(header.seed).derive("selfplay", &path).rng();
        let start = Position::start(header.variant);
        let opened = random_opening(start, job.config.opening_plies, &mut rng);
        let random = |&mv| Ply {
            mv,
            search: RecordedSearch::Opening,
        };
        let plies: Vec<Ply> = opened.moves().iter().map(random).collect();
        let mut game = Self {
            number,
            rng,
            n_opening_plies: plies.len(),
            plies,
            game: opened,
            kind: Kind::Forced,
            evaluations: 0,
            follows: follows.map(|record| record.plies.iter().map(|ply| ply.mv).collect()),
        };
        game.begin(job, search);
        game
    }

    /// Continues until the game needs a network evaluation or is over.
    pub(crate) fn advance(
        &mut self,
        job: &Job<'_>,
        search: &mut Search,
        batch: &mut Batch,
    ) -> Wants {
        loop {
            if let Some(index) = search.step(batch) {
                return Wants::Reply(index);
            }
            self.make_move(search);
            let result = self.game.outcome();
            if result.is_some()
                || self.plies.len() - self.n_opening_plies >= job.config.max_plies as usize
            {
                return Wants::Nothing(Box::new(self.finish(job, result)));
            }
            self.begin(job, search);
        }
    }

    fn begin(&mut self, job: &Job<'_>, search: &mut Search) {
        let config = job.config;
        let fast = config.fast_simulations(job.search);
        let (kind, simulations) = if self.game.legal_moves().len() == 1 {
            (Kind::Forced, fast)
        } else if self.rng.random_bool(config.full_fraction) {
            (Kind::Full, job.search.simulations)
        } else {
            (Kind::Fast, fast)
        };
        self.kind = kind;
        search.begin(&self.game, simulations, &mut self.rng);
    }

    fn make_move(&mut self, search: &Search) {
        let moves = self.game.legal_moves();
        let result = search.result();
        let mv = moves[result.best];
        self.evaluations += result.evaluations;
        let search = match (self.kind, result.value) {
            (Kind::Forced, value) => RecordedSearch::Forced {
                value: value.map(stored),
            },
            (_, None) => RecordedSearch::Forced { value: None },
            (Kind::Fast, Some(value)) => RecordedSearch::Fast {
                value: stored(value),
            },
            (Kind::Full, Some(value)) => RecordedSearch::Full {
                value: stored(value),
                raw_value: stored(result.raw_value.unwrap_or(value)),
                surprise: Surprise::new(kl_divergence(&result.policy, &result.prior, PRIOR_FLOOR)),
                policy: Policy8::new(&moves, &result.policy),
            },
        };
        let followed = self
            .follows
            .as_ref()
            .and_then(|moves| moves.get(self.plies.len()));
        let next = followed.filter(|mv| moves.contains(mv)).unwrap_or(&mv);
        self.game.play(*next);
        self.plies.push(Ply { mv, search });
    }

    fn finish(&mut self, job: &Job<'_>, result: Option<Outcome>) -> FinishedGame {
        let mut header = job.header.clone();
        header.id.number = self.number;
        FinishedGame {
            record: Record {
                header,
                start: *self.game.start(),
                plies: std::mem::take(&mut self.plies),
                result,
            },
            evaluations: self.evaluations,
        }
    }
}

fn stored(value: Wdl) -> Wdl8 {
    Wdl8::new([value.win, value.draw, value.loss])
}
