//! The game: an argument where it is what a command is about, an option where players come first.

use rules::Variant;

use crate::complete;

/// The game as an argument. `--variant` is understood too.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct GameArg {
    /// The game or ruleset
    #[arg(required = true, value_name = "VARIANT", add = complete::variants())]
    variant: Option<Variant>,
    /// A required argument may be missing where one that conflicts with it is given.
    #[arg(long = "variant", value_name = "VARIANT", hide = true, conflicts_with = "variant", add = complete::variants())]
    named: Option<Variant>,
}

impl GameArg {
    /// The game, which is given unless the command makes it optional.
    pub(crate) fn asked(self) -> Option<Variant> {
        self.variant.or(self.named)
    }

    /// The game of a command that requires one.
    pub(crate) fn variant(self) -> Variant {
        self.asked().expect("clap requires one of the two")
    }
}

/// The game as an option, for commands that take players.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct GameOption {
    /// The game or ruleset, where the players leave it open
    #[arg(long, value_name = "VARIANT", add = complete::variants())]
    pub(crate) variant: Option<Variant>,
}
