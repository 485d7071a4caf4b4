//! The basics for beginners: sentences about moving, capturing and winning, from the rules.

use rules::{Directions, Goal, Piece, Promotion, Reach, Rules};

/// The basic rules of a variant. Its special rules follow them on its card.
pub(crate) fn basics(rules: &Rules) -> Vec<String> {
    let Rules { man, king, .. } = rules;
    let obligation = match (rules.capture_is_mandatory, rules.priority) {
        (false, _) => "Captures are optional.",
        (true, []) => "Captures are mandatory; you choose which one.",
        (true, _) => "Captures are mandatory.",
    };
    let crowning = match rules.promotion {
        Promotion::AtEnd => "one that only passes it during a capture stays a man",
        Promotion::InPassing => "during a capture it continues as a king",
        Promotion::EndsMove => "its move ends there",
    };
    let end = match rules.goal {
        Goal::Win => "You win when the other side has no piece left, or cannot move any.",
        Goal::Misere => "You win when you have no piece left, or cannot move any.",
        Goal::FirstKing => {
            "You win when you have the first king, or when the other side cannot move."
        }
    };
    vec![
        format!("A man moves one square {}.", directions(man.steps)),
        format!("{} {obligation}", captures("man", *man)),
        "A capture continues with the same piece as long as it can jump again.".to_owned(),
        format!("A man that reaches the last row becomes a king; {crowning}."),
        match king.reach {
            Reach::Short => format!("A king moves one square {}.", directions(king.steps)),
            Reach::FlyingLandsNext | Reach::Flying => {
                format!("A king moves any distance {}.", directions(king.steps))
            }
        },
        captures("king", *king),
        end.to_owned(),
    ]
}

/// A sentence about the captures of a kind of piece.
fn captures(name: &str, piece: Piece) -> String {
    let way = directions(piece.jumps);
    match piece.reach {
        Reach::Short => format!(
            "A {name} captures by a jump over a piece next to it to the empty square behind, {way}."
        ),
        Reach::FlyingLandsNext => {
            format!("A {name} captures from any distance and lands right behind the piece, {way}.")
        }
        Reach::Flying => {
            format!("A {name} captures from any distance and lands anywhere behind, {way}.")
        }
    }
}

fn directions(set: Directions) -> &'static str {
    let straight = set.intersects(Directions::STRAIGHT);
    match set.contains(Directions::DIAGONAL) {
        true if straight => "in all eight directions",
        true => "diagonally forwards or backwards",
        false => "diagonally forwards",
    }
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn each_variant_has_the_basics_of_its_own_rules() {
        let says = |variant: Variant, part: &str| {
            let text = basics(variant.rules()).join(" ");
            assert!(text.contains(part), "{variant}: {text}");
        };
        for variant in Variant::ALL {
            says(variant, "A man moves one square diagonally forwards. ");
            says(variant, "You win when ");
        }
        says(
            Variant::English,
            "A king moves one square diagonally forwards or backwards.",
        );
        says(
            Variant::Frisian,
            "A king captures from any distance and lands anywhere behind, in all eight",
        );
        says(Variant::Thai, "lands right behind the piece");
        says(Variant::Customary, "Captures are optional.");
        says(Variant::Russian, "during a capture it continues as a king");
    }
}
