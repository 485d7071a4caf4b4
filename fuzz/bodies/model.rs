//! Safetensors files: networks with their `model.json`, and learned evaluations.

use std::path::Path;

use model::Model;
use nnue::Network;
use rules::Position;

/// A valid network or evaluation can be used, and is written exactly as it was read.
pub(crate) fn model(data: &[u8]) {
    let read = |bytes: &[u8]| Model::from_bytes(bytes, Path::new("fuzzed"));
    if let Ok(model) = read(data) {
        let written = model.to_bytes().expect("it is valid");
        assert!(read(&written).expect("it was just written") == model);
    }
    if let Ok(network) = Network::from_bytes(data) {
        network.score(&Position::start(network.variant()));
        let written = network.to_bytes().expect("it is valid");
        Network::from_bytes(&written).expect("it was just written");
    }
}
