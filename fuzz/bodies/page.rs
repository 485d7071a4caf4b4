//! JSON requests of a page; the first byte selects the kind.

use page::{
    GameText, GameView, GamesText, PdnOrder, PdnText, Question, count_openings, read_pdn, write_pdn,
};
use serde::de::DeserializeOwned;
use serde_json::{from_slice, json};

/// Every request is answered or rejected.
pub(crate) fn page(data: &[u8]) {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    match first % 6 {
        0 => answer(text, |text: GameText| {
            if let Ok(game) = text.replay() {
                let view = GameView::new(&game);
                assert_eq!(view.history.len(), game.moves().len());
            }
        }),
        1 => answer(text, |question: Question| {
            let _ = question.limits();
            if let Ok(game) = question.game.replay() {
                let _ = question.subject(game);
            }
        }),
        2 => answer(text, |order: PdnOrder| drop(write_pdn(&order))),
        3 => answer(text, |text: PdnText| drop(read_pdn(&text))),
        5 => answer(text, |games: GamesText| drop(count_openings(&games))),
        // PDN without JSON around it.
        _ => {
            let text = String::from_utf8_lossy(text);
            let body = json!({"variant": "english", "text": text});
            let body: PdnText = serde_json::from_value(body).expect("it has this form");
            if let Ok(game) = read_pdn(&body) {
                serde_json::to_string(&game).expect("JSON takes everything");
            }
        }
    }
}

/// Handles the text if it parses as a request.
fn answer<T: DeserializeOwned>(text: &[u8], handle: impl FnOnce(T)) {
    if let Ok(request) = from_slice(text) {
        handle(request);
    }
}
