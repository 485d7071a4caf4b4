//! Agreement of evaluations with a judge and with results, by the phase of the game.
//!
//! The positions are quiet and come from games of others. The judge should be another engine: a
//! search that judges itself agrees with its own errors.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use rand::RngExt as _;
use ratings::{Estimate, bootstrap, rank_correlation};
use rules::Variant;
use rules::pdn::PdnResult;
use serde::{Deserialize, Serialize};
use types::Seed;

use analyst::SourceGame;
use run::{RequestError, Result, StageProgress};
use study::analysis::{Analysts, PositionQuestion, answer_positions};
use study::collection::Texts;
use study::{Journal, N_PHASES, phases};

/// The positions of a yardstick.
#[derive(Clone, Debug)]
pub struct YardstickRequest {
    /// Files of games.
    pub games: Vec<PathBuf>,
    /// The game.
    pub variant: Variant,
    /// Positions of each phase at most, of different games.
    pub positions: usize,
    /// The seed of their choice.
    pub seed: u64,
    /// Positions that are searched at a time.
    pub threads: usize,
}

/// A position of a game.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    fen: String,
    /// The phase, 0 with the most pieces.
    phase: usize,
    /// The score of the side to move at the end of the game, if it is known.
    result: Option<f64>,
}

/// A value of the judge, for the side to move, from -1 to 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Judged {
    fen: String,
    value: f32,
}

/// The header of the file of judged positions.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    yardstick: u32,
    variant: String,
    judge: String,
}

/// Positions that a judge has evaluated.
#[derive(Debug)]
pub struct Yardstick {
    question: PositionQuestion,
    judge: String,
    samples: Vec<Sample>,
    /// The judge's values of the samples.
    values: Vec<f32>,
}

/// The agreement of a player with a yardstick.
#[derive(Clone, Debug, Serialize)]
pub struct Agreement {
    /// The player and its effort.
    pub player: String,
    /// One for each phase that has positions.
    pub phases: Vec<PhaseAgreement>,
}

/// The agreement in a phase of the game.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseAgreement {
    /// The fewest and the most pieces.
    pub pieces: [usize; 2],
    /// Positions.
    pub positions: usize,
    /// Spearman's correlation with the judge's values.
    pub correlation: Option<Estimate>,
    /// The mean cross-entropy of results, in nats.
    pub loss: Option<Estimate>,
}

impl Yardstick {
    /// Lets the judge evaluate positions of games. What it has found is kept in the file `kept`, so
    /// that the same command resumes and later ones need no judge's time.
    ///
    /// # Errors
    /// When no quiet position is found, a file cannot be read or written, or the judge fails.
    pub fn new(
        request: &YardstickRequest,
        judge: &Arc<Analysts>,
        kept: PathBuf,
        progress: &mut dyn FnMut(&StageProgress),
    ) -> Result<Yardstick> {
        let header = Header {
            yardstick: 1,
            variant: request.variant.name().to_owned(),
            judge: judge.name(),
        };
        let of = "values of another game, another judge, or one with other limits";
        let mut journal = Journal::<Judged>::open(kept, &header, of)?;
        let judged = journal.items()?;
        let judged = judged.map(|one| one.map(|Judged { fen, value }| (fen, value)));
        let mut judged: HashMap<String, f32> = judged.collect::<Result<_>>()?;
        let samples = sample(request)?;
        if samples.is_empty() {
            let reason = format!("the files have no quiet position of {}", request.variant);
            return Err(RequestError(reason).into());
        }
        let mut stage = StageProgress::new("judging", 0, samples.len() as u64, String::new());
        let fens = samples.iter().map(|sample| &sample.fen);
        let unknown = fens.filter(|fen| !judged.contains_key(*fen));
        let unknown: Vec<String> = unknown.cloned().collect();
        stage.done = stage.total - unknown.len() as u64;
        progress(&stage);
        let question = PositionQuestion {
            variant: request.variant,
            lines: 1,
            threads: request.threads,
        };
        values(&question, judge, &unknown, &mut |fen, value| {
            let fen = fen.to_owned();
            journal.add(&Judged {
                fen: fen.clone(),
                value,
            })?;
            judged.insert(fen, value);
            stage.done += 1;
            progress(&stage);
            Ok(())
        })?;
        Ok(Yardstick {
            question,
            judge: judge.name(),
            values: samples.iter().map(|sample| judged[&sample.fen]).collect(),
            samples,
        })
    }

    /// The name and the effort of the judge.
    pub fn judge(&self) -> &str {
        &self.judge
    }

    /// Compares the values of a player.
    ///
    /// # Errors
    /// When it fails to analyze a position.
    pub fn measure(
        &self,
        player: &Arc<Analysts>,
        progress: &mut dyn FnMut(&StageProgress),
    ) -> Result<Agreement> {
        let fens: Vec<_> = self.samples.iter().map(|one| one.fen.clone()).collect();
        let mut stage = StageProgress::new(player.name(), 0, fens.len() as u64, String::new());
        progress(&stage);
        let mut found = Vec::new();
        values(&self.question, player, &fens, &mut |_, value| {
            found.push(value);
            stage.done += 1;
            progress(&stage);
            Ok(())
        })?;
        let phases = phases(self.question.variant).into_iter().enumerate();
        let phases = phases.filter_map(|(phase, pieces)| self.agreement(phase, pieces, &found));
        Ok(Agreement {
            player: player.name(),
            phases: phases.collect(),
        })
    }

    fn agreement(&self, phase: usize, pieces: [usize; 2], found: &[f32]) -> Option<PhaseAgreement> {
        let all = self.samples.iter().zip(self.values.iter().zip(found));
        let all = all.filter(|(sample, _)| sample.phase == phase);
        let (samples, values): (Vec<_>, Vec<_>) = all.unzip();
        if samples.is_empty() {
            return None;
        }
        let correlation = |items: &[usize]| {
            let judge: Vec<f64> = items.iter().map(|item| (*values[*item].0).into()).collect();
            let mine: Vec<f64> = items.iter().map(|item| (*values[*item].1).into()).collect();
            rank_correlation(&judge, &mine)
        };
        let losses = samples.iter().zip(&values);
        let losses = losses.filter_map(|(sample, (_, value))| {
            let score = sample.result?;
            Some(cross_entropy(score, f64::from(**value)))
        });
        let losses: Vec<f64> = losses.collect();
        let loss = |items: &[usize]| types::mean(items.iter().map(|item| losses[*item]));
        Some(PhaseAgreement {
            pieces,
            positions: samples.len(),
            correlation: estimate(samples.len(), correlation),
            loss: estimate(losses.len(), loss),
        })
    }
}

/// A statistic of `n` positions, with its interval by resampling of positions.
fn estimate(n: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<Estimate> {
    let all: Vec<usize> = (0..n).collect();
    let mut rng = Seed::new(0).derive("bootstrap", &[n as u64]).rng();
    Some(Estimate {
        value: statistic(&all)?,
        ci95: bootstrap(n, |n| rng.random_range(0..n), statistic)?,
    })
}

/// The cross-entropy of a score, 0, 1/2 or 1, and the score that a value expects.
fn cross_entropy(score: f64, value: f64) -> f64 {
    let expected = f64::midpoint(1.0, value).clamp(1e-4, 1.0 - 1e-4);
    -(score * expected.ln() + (1.0 - score) * (1.0 - expected).ln())
}

/// Chooses quiet positions, at most one of a game and phase.
fn sample(request: &YardstickRequest) -> Result<Vec<Sample>> {
    let mut phases: [BTreeMap<u64, Sample>; N_PHASES] = Default::default();
    for path in &request.games {
        for read in Texts::open(path, None)?.games(Some(request.variant)) {
            let Some(game) = read.game else { continue };
            if game.start.variant() != request.variant {
                continue;
            }
            for (order, one) in choose(&game, request.seed) {
                let chosen = &mut phases[one.phase];
                // The order depends on the position, so equal ones are one.
                chosen.insert(order, one);
                if chosen.len() > request.positions {
                    chosen.pop_last();
                }
            }
        }
    }
    Ok(phases.into_iter().flat_map(BTreeMap::into_values).collect())
}

/// A quiet position of each phase of a game, with the random number that decides.
fn choose(game: &SourceGame, seed: u64) -> impl Iterator<Item = (u64, Sample)> {
    let (phases, result) = (phases(game.start.variant()), game.text.result());
    let mut chosen: [Option<(u64, Sample)>; N_PHASES] = Default::default();
    let mut position = game.start;
    for &mv in &game.moves {
        let next = position.play(mv);
        // Nor can the opponent capture after the move that was played.
        let is_quiet = !position.may_capture() && !next.may_capture();
        let before = std::mem::replace(&mut position, next);
        if !is_quiet {
            continue;
        }
        let pieces = before.occupied().count() as usize;
        let phase = phases.iter().position(|[fewest, _]| *fewest <= pieces);
        let phase = phase.unwrap_or_default();
        let fen = before.to_fen();
        let path: Vec<u64> = fen.bytes().map(u64::from).collect();
        let order = Seed::new(seed).derive("yardstick", &path).get();
        let place = &mut chosen[phase];
        if place.as_ref().is_some_and(|(least, _)| *least <= order) {
            continue;
        }
        let result = match result {
            PdnResult::Won(color) => Some(f64::from(u8::from(color == before.turn()))),
            PdnResult::Drawn => Some(0.5),
            PdnResult::Open => None,
        };
        let one = Sample { fen, phase, result };
        *place = Some((order, one));
    }
    chosen.into_iter().flatten()
}

/// The values of positions for the side to move, in order.
fn values(
    question: &PositionQuestion,
    player: &Arc<Analysts>,
    fens: &[String],
    each: &mut dyn FnMut(&str, f32) -> Result<()>,
) -> Result<()> {
    let (name, text) = (player.name(), fens.join("\n"));
    answer_positions(Cursor::new(text), question, player, |answer| {
        let fen = &fens[answer.line as usize - 1];
        let found = answer
            .found
            .map_err(|error| RequestError(format!("{fen}: {error}")))?;
        let found = found.findings.as_ref().and_then(|found| found.best().value);
        let value = found.ok_or_else(|| {
            RequestError(format!(
                "{name}, gave no value of {fen}: allow more nodes, or take another player"
            ))
        })?;
        each(fen, value.value())
    })
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.player)?;
        for phase in &self.phases {
            let [fewest, most] = phase.pieces;
            let pieces = format!("{fewest}-{most}");
            write!(f, "  {pieces:>6} {:>6}", phase.positions)?;
            for estimate in [&phase.correlation, &phase.loss] {
                match estimate {
                    Some(Estimate { value, ci95 }) => {
                        write!(f, "  {value:>6.3} [{:>6.3}, {:>6.3}]", ci95[0], ci95[1])?;
                    }
                    None => write!(f, "  {:>23}", "-")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
