//! Agents as engines of the Hub protocol.

use std::io::{BufRead, Write};

use engine::hub::{Frame, Identity, Version, serve};
use engine::{Analyzer, Findings, PlayerError, Task};

use crate::{Agent, Error, Limits};

impl Agent {
    /// Serves a client of the Hub protocol, version 2, until it quits or its stream ends. The
    /// client sets the limits; `nodes` is an additional limit for every search. In games where
    /// Black moves first, positions are written as in pydraughts unless the client asks otherwise.
    /// If a search fails, the client receives the message but no move, and `failed` is called.
    ///
    /// # Errors
    /// If `nodes` is 0, or the client no longer reads.
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
            name: format!("Crownhead {}", self.name()).replace('=', " "),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            variants: self.games().to_vec(),
            frame: Frame::Pydraughts,
            parameters: Vec::new(),
        };
        let mut engine = Engine {
            nodes: limits.checked()?.nodes,
            agent: self,
            failed,
        };
        serve(Version::Two, input, output, &identity, &mut engine).map_err(Error::Hub)
    }
}

/// An agent with a node limit for every search.
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
        let name = self.agent.name().to_owned();
        let member = self.agent.member(task.game.position().variant());
        let member = member.map_err(|error| PlayerError::Broken {
            name,
            reason: error.to_string().into(),
        })?;
        let mut task = Task {
            seed: member.seed,
            ..task.clone()
        };
        let asked = &mut task.stopper.limits.nodes;
        *asked = self.nodes.into_iter().chain(*asked).min();
        let found = member.analyzer().analyze(&task, report);
        if let Err(error) = &found {
            (self.failed)(error);
        }
        found
    }
}
