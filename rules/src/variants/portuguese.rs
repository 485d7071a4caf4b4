//! Portuguese draughts, damas clássicas: the same game as Spanish draughts by the rules of the
//! Federação Portuguesa de Damas, with a number of its own in PDN.

use crate::{About, Point, Rules};

pub(super) const RULES: Rules = Rules {
    game_type: "28,W,8,8,N1,1", // PDN 3.0
    ..super::spanish::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Portuguese draughts, damas clássicas: the rules of Spanish draughts.",
    aliases: &["damas-clássicas", "damas"],
    points: &[
        Point::shown(
            "The capture of most pieces must be made, and of those the one of most kings.",
            "W:W10:B13,K14",
            "10x19",
        ),
        Point::said("Squares are numbered from White's right corner to the left and upwards."),
    ],
    sources: &["Rules of classic draughts of the Federação Portuguesa de Damas."],
};
