//! Files that are almost a network or an evaluation: seeds of the fuzz target `model`.

#[path = "../../../../fuzz/bodies/model.rs"]
mod body;
#[path = "../../../../fuzz/bodies/seeds.rs"]
mod seeds;

use body::model;
use serde_json::{Value, json};

/// A safetensors file with this header.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [
        &(header.len() as u64).to_le_bytes()[..],
        header.as_bytes(),
        data,
    ]
    .concat()
}

/// The header of a file, and its tensors.
fn parts(bytes: &[u8]) -> (Value, &[u8]) {
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    (serde_json::from_slice(header).unwrap(), data)
}

/// The bundled network and the bundled evaluation of a game.
const SEEDS: [&[u8]; 2] = [
    include_bytes!("../../../../players/bundled/english.safetensors"),
    include_bytes!("../../../../players/bundled/evaluations/english.safetensors"),
];

/// Values to substitute into a JSON file.
fn extremes() -> Vec<Value> {
    let nested = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let mut extremes = vec![
        json!(null),
        json!(""),
        json!([]),
        json!({}),
        json!(0),
        json!(-1),
        nested,
    ];
    extremes.extend([
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!("x".repeat(100_000)),
    ]);
    extremes
}

/// Substitutes a value at every position of a document in turn.
fn everywhere(document: &Value, value: &Value, check: &mut dyn FnMut(&Value)) {
    let pointers = |prefix: &str, inner: &Value| -> Vec<String> {
        match inner {
            Value::Object(map) => map.keys().map(|key| format!("{prefix}/{key}")).collect(),
            Value::Array(list) => (0..list.len()).map(|at| format!("{prefix}/{at}")).collect(),
            _ => Vec::new(),
        }
    };
    let mut open = pointers("", document);
    while let Some(pointer) = open.pop() {
        open.extend(pointers(&pointer, document.pointer(&pointer).unwrap()));
        let mut changed = document.clone();
        *changed.pointer_mut(&pointer).unwrap() = value.clone();
        check(&changed);
    }
}

#[test]
fn every_value_of_a_header_may_be_another_one() {
    for bytes in SEEDS {
        model(bytes);
        let (mut header, data) = parts(bytes);
        // A few tensors of each file are enough.
        let tensors = header.as_object_mut().unwrap();
        let names: Vec<String> = tensors
            .keys()
            .filter(|key| *key != "__metadata__")
            .cloned()
            .collect();
        names
            .iter()
            .skip(8)
            .for_each(|name| drop(tensors.remove(name)));
        for value in extremes() {
            everywhere(&header, &value, &mut |changed| {
                model(&file(&changed.to_string(), data))
            });
        }
    }
}

#[test]
fn every_value_of_a_description_may_be_another_one() {
    for bytes in SEEDS {
        let (mut header, data) = parts(bytes);
        let metadata = header["__metadata__"].as_object().unwrap().clone();
        for (key, text) in metadata {
            let document: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
            for value in extremes() {
                everywhere(&document, &value, &mut |changed| {
                    header["__metadata__"][&key] = changed.to_string().into();
                    model(&file(&header.to_string(), data));
                });
            }
        }
    }
}

#[test]
fn headers_that_are_none() {
    let tensor = r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#;
    let data = [0; 4];
    for header in [
        String::new(),
        "{".repeat(100_000),
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("{{\"a\":{tensor},\"a\":{tensor}}}"),
        format!("{{\"a\":{tensor},\"b\":{tensor}}}"),
        r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}"#.to_owned(),
        r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#.to_owned(),
        r#"{"a":{"dtype":"F4","shape":[8],"data_offsets":[0,4]}}"#.to_owned(),
    ] {
        model(&file(&header, &data));
        model(&file(&header, &[]));
    }
    for length in [
        0,
        1,
        7,
        8,
        1 << 20,
        (1 << 20) + 1,
        100_000_000,
        u64::MAX - 7,
        u64::MAX,
    ] {
        model(&[&length.to_le_bytes()[..], b"{}", &data].concat());
    }
    (0..8).for_each(|length| model(&[0xff; 8][..length]));
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(
        include_str!("../../../../fuzz/seeds/model.hex"),
        body::model,
    );
}
