use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{Array, Inputs, Preset};

fn model(variant: Variant) -> Model {
    let config = Preset::Nano.for_variant(variant);
    let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let meta = ModelMeta {
        parent: Some("0123456789abcdef".to_owned()),
        train_step: 7,
        games: 99,
        made_by: "burn-flex".to_owned(),
        code_version: "0.1.0".to_owned(),
        run: None,
    };
    Model::new(variant, config, meta, weights).unwrap()
}

/// The error from loading a model after `change` was applied to its files.
fn error_after(change: impl FnOnce(&Path)) -> String {
    let dir = tempfile::tempdir().unwrap();
    model(Variant::English).save(dir.path()).unwrap();
    change(dir.path());
    let text = Model::load(dir.path()).unwrap_err().to_string();
    text.replace(dir.path().to_str().unwrap(), "DIR")
}

fn edit_json(dir: &Path, from: &str, to: &str) {
    let path = dir.join(JSON_FILE);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Replaces the weights file and keeps model.json.
fn replace_weights(dir: &Path, change: impl Fn(&str, &Array) -> Option<Array>) {
    let weights = model(Variant::English).weights;
    let mut changed = ModelWeights::new();
    for (name, array) in weights.iter() {
        if let Some(array) = change(name, array) {
            changed.insert(name, array.shape, array.values);
        }
    }
    fs::write(
        dir.join(WEIGHTS_FILE),
        tensor_file::write(&changed, "").unwrap(),
    )
    .unwrap();
}

#[test]
fn a_model_comes_back_as_it_was() {
    for variant in [Variant::English, Variant::Frisian] {
        let dir = tempfile::tempdir().unwrap();
        let (model, path) = (model(variant), dir.path().join("000042"));
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model);
        assert_eq!(Model::load(&path.join(WEIGHTS_FILE)).unwrap(), model);
        let names: Vec<_> = fs::read_dir(&path)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
        let bytes = fs::read(path.join(WEIGHTS_FILE)).unwrap();
        model.save(&path).unwrap();
        assert_eq!(fs::read(path.join(WEIGHTS_FILE)).unwrap(), bytes);
    }
}

#[test]
fn identity_is_that_of_the_function() {
    let english = model(Variant::English);
    let mut other = english.clone();
    other.meta.games += 1;
    assert_eq!(other.net_id(), english.net_id());
    assert_ne!(model(Variant::Thai).net_id(), english.net_id());
    let bias = english.weights.get("policy.bias").unwrap().clone();
    let values = bias.values.iter().map(|x| x + 0.5).collect();
    other.weights.insert("policy.bias", bias.shape, values);
    assert_ne!(other.net_id(), english.net_id());
}

#[test]
fn damage_is_named() {
    let cut = |length: u64| {
        error_after(|dir| {
            let file = fs::File::options()
                .write(true)
                .open(dir.join(WEIGHTS_FILE))
                .unwrap();
            file.set_len(length).unwrap();
        })
    };
    for length in [3, 100, 100_000] {
        let expected = format!(
            "DIR/model.safetensors cannot be used: the file holds {length} bytes, not as many as its \
             header says: it was cut off or damaged"
        );
        assert_eq!(cut(length), expected);
    }
    let error = error_after(|dir| fs::remove_file(dir.join(JSON_FILE)).unwrap());
    assert!(
        error.starts_with("failed to access DIR/model.json: No such file"),
        "{error}"
    );
    let error = error_after(|dir| edit_json(dir, "}", ""));
    assert!(
        error.starts_with("DIR/model.json cannot be used: the JSON is malformed"),
        "{error}"
    );
}

/// A sparse file takes no space on disk.
#[test]
fn what_is_too_large_is_not_read() {
    let error = |name: &str, length: u64| {
        error_after(|dir| {
            let file = fs::File::options()
                .write(true)
                .open(dir.join(name))
                .unwrap();
            file.set_len(length).unwrap();
        })
    };
    for (name, limit) in [
        (WEIGHTS_FILE, MAX_WEIGHTS_BYTES),
        (JSON_FILE, MAX_JSON_BYTES),
    ] {
        let error = error(name, limit + 1);
        let expected = format!("DIR/{name} is larger than ");
        assert!(error.starts_with(&expected), "{error}");
    }
    let error = error(JSON_FILE, MAX_JSON_BYTES);
    assert!(error.contains("the JSON is malformed"), "{error}");
}

#[test]
fn what_is_said_of_a_model_needs_no_weights() {
    let dir = tempfile::tempdir().unwrap();
    let model = model(Variant::English);
    model.save(dir.path()).unwrap();
    fs::remove_file(dir.path().join(WEIGHTS_FILE)).unwrap();
    let info = ModelInfo::read(dir.path()).unwrap();
    assert_eq!((info.net_id, info.meta), (model.net_id(), model.meta));
}

#[test]
fn a_changed_byte_is_noticed_or_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let model = model(Variant::English);
    model.save(dir.path()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for name in [WEIGHTS_FILE, JSON_FILE] {
        let path = dir.path().join(name);
        let bytes = fs::read(&path).unwrap();
        for _ in 0..100 {
            // Mostly within the header at the start.
            let end = *[1_000, bytes.len()].choose(&mut rng).unwrap();
            let mut changed = bytes.clone();
            changed[rng.random_range(0..end.min(bytes.len()))] ^= 1 << rng.random_range(0..8);
            fs::write(&path, changed).unwrap();
            if let Ok(loaded) = Model::load(dir.path()) {
                assert_eq!(loaded, model);
            }
        }
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_model_that_sees_pieces_alone_is_written_as_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut model = model(Variant::English);
    model.config.inputs = Inputs::Pieces;
    model.weights = ModelWeights::initial(&model.config, &mut ChaCha8Rng::seed_from_u64(1));
    model.save(dir.path()).unwrap();
    let json = fs::read_to_string(dir.path().join(JSON_FILE)).unwrap();
    assert!(
        json.contains("\"lattice-1\"") && !json.contains("inputs"),
        "{json}"
    );
    assert_eq!(Model::load(dir.path()).unwrap(), model);
    edit_json(dir.path(), "lattice-1", "lattice-2");
    let error = Model::load(dir.path()).unwrap_err().to_string();
    assert!(error.contains("input encoding `lattice-2`"), "{error}");
}

#[test]
fn what_does_not_belong_together_is_named() {
    let error = error_after(|dir| {
        replace_weights(dir, |name, array| {
            (name != "value.out.bias").then(|| array.clone())
        });
    });
    assert!(
        error.contains("tensor `value.out.bias` is missing"),
        "{error}"
    );
    let error = error_after(|dir| {
        replace_weights(dir, |_, array| {
            Some(Array {
                values: array.values.iter().map(|x| x * 0.5).collect(),
                ..array.clone()
            })
        });
    });
    assert!(error.contains("the weights belong to network"), "{error}");
    let error = error_after(|dir| edit_json(dir, "\"english\"", "\"frisian\""));
    assert!(
        error.contains("a network of 32 squares cannot play frisian: its board has 50"),
        "{error}"
    );
    let error = error_after(|dir| edit_json(dir, "\"english\"", "\"englisch\""));
    assert!(error.contains("did you mean `english`"), "{error}");
    let error = error_after(|dir| edit_json(dir, "\"channels\": 32", "\"channels\": 64"));
    assert!(
        error.contains("but the configuration needs [12, 64]"),
        "{error}"
    );
}

#[test]
fn other_formats_are_named() {
    let error = error_after(|dir| edit_json(dir, "\"format_version\": 1", "\"format_version\": 2"));
    assert!(
        error.contains("the model has format 2, and this program knows format 1"),
        "{error}"
    );
    let error = error_after(|dir| edit_json(dir, "\"rules_version\": 1", "\"rules_version\": 7"));
    assert!(
        error.contains("the model plays english by version 7 of its rules"),
        "{error}"
    );
    let error = error_after(|dir| edit_json(dir, "\"train_step\": 7", "\"train_step\": 8"));
    assert!(error.contains("it is damaged"), "{error}");
    let error = error_after(|dir| edit_json(dir, "lattice-2", "lattice-9"));
    assert!(error.contains("input encoding `lattice-9`"), "{error}");
}

#[test]
fn another_variant_is_named() {
    let error = model(Variant::English)
        .expect_variant(Variant::Thai)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "a model of english cannot play thai: train or load a model of thai"
    );
}
