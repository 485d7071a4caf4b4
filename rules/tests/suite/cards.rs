//! Compares the card of each variant with `data/cards.txt`.

use rules::{Card, Variant};

#[test]
fn cards_are_those_that_somebody_has_read() {
    let cards = Variant::ALL.map(|variant| format!("== {variant}\n{}", Card(variant)));
    let cards = cards.concat();
    let known = include_str!("../data/cards.txt");
    for (number, (card, known)) in cards.lines().zip(known.lines()).enumerate() {
        let place = format!("rules/tests/data/cards.txt:{}", number + 1);
        assert_eq!(
            card, known,
            "{place} says something else; if the card is right, change the file"
        );
    }
    assert_eq!(
        cards, known,
        "rules/tests/data/cards.txt is longer or shorter"
    );
}
