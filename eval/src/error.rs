//! What can go wrong in matches and ratings.

use engine::PlayerError;
use rules::Move;
use rules::pdn::PdnError;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// No fixed player has this name.
    #[error("unknown baseline {text:?}: write random, or alphabeta:depth=4 (1 to 30)")]
    UnknownBaseline {
        /// What was asked for.
        text: String,
    },
    /// A player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A player answered with a move that the rules do not allow.
    #[error("{player} plays an illegal move in {fen}: {mv:?}")]
    IllegalMove {
        /// Who.
        player: String,
        /// The move.
        mv: Move,
        /// The position.
        fen: String,
    },
    /// A player left questions unanswered.
    #[error("{player} was asked about {turns} games and answered {choices}")]
    WrongNumberOfChoices {
        /// Who.
        player: String,
        /// Questions.
        turns: usize,
        /// Answers.
        choices: usize,
    },
    /// A file of games cannot be read.
    #[error(transparent)]
    Pdn(#[from] PdnError),
    /// The file of openings cannot be read.
    #[error("cannot read the openings")]
    OpeningsUnreadable(#[source] std::io::Error),
    /// The file of openings is empty.
    #[error("the openings hold no opening: give games in PDN, or a FEN a line")]
    NoOpenings,
    /// An opening is of another game.
    #[error("openings, line {line}: a game of {found}, and {asked} is played")]
    OtherVariant {
        /// Where the game begins.
        line: usize,
        /// What it is.
        found: &'static str,
        /// What it should be.
        asked: &'static str,
    },
    /// An opening is not a position.
    #[error("openings, line {line}: {source}")]
    OpeningFen {
        /// Where it stands.
        line: usize,
        /// What is wrong.
        source: rules::FenError,
    },
    /// Nothing is left to play after an opening.
    #[error("openings, line {line}: the game is over ({reason}): leave this opening out")]
    OpeningOver {
        /// Where it stands.
        line: usize,
        /// How it ended.
        reason: &'static str,
    },
    /// A tournament is to go on under other terms than those it was begun under.
    #[error(
        "the tournament was begun with {what} {stored}, and {what} {asked} is asked for: ask for the \
         same, or begin another tournament"
    )]
    OtherTerms {
        /// Which term.
        what: &'static str,
        /// Its value in the tournament.
        stored: String,
        /// Its value now.
        asked: String,
    },
    /// Two players of a tournament have one name.
    #[error("player {player} is named twice")]
    NamedTwice {
        /// The name.
        player: String,
    },
    /// A stored tournament contradicts itself.
    #[error("meeting {meeting} of the stored tournament has impossible players or points")]
    BrokenTournament {
        /// Its number, counted from 0.
        meeting: usize,
    },
    /// More players than the joint covariance has room for.
    #[error("rate {players} players: at most {limit} can be rated together")]
    TooManyPlayers {
        /// How many players were to be rated.
        players: usize,
        /// How many can be.
        limit: usize,
    },
    /// The likelihood could not be maximised.
    #[error("rate {players} players: the fit broke down; check the results for absurd counts")]
    NoFit {
        /// How many players were to be rated.
        players: usize,
    },
}
