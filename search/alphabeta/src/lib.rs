//! Alpha-beta search over the rules, guided by a static evaluation.
//!
//! An [`AlphaBetaSearch`] looks at one position of any variant. What it knows of evaluations is the trait
//! [`Evaluation`]: a position without a pending capture goes out, a score comes back. [`MaterialBalance`] is the
//! simplest one.
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
//! # What it does
//!
//! * Principal variation search (Marsland and Campbell, 1982; Reinefeld's NegaScout, 1983) in iterative
//!   deepening with aspiration windows. Behind the depth captures are searched until nobody must capture.
//! * A transposition table shared by all threads (Lazy SMP), of fixed size.
//! * Order: the table's move, captures by victims, crownings, killers, the usual answer to the move before,
//!   history (Schaeffer, 1989) with counts that saturate.
//! * Late moves are reduced, hopeless and unassailable nodes pruned, ProbCut (Buro, 1995) at higher depths:
//!   [`Parameters`]. The null move is left out: having to move is what loses many draughts endings.
//!
//! # Results and history
//!
//! Every draw rule holds inside the tree. A position that was on the line before is drawn when it comes
//! back; one of the game before the root when it comes back for the third time. A score that depends on
//! that, or on a counter that ran out, is one of the line and not of the position: only nodes above the
//! place where the repetition or the count began keep it in the table. Below, the table keeps the best
//! move alone.

mod analysis;
mod evaluation;
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
pub use oracle::{Known, Oracle};
pub use parameters::Parameters;
pub use score::{LOGIT, MAX_EVALUATION, WIN, is_decided};
pub use search::{AlphaBetaSearch, Limits, Observer, Resources};
