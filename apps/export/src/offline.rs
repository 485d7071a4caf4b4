//! Exports a page that plays without a server: static files for any web server, which also work
//! offline.

use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::Path;

use fnv::FnvHasher;
use nnue::Network;
use page::{ASSETS, Label, POLICY};
use rules::Variant;
use serde::Serialize;
use serde_json::Value;
use store::RunDir;

use crate::CARD;
use crate::Result;
use crate::folder::{self, Sign};
use roster::{AgentSource, EvaluationError};
use roster::{LoadedModel, ModelSource};
use run::Within as _;

/// Files of the WebAssembly library for the page.
const LIBRARY: &[(&str, &[u8])] = &[
    ("assets/crownhead.js", js::LIBRARY),
    ("assets/worker.js", js::WORKER),
    // Replaces the page's own file, which sends requests to a server.
    ("assets/api.js", include_bytes!("../offline/api.js")),
];
const SERVICE_WORKER_TEXT: &str = include_str!("../offline/service-worker.js");
/// The web app manifest, next to the page.
const MANIFEST: &str = "manifest.webmanifest";
/// The agents of the page. Also the marker of an exported page.
const AGENTS: &str = "assets/agents.json";
const INDEX: &str = "index.html";
const SERVICE_WORKER: &str = "service-worker.js";

/// An agent in the page's list.
#[derive(Serialize)]
struct PageAgent {
    id: String,
    name: String,
    /// Its name in the list of players, as a server of the page has it.
    label: Label,
    variant: &'static str,
    /// Its file, relative to `assets`.
    file: String,
    takes_simulations: bool,
    /// Ratings to which its strength can be limited.
    strengths: Vec<u32>,
    endgames: PageEndgames,
}

/// The endgame database of an agent's game.
#[derive(Serialize)]
struct PageEndgames {
    /// Its file, relative to `assets`.
    file: String,
    pieces: usize,
}

/// A page in the making.
struct Page<'a> {
    /// The folder of endgame databases.
    endgames: &'a Path,
    agents: Vec<PageAgent>,
    /// The files and their paths.
    files: Vec<(String, Vec<u8>)>,
}

/// Exports the page to the folder `to`, which is created if it does not exist; an earlier page in
/// it is replaced. Its endgame databases are the largest ones of the agent's run and of the folder
/// `endgames`, or have three pieces. Returns the files, in alphabetical order.
///
/// # Errors
/// If an agent or a database cannot be read, the folder holds something else, or the disk fails.
pub fn export_page(source: &AgentSource, endgames: &Path, to: &Path) -> Result<Vec<String>> {
    let mut page = Page {
        endgames,
        agents: Vec::new(),
        files: Vec::new(),
    };
    match source {
        AgentSource::Network(source) => {
            let is_bundled = matches!(source, ModelSource::Bundled(_));
            for loaded in source.load_all()? {
                page.add_network(loaded, is_bundled)?;
            }
        }
        AgentSource::Evaluation(source) => {
            for network in source.load_all()? {
                page.add_evaluation(&network)?;
            }
        }
    }
    let Page {
        agents, mut files, ..
    } = page;
    let list = serde_json::to_vec_pretty(&agents).map_err(EvaluationError::from)?;
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
    files.extend(js::modules().map(|(name, module)| (format!("assets/{name}"), module)));
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
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let sign = Sign {
        path: AGENTS,
        is_one: is_list,
        files: &names,
    };
    folder::write(to, "a page", &sign, &files)?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Returns `true` if this is the list of a page's agents.
fn is_list(text: &[u8]) -> bool {
    let list: Option<Vec<Value>> = serde_json::from_slice(text).ok();
    list.is_some_and(|agents| agents.iter().any(|agent| agent["variant"].is_string()))
}

impl Page<'_> {
    fn add_network(&mut self, loaded: LoadedModel, is_bundled: bool) -> Result<()> {
        let label = match is_bundled {
            true => Label::new("network", []),
            false => Label::new("named", [&loaded.name]),
        };
        let variant = loaded.model.variant;
        let file = format!("network-{variant}.safetensors");
        self.add_file(&file, loaded.model.to_bytes()?);
        let agent = PageAgent {
            id: format!("network:{variant}"),
            name: loaded.name,
            label,
            variant: variant.name(),
            file,
            takes_simulations: true,
            strengths: loaded.model.strength.choices(),
            endgames: self.add_endgames(variant, loaded.run.map(|(run, _)| run))?,
        };
        self.agents.push(agent);
        Ok(())
    }

    fn add_evaluation(&mut self, network: &Network) -> Result<()> {
        let variant = network.variant();
        let file = format!("evaluation-{variant}.safetensors");
        self.add_file(&file, network.to_bytes().map_err(EvaluationError::from)?);
        let agent = PageAgent {
            id: format!("evaluation:{variant}"),
            name: "alpha-beta with a learned evaluation".to_owned(),
            label: Label::new("search", []),
            variant: variant.name(),
            file,
            takes_simulations: false,
            strengths: network.strength().choices(),
            endgames: self.add_endgames(variant, None)?,
        };
        self.agents.push(agent);
        Ok(())
    }

    /// Adds the endgame database of a game, for an agent of a run if there is one.
    fn add_endgames(&mut self, variant: Variant, run: Option<RunDir>) -> Result<PageEndgames> {
        let own = run.map(|run| run.endgames_path());
        let dirs = [Some(self.endgames), own.as_deref()].into_iter().flatten();
        let kept = roster::endgames::largest(dirs, variant);
        let known = roster::endgames::read_or_quick(kept.as_ref().map(|(kept, _)| kept), variant)?;
        let mut database = Vec::new();
        known
            .write(&mut database)
            .within(|| format!("failed to write the endgame database of {variant}"))?;
        let (file, pieces) = (format!("endgames-{variant}.egd"), known.n_pieces());
        self.add_file(&file, database);
        Ok(PageEndgames { file, pieces })
    }

    fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((format!("assets/{name}"), bytes));
    }
}

/// The page without its view of runs, with relative URLs.
fn index() -> String {
    let own = ASSETS.iter().find(|asset| asset.name == INDEX);
    let text = own.map_or("", |asset| asset.text);
    let text = text.replace("\"/assets/", "\"assets/");
    let text = text.replace("\"/manifest.", "\"manifest.");
    let policy = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n");
    // Before anything that the page loads.
    let text = text.replace("<head>\n", &format!("<head>\n{policy}"));
    text.replace("    <a href=\"#/runs\">Runs</a>\n", "")
}

/// Caches exactly the files of this page.
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
        "# A page that plays\n\nStatic files for any web server, or `python3 -m http.server` in \
         this folder. The page plays inside the browser, needs no server, and works offline \
         once it was opened; a phone can install it.\n\n| game | agent | file \
         |\n|---|---|---|\n",
    );
    for agent in agents {
        let (variant, name, file) = (agent.variant, &agent.name, &agent.file);
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {variant} | {name} | `assets/{file}` |");
    }
    text
}
