//! Compares exported files with the model.

use std::collections::HashMap;

use crate::onnx_reader::{OnnxFile, Tensor};
use crate::support::random_weights;
use model::export::{
    Calibration, ExportFile, ExportManifest, GoldenPosition, Int8, golden_positions, in_eight_bits,
    to_onnx, to_onnx_int8, to_onnx_qdq,
};
use model::{CpuEvaluator, GLOBALS, Model, ModelMeta, Preset};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Position, Variant};
use search::{Batch, Evaluator};

const TOLERANCE: f32 = 1e-4;

fn model(variant: Variant) -> Model {
    let config = Preset::Nano.for_variant(variant);
    let weights = random_weights(&config, 5);
    Model::new(variant, config, ModelMeta::default(), weights).expect("valid")
}

fn golden(model: &Model) -> Vec<GoldenPosition> {
    golden_positions(model, &mut ChaCha8Rng::seed_from_u64(1)).expect("valid")
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs();
        assert!(difference < TOLERANCE, "{what}: {found} {expected}");
    }
}

#[test]
fn the_cpu_evaluator_finds_the_golden_answers() {
    for variant in Variant::ALL {
        let model = model(variant);
        let golden = golden(&model);
        let mut batch = Batch::new();
        for golden in &golden {
            let position = Position::from_fen(variant, &golden.fen).unwrap();
            let parse = |mv: &model::export::GoldenMove| position.parse_move(&mv.notation).unwrap();
            let moves: Vec<_> = golden.moves.iter().map(parse).collect();
            assert_eq!(moves.len(), position.legal_moves().len());
            batch.push(&position, golden.repetitions, &moves);
        }
        let mut evaluator = CpuEvaluator::new(variant, &model.config, &model.weights).unwrap();
        evaluator.evaluate(&mut batch).unwrap();
        for (index, golden) in golden.iter().enumerate() {
            let wdl = batch.wdl(index);
            assert_close(&[wdl.win, wdl.draw, wdl.loss], &golden.wdl, &golden.fen);
            let logits: Vec<f32> = golden.moves.iter().map(|mv| mv.logit).collect();
            assert_close(batch.logits(index), &logits, &golden.fen);
            let sum: f32 = golden.moves.iter().map(|mv| mv.probability).sum();
            assert!((sum - 1.0).abs() < TOLERANCE, "{sum}");
        }
    }
}

/// The outputs of a file for golden positions.
fn run(bytes: &[u8], golden: &[GoldenPosition]) -> HashMap<String, Tensor> {
    let file = OnnxFile::read(bytes);
    let all = |part: fn(&GoldenPosition) -> Vec<f32>| golden.iter().flat_map(part).collect();
    let (n_squares, n_planes) = (golden[0].planes.len(), golden[0].planes[0].len());
    let planes = Tensor {
        shape: vec![golden.len(), n_squares, n_planes],
        values: all(|golden| golden.planes.concat()),
    };
    let globals = Tensor {
        shape: vec![golden.len(), GLOBALS],
        values: all(|golden| golden.globals.clone()),
    };
    file.run([("planes", planes), ("globals", globals)])
}

/// Runs a file on golden positions and compares its outputs.
fn assert_computes(bytes: &[u8], golden: &[GoldenPosition]) {
    let outputs = run(bytes, golden);
    let all = |part: fn(&GoldenPosition) -> Vec<f32>| golden.iter().flat_map(part).collect();
    let expected: [(&str, Vec<f32>); 4] = [
        ("f", all(|golden| golden.f.concat())),
        ("t", all(|golden| golden.t.concat())),
        ("k", all(|golden| golden.k.clone())),
        ("wdl", all(|golden| golden.wdl.clone())),
    ];
    assert_eq!(outputs.len(), expected.len());
    for (name, values) in expected {
        assert_close(&outputs[name].values, &values, name);
    }
}

#[test]
fn the_onnx_graph_computes_the_golden_answers() {
    // One variant for each kind of network: 5 and 9 taps, both boards.
    for variant in [Variant::GAMES[0], Variant::GAMES[2]] {
        let model = model(variant);
        assert_computes(&to_onnx(&model, &[]).unwrap(), &golden(&model));
    }
}

#[test]
fn weights_in_8_bits_are_what_was_measured() {
    for variant in [Variant::GAMES[0], Variant::GAMES[2]] {
        let model = model(variant);
        let (exact, bytes) = (golden(&model), to_onnx_int8(&model, &[]).unwrap());
        let rounded = golden(&in_eight_bits(&model).unwrap());
        assert_computes(&bytes, &rounded);
        assert!(5 * bytes.len() < 2 * to_onnx(&model, &[]).unwrap().len());

        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let file = ExportFile {
            name: "a.onnx",
            bytes: bytes.len(),
        };
        let int8 = Int8::measure(&model, None, file, &exact, rng).unwrap();
        let difference = |index: usize| (exact[0].wdl[index] - rounded[0].wdl[index]).abs();
        let start = difference(0).max(difference(1)).max(difference(2));
        assert!(0.0 < start && start <= int8.golden.wdl && int8.golden.wdl < 0.05);
        assert!(int8.golden.probability < 0.05, "{int8:?}");
        let games = int8.games;
        assert!(0.0 < games.value.mean && games.value.mean < games.value.max);
        assert!(
            games.value.max < 0.1 && games.same_best_move > 0.9,
            "{games:?}"
        );
    }
}

#[test]
fn convolutions_in_bytes_are_what_was_measured() {
    for variant in [Variant::GAMES[0], Variant::GAMES[2]] {
        let (model, rng) = (model(variant), &mut ChaCha8Rng::seed_from_u64(1));
        let golden = golden(&model);
        let calibration = Calibration::of_games(&model, rng).unwrap();
        let bytes = to_onnx_qdq(&model, &calibration, &[]).unwrap();
        let outputs = run(&bytes, &golden);
        let mut batch = Batch::new();
        for golden in &golden {
            let position = Position::from_fen(variant, &golden.fen).unwrap();
            batch.push(&position, golden.repetitions, &position.legal_moves());
        }
        calibration.evaluator().evaluate(&mut batch).unwrap();
        let (mut worst, mut error) = (0.0f32, 0.0f32);
        for (index, golden) in golden.iter().enumerate() {
            let (found, wdl) = (&outputs["wdl"].values[3 * index..][..3], batch.wdl(index));
            for (outcome, expected) in [wdl.win, wdl.draw, wdl.loss].into_iter().enumerate() {
                worst = worst.max((found[outcome] - expected).abs());
                error = error.max((found[outcome] - golden.wdl[outcome]).abs());
            }
        }
        // A sum close to half a step may be rounded either way.
        assert!(worst < 0.01, "{worst}");
        let file = ExportFile {
            name: "a.onnx",
            bytes: bytes.len(),
        };
        let qdq = Int8::measure(&model, Some(&calibration), file, &golden, rng);
        let qdq = qdq.unwrap();
        assert!(
            worst < error && (error - qdq.golden.wdl).abs() <= worst,
            "{error} {qdq:?}"
        );
        assert!(
            qdq.games.value.max < 0.2 && qdq.games.same_best_move > 0.85,
            "{qdq:?}"
        );
    }
}

#[test]
fn an_onnx_file_says_what_it_is() {
    let model = model(Variant::English);
    let manifest = ExportManifest::new(&model, "MIT", Vec::new());
    let bytes = to_onnx(&model, &manifest.properties()).unwrap();
    let file = OnnxFile::read(&bytes);
    assert_eq!((file.ir_version, file.opset), (7, 13));
    let d = model.config.policy_dim.to_string();
    let shapes = [
        ("planes", vec!["batch", "32", "12"]),
        ("globals", vec!["batch", "4"]),
        ("f", vec!["batch", "32", &d]),
        ("t", vec!["batch", "32", &d]),
        ("k", vec!["batch", "32"]),
        ("wdl", vec!["batch", "3"]),
    ];
    for (name, shape) in shapes {
        assert_eq!(file.shapes[name], shape, "{name}");
    }
    assert_eq!(file.properties["input_encoding"], "lattice-2");
    assert_eq!(file.properties["net_id"], model.net_id());
    // The same model gives the same bytes.
    assert_eq!(to_onnx(&model, &manifest.properties()).unwrap(), bytes);
}

#[test]
fn a_manifest_spells_out_the_encoding() {
    let model = model(Variant::Frisian);
    let manifest = ExportManifest::new(&model, "MIT", golden(&model));
    let json: serde_json::Value = serde_json::from_str(&manifest.to_json().unwrap()).unwrap();
    assert_eq!(json["golden_positions"].as_array().unwrap().len(), 20);
    let (input, start) = (&json["input"], &json["golden_positions"][0]);
    assert_eq!(input["planes"].as_array().unwrap().len(), 12);
    assert_eq!(input["globals"].as_array().unwrap().len(), GLOBALS);
    // Square 31 has a white man in the start position, square 20 a black one.
    for (turn, own, enemy) in [("W", 31, 20), ("B", 20, 31)] {
        let token = |square: usize| input["tokens"][turn][square - 1].as_u64().unwrap() as usize;
        if start["turn"] == turn {
            assert_eq!(start["planes"][token(own)][0], 1.0);
            assert_eq!(start["planes"][token(enemy)][2], 1.0);
        }
        assert_eq!(token(50), if turn == "W" { 49 } else { 0 });
    }
    assert_eq!(input["row_and_column"][5], serde_json::json!([1, 0]));
    assert_eq!(input["planes"][4]["limit"], 3);
}
