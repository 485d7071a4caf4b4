//! The report of a match.

use std::fmt;

use ratings::{
    Counts, EloInterval, Pentanomial, SprtBounds, likelihood_of_superiority, normalized_elo,
};
use rules::Variant;
use serde::Serialize;
use types::tidy;

use super::result::{MatchResult, Resignations};

/// The largest share of forfeited games with which a match measures strength.
pub(crate) const MOST_FORFEITS: f64 = 0.02;

/// The result of a match for player `a`. `Display` is for people, `serde` is for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchReport {
    /// Name of the variant.
    pub variant: &'static str,
    /// The player whose results these are.
    pub a: String,
    /// Its opponent.
    pub b: String,
    /// Pairs played, duplicates included.
    pub pairs: u64,
    /// Results of `a`; duplicates do not count.
    #[serde(flatten)]
    pub total: Counts,
    /// Score of `a`, 0 to 1; `None` if no game was played.
    pub score: Option<f64>,
    /// The same without the games that were forfeited.
    pub score_without_forfeits: Option<f64>,
    /// Games in which `a` made the first move.
    pub moving_first: Counts,
    /// The other games.
    pub moving_second: Counts,
    /// Advantage of `a` in Elo.
    pub elo: EloInterval,
    /// Advantage of `a` in normalized Elo.
    pub normalized_elo: f64,
    /// Probability that `a` is the stronger one.
    pub likelihood_of_superiority: f64,
    /// Number of pairs with 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
    /// The log-likelihood ratio of the two hypotheses in `bounds`.
    pub llr: f64,
    /// The limits at which it accepts the first or the second one.
    pub llr_limits: (f64, f64),
    /// The hypotheses.
    pub bounds: SprtBounds,
    /// `better`, `not better` or `inconclusive`; `not a measure of strength` if more than 2 % of
    /// the games were forfeited.
    pub verdict: String,
    /// Repeated games.
    pub duplicates: u64,
    /// Games that ended by resignation, and those that would have.
    pub resignations: Resignations,
    /// Games lost by forfeit.
    pub forfeits: Forfeits,
    /// Mean number of plies per game, the opening included.
    pub mean_plies: f64,
    /// Seed of openings and players.
    pub seed: u64,
    /// Wall time of the match.
    pub seconds: f64,
}

/// Games lost by forfeit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Forfeits {
    /// Lost by `a`.
    pub a: u64,
    /// Lost by `b`.
    pub b: u64,
    /// All of them.
    pub games: Vec<Forfeit>,
}

impl Forfeits {
    fn of(result: &MatchResult) -> Forfeits {
        let mut forfeits = Forfeits::default();
        for game in &result.games {
            let Some(fault) = &game.fault else { continue };
            let loser = usize::from(game.half_points() > 0);
            *[&mut forfeits.a, &mut forfeits.b][loser] += 1;
            forfeits.games.push(Forfeit {
                round: game.round(),
                loser: result.names[loser].clone(),
                fault: fault.to_string(),
            });
        }
        forfeits
    }

    /// Number of forfeited games.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.a + self.b
    }
}

/// A game that one side lost by forfeit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forfeit {
    /// `pair.game`, as in the PDN.
    pub round: String,
    /// The player that lost.
    pub loser: String,
    /// The fault of that player.
    pub fault: String,
}

impl MatchReport {
    /// The report of a match that took `seconds`, with the verdict of the test of `bounds`.
    pub fn new(
        variant: Variant,
        result: &MatchResult,
        bounds: SprtBounds,
        seed: u64,
        seconds: f64,
    ) -> MatchReport {
        let [a, b] = result.names.clone();
        let plies = result.games.iter().map(|game| game.all_moves().count());
        let forfeits = Forfeits::of(result);
        let is_decided_by_forfeits =
            forfeits.count() as f64 > MOST_FORFEITS * result.games.len() as f64;
        let verdict = match is_decided_by_forfeits {
            true => "not a measure of strength".to_owned(),
            false => bounds.verdict(&result.pairs).to_string(),
        };
        MatchReport {
            variant: variant.name(),
            a,
            b,
            pairs: result.pairs_played(),
            total: result.total(),
            score: score(result.total()),
            score_without_forfeits: score(on_the_board(result)),
            moving_first: result.moving_first,
            moving_second: result.moving_second,
            elo: result.elo(),
            normalized_elo: normalized_elo(&result.pairs),
            likelihood_of_superiority: likelihood_of_superiority(&result.pairs),
            pentanomial: result.pairs,
            llr: bounds.llr(&result.pairs),
            llr_limits: bounds.limits(),
            bounds,
            verdict,
            duplicates: result.duplicates,
            resignations: Resignations::of(&result.games),
            forfeits,
            mean_plies: plies.sum::<usize>() as f64 / result.games.len().max(1) as f64,
            seed,
            seconds,
        }
    }

    /// The forfeits in two lines.
    fn forfeit_headline(&self) -> String {
        let (count, games) = (self.forfeits.count(), 2 * self.pairs);
        let Forfeits { a, b, .. } = self.forfeits;
        format!(
            "{count} of {games} games were forfeited, {a} by the first player and {b} by the second; \
             score\nwithout them: {}",
            share(self.score_without_forfeits)
        )
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |counts: Counts| {
            let [wins, draws, losses] = counts.to_array();
            let score = share(score(counts));
            format!("{wins:>6} {draws:>6} {losses:>6}  {score:>8}")
        };
        writeln!(f, "{}: {} against {}", self.variant, self.a, self.b)?;
        if self.forfeits.count() > 0 {
            writeln!(f, "{}", self.forfeit_headline())?;
        }
        writeln!(f)?;
        writeln!(f, "                  won  drawn   lost   score")?;
        writeln!(f, "  moving first {}", row(self.moving_first))?;
        writeln!(f, "  moving second{}", row(self.moving_second))?;
        writeln!(f, "  all games    {}", row(self.total))?;
        writeln!(f)?;
        let points = self.pentanomial.0.map(|n| n.to_string()).join(" ");
        writeln!(
            f,
            "  pairs        {}; with 0, ½, 1, 1½, 2 points: {points}",
            self.pairs
        )?;
        writeln!(f, "  Elo          {} (95 %); 0 is equal strength", self.elo)?;
        let superior = 100.0 * self.likelihood_of_superiority;
        writeln!(
            f,
            "  normalized   {:+.0}; stronger with {superior:.1} %",
            tidy(self.normalized_elo, 0)
        )?;
        let (low, high) = self.llr_limits;
        let SprtBounds { nelo0, nelo1, .. } = self.bounds;
        writeln!(
            f,
            "  LLR          {:+.2} in {low:+.2}..{high:+.2} for {nelo1:+.0} against {nelo0:+.0} \
             normalized: {}",
            tidy(self.llr, 2),
            self.verdict
        )?;
        write!(f, "  games        {:.0} plies on average", self.mean_plies)?;
        match self.duplicates {
            0 => writeln!(f)?,
            n => writeln!(f, "; {n} played twice and counted once")?,
        }
        if let Some(audit) = self.resignations.describe() {
            writeln!(f, "  resignation  {audit}")?;
        }
        self.forfeits.games.iter().try_for_each(|forfeit| {
            let (round, loser, fault) = (&forfeit.round, &forfeit.loser, &forfeit.fault);
            writeln!(f, "  forfeit      game {round}, {loser}: {fault}")
        })
    }
}

/// The score of some games, if there are any.
fn score(counts: Counts) -> Option<f64> {
    (counts.games() > 0).then(|| counts.score())
}

/// A score in percent.
fn share(score: Option<f64>) -> String {
    score.map_or_else(
        || "no game".to_owned(),
        |score| format!("{:.1} %", 100.0 * score),
    )
}

/// The results of games that were not forfeited.
fn on_the_board(result: &MatchResult) -> Counts {
    let mut counts = Counts::default();
    let games = result.games.iter();
    let counted = games.filter(|game| game.fault.is_none() && !game.duplicate);
    counted.for_each(|game| counts.add(game.half_points()));
    counts
}
