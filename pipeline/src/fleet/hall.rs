//! A tournament whose pairs many machines play.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use eval::{Arena, EvalError, Hall, MatchGame, PairBatch, PlayerFactory};
use fleet::{Guest, MeetingsWork, Share, Trust, Work};
use model::{Model, ModelMeta, ModelWeights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use store::RunId;
use xxhash_rust::xxh3::xxh3_64;

use super::batches::{Batches, SharedPair};
use super::lead::{Lead, note};
use super::table::{End, Seat, Table};
use super::{guest, handshake};
use crate::config::{ConfigSources, RunFile};
use crate::{PipelineError, Result};
use roster::{Effort, LoadedPlayer};

/// Batches that a round is cut into at most.
const CHUNKS: u32 = 1024;
/// The generation of all that a tournament shares, which knows no others.
const GENERATION: u32 = 0;

/// All who have joined at a share, as the place of a tournament. What they play is recorded when a round is
/// over, or when the tournament is stopped.
pub struct FleetHall {
    lead: Lead,
    guests: Vec<Guest>,
    settings: String,
    simulations: u32,
}

impl FleetHall {
    /// Shares the players, and from then on what they play, with all who join. As much as `trust` says is played
    /// again. A place belongs to the tournament of the first `terms`, whatever players it has later.
    ///
    /// # Errors
    /// When a player is none that another machine can make, or the share refuses or is used by others.
    pub fn lead(
        share: Arc<dyn Share>,
        trust: Trust,
        (variant, terms): (Variant, &eval::Terms),
        (contenders, effort): (&[LoadedPlayer], &Effort),
        threads: usize,
    ) -> Result<FleetHall> {
        let guests = contenders
            .iter()
            .map(|player| guest::guest(player, variant, effort))
            .collect::<Result<Vec<_>>>()?;
        let (guests, objects): (Vec<Guest>, Vec<_>) = guests.into_iter().unzip();
        let resolved = ConfigSources::default().resolve(variant)?;
        let shape = resolved.config.model.shape(variant)?;
        let weights =
            ModelWeights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(resolved.config.seed));
        let file = RunFile::new(variant, resolved);
        // Any network shows whether machines compute the same.
        let model = Model::new(variant, shape, ModelMeta::default(), weights)?;
        let (handshake, _) = handshake(&file, &model, None, threads)?;
        let id = RunId(xxh3_64(format!("tournament {terms:?}").as_bytes()));
        let lead = Lead::new(share, trust, (id, &file), (handshake, &model))?;
        for (object, bytes) in objects.into_iter().flatten() {
            lead.share_bytes(&object, bytes)?;
        }
        Ok(FleetHall {
            lead,
            guests,
            settings: file.render(),
            simulations: effort.simulations,
        })
    }

    /// Tells all who have joined that they may go, and removes what they have played, as far as the share lets it:
    /// the tournament is over and recorded.
    ///
    /// # Errors
    /// When the share refuses to tell them.
    pub fn dismiss(&self) -> Result<()> {
        self.lead.dismiss()?;
        if let Err(error) = self.lead.tidy(GENERATION + 1, &[]) {
            tracing::warn!(%error, "what was played stays in the share");
        }
        Ok(())
    }

    fn play_round(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut dyn FnMut(usize, Vec<MatchGame>),
    ) -> Result<()> {
        let content = Batches(batches.into());
        let work = Work::Meetings(MeetingsWork {
            players: self.guests.clone(),
            simulations: self.simulations,
            batches: content.shared(),
        });
        let total = batches.len() as u32;
        let place = (GENERATION, self.settings.clone());
        let assignment = self
            .lead
            .assignment(place, work, (total, total.div_ceil(CHUNKS)));
        let published = assignment.publish(&*self.lead.share);
        note(published.map_err(PipelineError::from));
        let assignment = Arc::new(assignment);
        let mut taken: Vec<Vec<SharedPair>> = Vec::new();
        let end = loop {
            taken.clear();
            let table = Table::new(
                &*self.lead.share,
                &assignment,
                content.clone(),
                &self.lead.trust,
            );
            let end = table.play(
                &mut |seat: Seat<'_, _>| {
                    let hands = (arena.threads, seat.halt);
                    Ok(content.play(players, &assignment, seat.claim, hands, seat.finished)? > 0)
                },
                arena.stop,
                &mut |items| {
                    taken.extend(items);
                    Ok(ControlFlow::Continue(()))
                },
            )?;
            if end != End::Again || arena.stop.load(Ordering::Relaxed) {
                break end;
            }
        };
        // What a machine that was found out has shared is believed no more.
        if end == End::Again {
            taken.clear();
        }
        self.lead.close(&assignment);
        for (number, pairs) in taken.iter().enumerate() {
            let games = content.restore(number, pairs);
            let impossible = || PipelineError::Missing(format!("batch {number} cannot be played"));
            take(number, games.ok_or_else(impossible)?);
        }
        Ok(())
    }
}

impl Hall for FleetHall {
    fn play(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut dyn FnMut(usize, Vec<MatchGame>),
    ) -> Result<(), EvalError> {
        let played = self.play_round(players, batches, arena, take);
        played.map_err(|error| EvalError::Venue(Box::new(error)))
    }
}
