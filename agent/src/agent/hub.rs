//! Agents as engines of the Hub protocol.

use std::io::{BufRead, Write};

use engine::hub::{Frame, Identity, serve};
use engine::{Analyzer, Findings, PlayerError, Task};

use super::Agent;
use crate::Error;
use crate::limits::Limits;

impl Agent {
    /// Serves a client of the Hub protocol, version 2, until it quits or its stream ends. The client says how long
    /// to think; `nodes` is a limit that always holds. Where Black moves first, positions are written as pydraughts
    /// writes them unless the client asks otherwise. After a search that fails the client gets the message and no
    /// move; `failed` hears of it.
    ///
    /// # Errors
    /// When `nodes` is 0, or the client no longer reads.
    pub fn serve_hub(
        &mut self,
        input: impl BufRead + Send,
        output: impl Write,
        nodes: Option<u64>,
        failed: impl FnMut(&PlayerError) + Send,
    ) -> Result<(), Error> {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let identity = Identity {
            // A client may split at every `=`.
            name: format!("Crownhead {}", self.name).replace('=', " "),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            variants: vec![self.variant],
            frame: Frame::Pydraughts,
        };
        let mut engine = Engine {
            nodes: limits.checked()?.nodes,
            agent: self,
            failed,
        };
        serve(input, output, &identity, &mut engine).map_err(Error::Hub)
    }
}

/// An agent that never looks at more than so many nodes.
struct Engine<'a, F> {
    agent: &'a mut Agent,
    nodes: Option<u64>,
    failed: F,
}

impl<F: FnMut(&PlayerError) + Send> Analyzer for Engine<'_, F> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let mut task = Task {
            seed: self.agent.seed,
            ..task.clone()
        };
        let asked = &mut task.stopper.limits.nodes;
        *asked = self.nodes.into_iter().chain(*asked).min();
        let found = self.agent.analyzer().analyze(&task, report);
        if let Err(error) = &found {
            (self.failed)(error);
        }
        found
    }
}
