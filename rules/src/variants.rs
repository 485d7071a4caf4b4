//! The list of variants. To add one, add a file in `variants/` and one line here:
//! `docs/tutorials/new-variant.md`.

mod names;

pub use names::UnknownVariant;

use std::fmt;

use crate::ruleset::{Rules, Ruleset};
use crate::{About, Board, Square};

macro_rules! variants {
    ($($(#[$doc:meta])* $class:ident $variant:ident = $name:literal in $module:ident;)*) => {
        $(mod $module;)*

        const _: () = {
            $($module::RULES.check();)*
        };

        /// [variant] its class.
        const CLASSES: [Class; Variant::ALL.len()] = [$(Class::$class),*];

        const N_GAMES: usize = 0 $(+ Class::$class as usize)*;

        /// A variant of checkers: a game, or a ruleset close to one.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Variant { $($(#[$doc])* $variant),* }

        /// Marker types of the rule tables, one per variant.
        pub(crate) mod tables {
            use super::{$($module),*};
            $(
                pub(crate) struct $variant;
                impl super::Ruleset for $variant {
                    const RULES: super::Rules = $module::RULES;
                }
            )*
        }

        impl Variant {
            /// Every variant, in the order of [`Variant::index`].
            pub const ALL: [Variant; [$($name),*].len()] = [$(Variant::$variant),*];

            /// The name used on the command line and in files.
            pub const fn name(self) -> &'static str {
                match self { $(Variant::$variant => $name),* }
            }

            /// The rules of the variant.
            #[inline]
            pub const fn rules(self) -> &'static Rules {
                static ALL: [Rules; Variant::ALL.len()] = [$($module::RULES),*];
                &ALL[self as usize]
            }

            /// The description of the variant for people.
            pub const fn about(self) -> &'static About {
                match self { $(Variant::$variant => &$module::ABOUT),* }
            }
        }

        /// Evaluates an expression with a type that carries the variant's rules as constants.
        macro_rules! with_rules {
            ($chosen:expr, $table:ident => $body:expr) => {
                match $chosen {
                    $($crate::Variant::$variant => {
                        type $table = $crate::variants::tables::$variant;
                        $body
                    })*
                }
            };
        }
        pub(crate) use with_rules;
    };
}

/// The class of a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// An alternative reading of a game's rules, for comparison.
    Ruleset,
    /// A game that people play.
    Game,
}

variants! {
    /// English draughts, or American checkers.
    Game English = "english" in english;
    /// The customary game: captures are optional and may stop.
    Game Customary = "customary" in customary;
    /// Frisian draughts.
    Game Frisian = "frisian" in frisian;
    /// Thai checkers, Makhos.
    Game Thai = "thai" in thai;
    /// Ring Board Checkers.
    Game Ringboard = "ringboard" in ringboard;
    /// Customary, but a capture must be finished once it has started.
    Ruleset CustomaryFinish = "customary-finish" in customary_finish;
    /// Frisian without king rest and without its endgame draws.
    Ruleset FrisianPlain = "frisian-plain" in frisian_plain;
    /// Thai, but captured pieces are removed after the move.
    Ruleset ThaiLiftAfter = "thai-lift-after" in thai_lift_after;
    /// International draughts, on 10x10.
    Game International = "international" in international;
    /// Russian draughts, shashki.
    Game Russian = "russian" in russian;
    /// Brazilian draughts.
    Game Brazilian = "brazilian" in brazilian;
    /// American pool checkers.
    Game Pool = "pool" in pool;
    /// Czech draughts.
    Game Czech = "czech" in czech;
    /// Spanish draughts.
    Game Spanish = "spanish" in spanish;
    /// Portuguese draughts.
    Game Portuguese = "portuguese" in portuguese;
    /// Italian draughts.
    Game Italian = "italian" in italian;
    /// International draughts in which the first side without moves wins.
    Game Antidraughts = "antidraughts" in antidraughts;
    /// International draughts in which the first king wins.
    Game Breakthrough = "breakthrough" in breakthrough;
}

const fn games() -> [Variant; N_GAMES] {
    let mut games = [Variant::ALL[0]; N_GAMES];
    let (mut at, mut n_games) = (0, 0);
    while at < CLASSES.len() {
        if matches!(CLASSES[at], Class::Game) {
            games[n_games] = Variant::ALL[at];
            n_games += 1;
        }
        at += 1;
    }
    games
}

impl Variant {
    /// The games, without their alternative rulesets.
    pub const GAMES: [Variant; N_GAMES] = games();

    /// The index in [`Variant::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The board.
    pub const fn board(self) -> Board {
        self.rules().board
    }

    /// The variant with this name in the Hub protocol, if any: its own name or another engine's
    /// name for it.
    pub fn by_hub_name(name: &str) -> Option<Variant> {
        let is_meant =
            |variant: &Variant| variant.name() == name || variant.rules().hub_name == Some(name);
        Variant::ALL.into_iter().find(is_meant)
    }

    /// A square in the variant's notation: `12`, or `c3`.
    pub fn square_name(self, square: Square) -> String {
        self.rules().notation.write(self.board(), square)
    }

    /// Changes whenever the behavior of the variant does.
    pub const fn rules_version(self) -> u32 {
        self.rules().version
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
