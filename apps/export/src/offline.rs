//! A page that plays by itself: static files that any web server can give away, and that go on without one.

use std::fmt::Write as _;
use std::fs;
use std::hash::Hasher as _;
use std::path::Path;

use fnv::FnvHasher;
use nnue::Network;
use page::ASSETS;
use rules::Variant;
use serde::Serialize;
use serde_json::Value;
use store::{RunDir, StoreError};

use crate::CARD;
use crate::Result;
use crate::folder::{self, Sign};
use roster::{AgentSource, EvaluationError};
use roster::{LoadedModel, ModelSource};
use run::Within as _;

/// What a page needs around the library in WebAssembly.
const LIBRARY: &[(&str, &[u8])] = &[
    (
        "assets/crownhead.js",
        include_bytes!("../../../bindings/web/js/crownhead.js"),
    ),
    (
        "assets/worker.js",
        include_bytes!("../../../bindings/web/js/worker.js"),
    ),
    // In the place of the page's own, which asks a server.
    (
        "assets/api.js",
        include_bytes!("../../../bindings/web/offline/api.js"),
    ),
];
/// The library, which `scripts/build_web.sh` makes: what [`COMPRESSED_MODULES`] holds, in this order.
const MODULES: [&str; 2] = ["assets/crownhead.wasm", "assets/crownhead-scalar.wasm"];
/// Each module after its length in eight bytes, lowest first, as `build.rs` compresses them.
const COMPRESSED_MODULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/modules.zst"));
const SERVICE_WORKER_TEXT: &str = include_str!("../../../bindings/web/offline/service-worker.js");
/// What makes the page installable; it lies beside it.
const MANIFEST: &str = "manifest.webmanifest";
/// The agents of the page. Where it is, there was a page before.
const AGENTS: &str = "assets/agents.json";
const INDEX: &str = "index.html";
const SERVICE_WORKER: &str = "service-worker.js";
/// What there is in the folder of a page.
const PLACES: [&str; 5] = ["assets", CARD, INDEX, MANIFEST, SERVICE_WORKER];

/// An agent as the page lists it.
#[derive(Serialize)]
struct PageAgent {
    id: String,
    name: String,
    variant: &'static str,
    /// Its file, seen from `assets`.
    file: String,
    takes_simulations: bool,
    /// Ratings to which it can be held back.
    strengths: Vec<u32>,
    endgames: PageEndgames,
}

/// The endgame database of an agent's game.
#[derive(Serialize)]
struct PageEndgames {
    /// Its file, seen from `assets`.
    file: String,
    pieces: usize,
}

/// What an agent is made of.
struct Brain {
    variant: Variant,
    name: String,
    bytes: Vec<u8>,
    takes_simulations: bool,
    strengths: Vec<u32>,
    /// The run that it comes from.
    run: Option<RunDir>,
}

/// Writes the page into the folder `to`: it is made if it is not there, and an earlier page in it is replaced.
/// What it knows of endings comes from the largest database of the agent's run and of the folder `endgames`, or one
/// of three pieces. Returns the files, in alphabetical order.
///
/// # Errors
/// When an agent or a database cannot be read, the folder holds something else, or the disk refuses.
pub fn export_page(source: &AgentSource, endgames: &Path, to: &Path) -> Result<Vec<String>> {
    let brains = match source {
        AgentSource::Network(ModelSource::Bundled(None)) => {
            networks(ModelSource::Bundled(None).load_all()?)?
        }
        AgentSource::Network(source) => networks(vec![source.load()?])?,
        AgentSource::Evaluation(source) => evaluations(source.load_all()?)?,
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut agents: Vec<PageAgent> = Vec::new();
    for brain in brains {
        agents.push(exported(brain, endgames, &mut files)?);
    }
    let list = serde_json::to_vec_pretty(&agents).map_err(EvaluationError::from)?;
    let sign = Sign {
        path: AGENTS,
        contents: &list,
        is_one: is_list,
    };
    folder::begin(to, "a page", &PLACES, &sign)?;
    files.extend([
        (AGENTS.to_owned(), list),
        (CARD.to_owned(), readme(&agents).into_bytes()),
        (INDEX.to_owned(), index().into_bytes()),
    ]);
    files.extend(
        LIBRARY
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())),
    );
    files.extend(modules());
    let own = ASSETS
        .iter()
        .filter(|asset| ![INDEX, "api.js", SERVICE_WORKER].contains(&asset.name));
    files.extend(own.map(|asset| match asset.name {
        MANIFEST => (MANIFEST.to_owned(), asset.text.into()),
        name => (format!("assets/{name}"), asset.text.into()),
    }));
    files.sort();
    files.push((
        SERVICE_WORKER.to_owned(),
        service_worker(&files)?.into_bytes(),
    ));
    for (name, bytes) in &files {
        let path = to.join(name);
        fs::write(&path, bytes).map_err(StoreError::io("write", &path))?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Whether this is a list of a page's agents.
fn is_list(text: &[u8]) -> bool {
    let list: Option<Vec<Value>> = serde_json::from_slice(text).ok();
    list.is_some_and(|agents| agents.iter().any(|agent| agent["variant"].is_string()))
}

/// The files of [`MODULES`].
fn modules() -> Vec<(String, Vec<u8>)> {
    let unpacked = zstd::decode_all(COMPRESSED_MODULES).expect("build.rs has compressed it");
    let mut rest = &unpacked[..];
    let module = |name: &str| {
        let (length, after) = rest.split_first_chunk().expect("build.rs wrote a length");
        let (module, after) = after.split_at(u64::from_le_bytes(*length) as usize);
        rest = after;
        (name.to_owned(), module.to_vec())
    };
    MODULES.map(module).into()
}

fn networks(loaded: Vec<LoadedModel>) -> Result<Vec<Brain>> {
    let brain = |loaded: LoadedModel| {
        Ok(Brain {
            variant: loaded.model.variant,
            name: loaded.name.clone(),
            bytes: loaded.model.to_bytes()?,
            takes_simulations: true,
            strengths: loaded.model.strength.choices(),
            run: loaded.run.map(|(run, _)| run),
        })
    };
    loaded.into_iter().map(brain).collect()
}

fn evaluations(loaded: Vec<Network>) -> Result<Vec<Brain>> {
    let brain = |network: Network| {
        Ok(Brain {
            variant: network.variant(),
            name: "alpha-beta with a learned evaluation".to_owned(),
            bytes: network.to_bytes().map_err(EvaluationError::from)?,
            takes_simulations: false,
            strengths: network.strength().choices(),
            run: None,
        })
    };
    loaded.into_iter().map(brain).collect()
}

/// An agent as the page lists it. Its files are added: its own, and what is known of its game's endings.
fn exported(
    brain: Brain,
    endgames: &Path,
    files: &mut Vec<(String, Vec<u8>)>,
) -> Result<PageAgent> {
    let own = brain.run.map(|run| run.endgames_path());
    let dirs = [Some(endgames), own.as_deref()].into_iter().flatten();
    let kept = roster::endgames::largest(dirs, brain.variant);
    let known =
        roster::endgames::read_or_quick(kept.as_ref().map(|(kept, _)| kept), brain.variant)?;
    let variant = brain.variant.name();
    let mut database = Vec::new();
    known
        .write(&mut database)
        .within(|| format!("failed to write the endgame database of {variant}"))?;
    let kind = match brain.takes_simulations {
        true => "network",
        false => "evaluation",
    };
    let agent = PageAgent {
        id: format!("{kind}:{variant}"),
        name: brain.name,
        variant,
        file: format!("{kind}-{variant}.safetensors"),
        takes_simulations: brain.takes_simulations,
        strengths: brain.strengths,
        endgames: PageEndgames {
            file: format!("endgames-{variant}.egd"),
            pieces: known.n_pieces(),
        },
    };
    files.push((format!("assets/{}", agent.file), brain.bytes));
    files.push((format!("assets/{}", agent.endgames.file), database));
    Ok(agent)
}

/// The page without its view of runs, from any place of a server.
fn index() -> String {
    let own = ASSETS.iter().find(|asset| asset.name == INDEX);
    let text = own.map_or("", |asset| asset.text);
    let text = text.replace("\"/assets/", "\"assets/");
    let text = text.replace("\"/manifest.", "\"manifest.");
    text.replace("    <a href=\"#/runs\">Runs</a>\n", "")
}

/// Keeps all files of this very page.
fn service_worker(files: &[(String, Vec<u8>)]) -> Result<String> {
    let mut hash = FnvHasher::default();
    for (name, bytes) in files {
        hash.write(name.as_bytes());
        hash.write(bytes);
    }
    let names: Vec<&str> = files
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(["./"])
        .collect();
    let names = serde_json::to_string(&names).map_err(EvaluationError::from)?;
    let text = SERVICE_WORKER_TEXT.replace("__FILES__", &names);
    Ok(text.replace("__VERSION__", &format!("{:016x}", hash.finish())))
}

fn readme(agents: &[PageAgent]) -> String {
    let mut text = String::from(
        "# A page that plays\n\nStatic files for any web server, or `python3 -m http.server` in this folder. The page \
         plays inside the browser, asks no server, and goes on without a network once it was opened; a phone can \
         install it.\n\n| game | agent | file |\n|---|---|---|\n",
    );
    for agent in agents {
        let PageAgent {
            name,
            variant,
            file,
            ..
        } = agent;
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {variant} | {name} | `assets/{file}` |");
    }
    text
}
