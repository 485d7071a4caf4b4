//! Alpha-beta search over the rules, guided by a static evaluation.
//!
//! An [`AlphaBetaSearch`] searches positions of any variant. It knows evaluations only through the
//! trait [`Evaluation`], which maps a position without a pending capture to a score.
//! [`MaterialBalance`] is the simplest one.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use alphabeta::{Limits, MaterialBalance, Observer, Resources, AlphaBetaSearch};
//! use rules::{Game, Position, Variant};
//!
//! let game = Game::new(Position::from_fen(Variant::English, "W:W29,30:B21")?);
//! let mut search = AlphaBetaSearch::new(MaterialBalance, &Resources { table_bytes: 1 << 20, threads: 1 });
//! let limits = Limits { depth: 5, ..Limits::NONE };
//! let mut observer = Observer {
//!     is_over: &|_nodes| false,
//!     report: &mut |_analysis| ControlFlow::Continue(()),
//! };
//! let analysis = search.analyse(&game, &limits, &mut observer);
//! let best = &analysis.ok_or("no legal move")?.lines[0];
//! assert_eq!(best.plies_to_end(), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * Principal variation search (Marsland and Campbell, 1982; Reinefeld's NegaScout, 1983) with
//!   iterative deepening and aspiration windows. At depth 0, quiescence searches captures until
//!   neither side must capture.
//! * A transposition table shared by all threads (Lazy SMP), of fixed size.
//! * Move ordering: table move, captures by victims, promotions, killers, countermove, history
//!   (Schaeffer, 1989) with saturating counts.
//! * Late moves are reduced; futility, reverse futility and ProbCut (Buro, 1995) prune; in some
//!   games forced moves cost no depth ([`Parameters::of`]). There is no null-move pruning, because
//!   zugzwang decides many draughts endings.
//!
//! # Results and history
//!
//! All draw rules hold inside the tree. A position that repeats an earlier one on the current line
//! counts as a draw; one that repeats a position of the game before the root counts at its third
//! occurrence. A score that depends on a repetition or on an expired move counter belongs to the
//! line, not to the position: only nodes above the point where the repetition or the count began
//! store it in the table. Nodes below store only the best move.

mod analysis;
mod evaluation;
mod leaf;
mod node;
mod oracle;
mod order;
mod parameters;
mod path;
mod quiescence;
mod root;
mod score;
mod search;
mod singular;
mod table;
mod thread;

pub use analysis::{Analysis, ScoredLine};
pub use evaluation::{Evaluation, MaterialBalance};
pub use leaf::LeafScorer;
pub use oracle::Oracle;
pub use parameters::Parameters;
pub use score::{LOGIT, MAX_EVALUATION, WIN, is_decided, win_in};
pub use search::{AlphaBetaSearch, Limits, Observer, Resources};
