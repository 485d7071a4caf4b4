//! The gate: does the newest network replace the champion?

use std::ops::ControlFlow;

use eval::{Arena, GateEvent, GateReport, GateTest, PlayerFactory, SprtBounds, Verdict, openings};
use serde::Serialize;
use store::{ModelId, Scalar};

use super::generation::{Ended, Training};
use crate::evaluators::{Evaluators, Network};
use crate::players;

/// Separates the gate's openings and lots from everything else that the run's seed decides.
const GATE_STREAM: u64 = 0x6761_7465;

/// What decides the games of a gate: pairs that were played under other terms are not used.
#[derive(Serialize)]
struct GateTerms {
    candidate: u32,
    champion: u32,
    seed: u64,
    simulations: u32,
    precision: &'static str,
}

impl Training {
    /// Plays the newest model against the champion and promotes it if it is better.
    pub(crate) fn gate(&mut self) -> anyhow::Result<Ended> {
        let section = self.file.resolved.config.gate.clone();
        let (candidate, champion) = (self.state.newest, self.state.champion);
        if candidate == champion
            || !self
                .state
                .generation
                .is_multiple_of(section.every_generations)
        {
            return Ok(Ended::Complete);
        }
        let seed = self.stream(GATE_STREAM);
        let new = self.player_factory(candidate, section.simulations)?;
        let old = self.player_factory(champion, section.simulations)?;
        let deck = openings::sample(self.variant, section.max_pairs as usize, seed);
        let bounds = SprtBounds {
            nelo0: section.nelo0,
            nelo1: section.nelo1,
            alpha: section.alpha,
            beta: section.beta,
        };
        let generation = self.state.generation;
        self.display
            .stage(format!("generation {generation}: gate"), deck.len() as u64);
        let display = &mut self.display;
        let arena = Arena {
            seed,
            threads: self.threads,
            pairs_at_once: players::PAIRS_AT_ONCE,
            first_pair: 0,
            adjudication: eval::Adjudication::OFF,
            stop: self.stop.flag(),
        };
        let terms = GateTerms {
            candidate: candidate.0,
            champion: champion.0,
            seed,
            simulations: section.simulations,
            precision: self.file.resolved.config.model.precision.name(),
        };
        let (mut log, kept) = self.run.gate_log(candidate, &terms)?;
        let mut logged = Ok(());
        let test = GateTest {
            openings: &deck,
            bounds: &bounds,
        };
        let watch = &mut |event: GateEvent<'_>| match event {
            GateEvent::Finished(pair) => {
                logged = log.append(pair);
                if logged.is_err() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            }
            GateEvent::Counted(result) => {
                display.at(result.pairs_played(), || result.elo().to_string());
                ControlFlow::Continue(())
            }
        };
        let (report, _) = eval::gate([&new, &old], &test, &arena, &kept, watch)?;
        logged?;
        if self.stop.now() && report.verdict == Verdict::Inconclusive {
            return Ok(Ended::Stopped);
        }
        self.record_gate(candidate, &report)?;
        Ok(Ended::Complete)
    }

    fn record_gate(&mut self, candidate: ModelId, report: &GateReport) -> anyhow::Result<()> {
        self.run.write_gate(candidate, report)?;
        if report.verdict == Verdict::Better {
            self.state.champion = candidate;
        }
        self.status.gate = Some(report.sentence.clone());
        self.status.verdict = Some(report.verdict.to_string());
        self.write_metrics(&[
            (Scalar::GateScore, report.games.score()),
            (Scalar::GateLlr, report.llr),
        ])
    }

    /// The model as a match player.
    pub(crate) fn player_factory(
        &self,
        id: ModelId,
        simulations: u32,
    ) -> anyhow::Result<PlayerFactory<'static>> {
        let model = self.load(id)?;
        let config = crate::settings::play(&self.file.resolved.config, simulations, None);
        let precision = self.file.resolved.config.model.precision;
        let evaluators = Evaluators::new(
            Network::new(&model, precision),
            &self.compute,
            self.threads,
            config.games_at_once,
        )?;
        Ok(players::network(player_name(id), evaluators, config, None))
    }

    /// A seed for one use in this generation.
    pub(crate) fn stream(&self, purpose: u64) -> u64 {
        let mixed = self.file.resolved.config.seed ^ purpose.rotate_left(32);
        mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(self.state.generation)
    }
}

/// What a model of the run is called in matches.
pub(crate) fn player_name(id: ModelId) -> String {
    format!("model {id}")
}
