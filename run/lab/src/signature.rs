//! Signature of a build: one hash per ruleset of a fixed tiny training run.
//!
//! Two builds with equal signatures play the same games and train the same weights from them. A
//! change that should keep the behavior keeps the signatures; one that should change it updates
//! the file that a test compares them with.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use model::Model;
use rules::{Move, Variant};
use serde::Serialize;
use store::{Record, RunDir};
use xxhash_rust::xxh3::Xxh3;

use crate::Result;
use run::config::ConfigSources;
use run::{Run, advance_until};

/// Preset of the run: small, with searches that reach every part of the formulas.
const PRESET: &str = "tiny";
const SETTINGS: [&str; 3] = [
    "search.simulations=16",
    "selfplay.fast_simulations=5",
    // Not every processor has bf16.
    "train.precision=f32",
];
/// Enough for candidates, gates, and games of a trained network.
const GENERATIONS: u32 = 3;

/// Signature of one ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// The ruleset.
    pub variant: &'static str,
    /// XXH3 with 64 bits, in hexadecimal.
    pub hash: String,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:18} {}", self.variant, self.hash)
    }
}

/// Trains a new run in `dir` and hashes its models, games and gates.
///
/// The signature is the same on all x86-64 processors with FMA and on 64-bit ARM, whatever other
/// instructions they have and whatever the system's math library is. Without FMA, and on other
/// architectures, the last bits may differ.
///
/// # Errors
/// If `dir` is not empty, or training fails.
pub fn signature(variant: Variant, dir: &Path) -> Result<Signature> {
    let sources = ConfigSources {
        preset: Some(PRESET.to_owned()),
        set: SETTINGS.map(str::to_owned).into(),
        threads: Some(1),
        ..ConfigSources::default()
    };
    let mut run = Run::create(dir, variant, sources.resolve(variant)?)?;
    let never = AtomicBool::new(false);
    advance_until(&mut run, Some(GENERATIONS), &never, &mut [])?;
    let hash = hash_run(run.dir(), variant)?;
    Ok(Signature {
        variant: variant.name(),
        hash: format!("{hash:016x}"),
    })
}

/// The hash of a run's content.
fn hash_run(run: &RunDir, variant: Variant) -> Result<u64> {
    let mut hash = Xxh3::new();
    for model in run.models()? {
        let id = Model::load(&run.model(model)?)?.net_id();
        hash.update(format!("model {model} {id}\n").as_bytes());
        if let Some(gate) = run.gate::<eval::GateReport>(model)? {
            let counts = gate.pentanomial.0;
            hash.update(format!("gate {model} {counts:?} {}\n", gate.verdict).as_bytes());
        }
    }
    let games = run.games(variant);
    for generation in games.generations()? {
        for record in games.read(generation)?.records {
            hash.update(game_line(generation, &record).as_bytes());
        }
    }
    Ok(hash.digest())
}

/// A game as text: number, start, moves.
fn game_line(generation: u32, record: &Record) -> String {
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.mv).collect();
    let moves = record.start.move_texts(&moves).join(" ");
    let (number, start) = (record.header.id.number, record.start.to_fen());
    format!("game {generation} {number} {start} {moves}\n")
}
