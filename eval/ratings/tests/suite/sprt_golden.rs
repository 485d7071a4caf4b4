//! The sequential test against results that public OpenBench instances printed.

use ratings::{EloInterval, Pentanomial, SprtBounds, normalized_elo};
use serde_json::Value;

#[test]
fn published_results_are_reproduced() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../data/sprt.json")).unwrap();
    assert_eq!(cases.len(), 3);
    for case in &cases {
        let number = |value: &Value| value.as_f64().unwrap();
        let pairs = Pentanomial(std::array::from_fn(|i| case["penta"][i].as_u64().unwrap()));
        let bounds = SprtBounds {
            nelo0: number(&case["b"][0]),
            nelo1: number(&case["b"][1]),
            alpha: 0.05,
            beta: 0.05,
        };
        let close = |ours: f64, theirs: f64, tolerance: f64| {
            assert!(
                (ours - theirs).abs() < tolerance,
                "{ours} is not {theirs}: {case}"
            );
        };
        close(bounds.llr(&pairs), number(&case["llr_normalized"]), 1e-3);
        close(normalized_elo(&pairs), number(&case["nelo"]), 2e-3);
        let elo = EloInterval::from_pairs(&pairs);
        close(elo.elo.unwrap(), number(&case["elo_ref"][0]), 1e-3);
        close(
            (elo.high.unwrap() - elo.low.unwrap()) / 2.0,
            number(&case["elo_ref"][1]),
            1e-3,
        );
    }
}
