//! The matches between the runs of different arms.

use std::ops::ControlFlow;
use std::time::Duration;

use engine::TimeControl;
use eval::{Arena, MatchResult, Opening, PlayerFactory, openings, play_match};
use store::ModelId;
use types::Seed;

use super::record::{ArmMatch, Comparison, Limit, MatchedModels, Measure};
use super::{CompareEvent, CompareObserver, Experiment};
use crate::Result;
use roster::{Effort, PlayerSpec};
use run::StageProgress;

/// Seed of openings and players, whatever the runs' seeds.
const SEED: u64 = 1;

/// Two runs that meet, by the indices of their arms and seeds.
#[derive(Clone, Copy)]
struct Encounter {
    measure: Measure,
    arms: [usize; 2],
    seeds: [usize; 2],
}

impl Experiment<'_> {
    /// Plays the missing matches until it is stopped. All pairs of runs have the same openings.
    pub(super) fn play(
        &self,
        comparison: &mut Comparison,
        observer: &mut CompareObserver<'_>,
    ) -> Result<()> {
        let n_seeds = self.setup.seeds.len();
        for measure in Measure::ALL {
            let terms = &self.setup.matches;
            let pairs = match measure.limit {
                Limit::Simulations => terms.pairs,
                Limit::Time => terms.timed_pairs,
            };
            let n_each = (pairs as usize).div_ceil(n_seeds * n_seeds).max(1);
            let sample = openings::sample(
                self.setup.variant,
                n_each * n_seeds * n_seeds,
                Seed::new(SEED).derive("compare", &[]),
            );
            let meetings = (0..n_seeds).flat_map(|a| (0..n_seeds).map(move |b| [a, b]));
            for (seeds, openings) in meetings.zip(sample.chunks(n_each)) {
                for arms in comparison.couples() {
                    let encounter = Encounter {
                        measure,
                        arms,
                        seeds,
                    };
                    if !self.meet(comparison, encounter, openings, observer)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Plays a match unless its result is known; returns whether it is known now.
    fn meet(
        &self,
        comparison: &mut Comparison,
        encounter: Encounter,
        openings: &[Opening],
        observer: &mut CompareObserver<'_>,
    ) -> Result<bool> {
        let Encounter {
            measure,
            arms,
            seeds,
        } = encounter;
        let runs = [0, 1].map(|side| &comparison.arms[arms[side]].runs[seeds[side]]);
        let seed_of = runs.map(|run| run.seed);
        if comparison.meeting(measure, arms, seed_of).is_some() {
            return Ok(true);
        }
        let of_champions = Measure {
            who: MatchedModels::Champions,
            ..measure
        };
        let known = comparison.meeting(of_champions, arms, seed_of);
        let meeting = match known {
            // The same two models have already played.
            Some(known) if runs.iter().all(|run| run.newest == run.champion) => ArmMatch {
                measure,
                ..known.clone()
            },
            _ => {
                let models = runs.map(|run| match measure.who {
                    MatchedModels::Champions => run.champion,
                    MatchedModels::Newest => run.newest,
                });
                let result = self.play_match(encounter, models, openings, observer)?;
                if result.pairs_played() < openings.len() as u64 {
                    return Ok(false);
                }
                ArmMatch {
                    measure,
                    arms,
                    seeds: seed_of,
                    moving_first: result.moving_first,
                    moving_second: result.moving_second,
                    pentanomial: result.pairs,
                }
            }
        };
        comparison.meetings.push(meeting);
        self.dir.commit(comparison)?;
        Ok(true)
    }

    fn play_match(
        &self,
        encounter: Encounter,
        models: [u32; 2],
        openings: &[Opening],
        observer: &mut CompareObserver<'_>,
    ) -> Result<MatchResult> {
        let [a, b] = [0, 1].map(|side| self.player(encounter, side, models[side]));
        let (a, b) = (a?, b?);
        let arena = Arena::new(Seed::new(SEED), self.setup.threads, self.stop);
        let name = format!("{}: {} against {}", encounter.measure, a.name, b.name);
        let total = openings.len() as u64;
        Ok(play_match([&a, &b], openings, &arena, &mut |result| {
            let note = format!("Elo {}", result.elo());
            let progress = StageProgress::new(&name, result.pairs_played(), total, note);
            observer(&CompareEvent::Progress(progress));
            ControlFlow::Continue(())
        })?)
    }

    fn player(
        &self,
        encounter: Encounter,
        side: usize,
        model: u32,
    ) -> Result<PlayerFactory<'static>> {
        let arm = &self.setup.arms[encounter.arms[side]].name;
        let seed = self.setup.seeds[encounter.seeds[side]];
        let terms = &self.setup.matches;
        let effort = Effort {
            simulations: terms.simulations,
            time: match encounter.measure.limit {
                Limit::Simulations => None,
                Limit::Time => Some(TimeControl::Move(Duration::from_secs_f64(terms.move_s))),
            },
        };
        let loaded = PlayerSpec::model_of(&self.dir.run_path(arm, seed), ModelId(model))?.load()?;
        let mut player = loaded.factory(self.setup.variant, &effort)?;
        player.name = format!("{arm}-{seed}");
        Ok(player)
    }
}
