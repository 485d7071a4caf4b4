//! The game: an argument of commands about games, an option of commands about players; and files
//! of games.

use encoding::TextEncoding;
use rules::Variant;

use crate::complete;

/// The game as an argument. `--variant` is accepted too.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct GameArg {
    /// The game or ruleset
    #[arg(required = true, value_name = "VARIANT", add = complete::variants())]
    variant: Option<Variant>,
    /// A required argument may be omitted if a conflicting one is given.
    #[arg(long = "variant", value_name = "VARIANT", hide = true, conflicts_with = "variant", add = complete::variants())]
    named: Option<Variant>,
}

impl GameArg {
    /// The game; `None` only if the command makes it optional.
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
    /// The game or ruleset, if the players do not determine it
    #[arg(long, value_name = "VARIANT", add = complete::variants())]
    pub(crate) variant: Option<Variant>,
}

/// The encoding of files of games, as an option.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct EncodingOption {
    /// The encoding of the files, such as windows-1251 [default: found out]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<TextEncoding>,
}
