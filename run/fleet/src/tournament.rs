//! Tournaments on many machines.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use config::{ConfigSources, RunFile};
use eval::{Arena, EvalError, PairBatch, PlayerFactory, TakeBatch, TournamentRunner};
use model::{Model, ModelMeta, ModelWeights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use roster::{Effort, LoadedPlayer};
use rules::Variant;
use share::{Assignment, MeetingsWork, PortablePlayer, Protocol, Share, Trust, Work};
use store::RunId;
use xxhash_rust::xxh3::xxh3_64;

use crate::batches::{Batches, SharedPair};
use crate::handshake::handshake;
use crate::lead::{Lead, note};
use crate::portable;
use crate::table::{End, Seat, Table};
use crate::{FleetError, Result};

/// Maximum number of parts of a round.
const CHUNKS: u32 = 1024;
/// The generation of all assignments of a tournament.
const GENERATION: u32 = 0;

/// A tournament to be played by many machines.
pub struct SharedTournament<'a> {
    /// The game.
    pub variant: Variant,
    /// The terms of the tournament.
    pub terms: &'a eval::Terms,
    /// The players.
    pub players: &'a [LoadedPlayer],
    /// The effort of players without options of their own.
    pub effort: &'a Effort,
    /// Threads of this machine.
    pub threads: usize,
}

/// The machines that have joined at a share and play the games of a tournament. Games are recorded
/// when a round is over, or when the tournament is stopped.
pub struct FleetTournament {
    lead: Lead,
    players: Vec<PortablePlayer>,
    settings: String,
    simulations: u32,
}

impl FleetTournament {
    /// Shares the players, and then the games to play, with the machines that join. This machine
    /// repeats a fraction of their games, given by `trust`. A share belongs to the tournament with
    /// the first terms, even if it gets other players later.
    ///
    /// # Errors
    /// If another machine cannot make one of the players, or the share fails or is used by another
    /// fleet.
    pub fn lead(
        share: Arc<dyn Share>,
        trust: Trust,
        tournament: &SharedTournament<'_>,
    ) -> Result<FleetTournament> {
        let &SharedTournament {
            variant,
            terms,
            players,
            effort,
            threads,
        } = tournament;
        let shared = players
            .iter()
            .map(|player| portable::shared_form(player, variant, effort))
            .collect::<Result<Vec<_>>>()?;
        let (players, objects): (Vec<PortablePlayer>, Vec<_>) = shared.into_iter().unzip();
        let resolved = ConfigSources::default().resolve(variant)?;
        let shape = resolved.config.model.shape(variant)?;
        let weights =
            ModelWeights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(resolved.config.seed));
        let file = RunFile::new(variant, resolved);
        // Any network shows whether machines compute the same results.
        let model = Model::new(variant, shape, ModelMeta::default(), weights)?;
        let (handshake, _) = handshake(&file, &model, threads)?;
        let id = RunId(xxh3_64(format!("tournament {terms:?}").as_bytes()));
        let protocol = Protocol::new(variant, id, file.render(), handshake);
        let lead = Lead::new(share, trust, protocol, &model)?;
        for (object, bytes) in objects.into_iter().flatten() {
            lead.share_bytes(&object, bytes)?;
        }
        Ok(FleetTournament {
            lead,
            players,
            settings: file.render(),
            simulations: effort.simulations,
        })
    }

    /// Tells all workers that they are no longer needed, and removes their games as far as the
    /// share allows: the tournament is over and recorded.
    ///
    /// # Errors
    /// If the share rejects the message.
    pub fn dismiss(&self) -> Result<()> {
        self.lead.dismiss()?;
        if let Err(error) = self.lead.tidy(GENERATION + 1, &[]) {
            tracing::warn!(%error, "the games stay in the share");
        }
        Ok(())
    }

    fn play_round(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut TakeBatch<'_>,
    ) -> Result<()> {
        let content = Batches(batches.into());
        let work = Work::Meetings(MeetingsWork {
            players: self.players.clone(),
            simulations: self.simulations,
            batches: content.shared(),
        });
        let total = batches.len() as u32;
        let assignment = Assignment {
            total,
            chunk: total.div_ceil(CHUNKS).max(1),
            ..Assignment::new(self.lead.run, GENERATION, self.settings.clone(), work)
        };
        let published = assignment.publish(&*self.lead.share);
        note(published.map_err(FleetError::from));
        let assignment = Arc::new(assignment);
        let mut taken: Vec<Vec<SharedPair>> = Vec::new();
        let end = loop {
            taken.clear();
            let table = Table::new(
                &*self.lead.share,
                &self.lead.trust,
                &assignment,
                content.clone(),
                arena.threads,
                false,
            );
            let end =
                table.play(
                    &mut |seat: Seat<'_, _>| {
                        Ok(content.play(players, &seat.source, seat.finished)? > 0)
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
        // Games of an excluded machine do not count.
        if end == End::Again {
            taken.clear();
        }
        self.lead.close(&assignment);
        for (number, pairs) in taken.iter().enumerate() {
            let games = content.restore(number, pairs);
            let impossible = || FleetError::Missing(format!("batch {number} cannot be played"));
            if take(number, games.ok_or_else(impossible)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl TournamentRunner for FleetTournament {
    fn play(
        &self,
        players: &[PlayerFactory<'_>],
        batches: &[PairBatch],
        arena: &Arena<'_>,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), EvalError> {
        let played = self.play_round(players, batches, arena, take);
        played.map_err(|error| EvalError::Runner(Box::new(error)))
    }
}
