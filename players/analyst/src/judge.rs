//! One move, compared with the best one.

use engine::{Analyzer, Findings, PlayerError, SearchLimits, Task, TimeLeft, Variation};
use rules::Move;
use search::Proof;

use crate::mark::{Mark, score_of};

/// A move of a game and the best move instead, as one search sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The line that begins with the move played.
    pub played: Variation,
    /// The best line. The move played may begin it.
    pub best: Variation,
}

impl Judgment {
    /// The expected score after the move, for the side that made it.
    pub fn score(&self) -> Option<f32> {
        expected_score(&self.played)
    }

    /// The expected score that the move cost; nothing where there is no choice, or no value.
    pub fn loss(&self) -> Option<f32> {
        Some((expected_score(&self.best)? - expected_score(&self.played)?).max(0.0))
    }

    /// The mark that the move deserves.
    pub fn mark(&self) -> Option<Mark> {
        Mark::of_loss(self.loss()?)
    }
}

/// The expected score of a variation for the side that makes its first move, between strong
/// players: 1 for a win, 1/2 for a draw.
pub fn expected_score(variation: &Variation) -> Option<f32> {
    Some(score_of(variation.value?, variation.proof))
}

/// Judges a legal move of the task's game. Returns the findings of the search too. `report` hears
/// of intermediate results. An only move is not searched, and has no value.
///
/// Alpha-beta search compares both moves in one search. Other analyzers search the positions after
/// both moves, each with the limits of the task but half of its time.
///
/// # Errors
/// When the analyzer fails.
pub fn judge(
    analyzer: &mut dyn Analyzer,
    task: &Task<'_>,
    played: Move,
    report: &mut dyn FnMut(&Findings),
) -> Result<(Judgment, Findings), PlayerError> {
    if task.game.legal_moves().len() == 1 {
        let findings = Findings::bare(played);
        return Ok((both(findings.best(), findings.best()), findings));
    }
    let mut task = task.clone();
    task.stopper.limits.compared = Some(played);
    let findings = analyzer.analyze(&task, report)?;
    let best = findings.best();
    let mut lines = findings.variations.iter();
    let is_compared =
        |line: &&Variation| line.moves[0] == played && (line.visits.is_none() || *line == best);
    let judgment = match lines.find(is_compared) {
        Some(line) => both(line, best),
        None => {
            let line = after(analyzer, &task, played)?;
            both(&line, &after(analyzer, &task, best.moves[0])?)
        }
    };
    Ok((judgment, findings))
}

/// The better of two lines is the best one.
fn both(played: &Variation, best: &Variation) -> Judgment {
    let best = if expected_score(played) > expected_score(best) {
        played
    } else {
        best
    };
    Judgment {
        played: played.clone(),
        best: best.clone(),
    }
}

/// The line of a move, by a search of the position after it.
fn after(analyzer: &mut dyn Analyzer, task: &Task<'_>, mv: Move) -> Result<Variation, PlayerError> {
    let (mut game, mover) = (task.game.clone(), task.game.position().turn());
    game.play(mv);
    if let Some(outcome) = game.outcome() {
        let proof = match outcome.winner() {
            None => Proof::Draw,
            Some(winner) if winner == mover => Proof::Win(1),
            Some(_) => Proof::Loss(1),
        };
        return Ok(Variation {
            value: Some(proof.wdl()),
            proof: Some(proof),
            ..Findings::bare(mv).variations.remove(0)
        });
    }
    let mut stopper = task.stopper.clone();
    let elapsed = stopper.control.elapsed();
    stopper.limits = SearchLimits {
        compared: None,
        from_book: false,
        lines: 1,
        depth: stopper
            .limits
            .depth
            .map(|depth| depth.saturating_sub(1).max(1)),
        time: stopper
            .limits
            .time
            .map(|time| TimeLeft::Move(elapsed + time.limit() / 2)),
        ..stopper.limits
    };
    let task = Task {
        game: &game,
        seed: task.seed,
        stopper,
    };
    let mut line = analyzer.analyze(&task, &mut |_| {})?.variations.remove(0);
    line.moves.insert(0, mv);
    Ok(Variation {
        value: line.value.map(types::Wdl::flipped),
        proof: line.proof.map(Proof::before_the_move),
        depth: line.depth + 1,
        ..line
    })
}

#[cfg(test)]
mod tests {

    use alphabeta::{MaterialBalance, Resources};
    use engine::{AlphaBetaConfig, AlphaBetaPlayer, Stopper};
    use rules::{Game, Position, Variant};
    use types::{Seed, Wdl};

    use super::*;

    /// Judges a move at depth 5 by an analyzer.
    fn judged(analyzer: &mut dyn Analyzer, fen: &str, mv: &str) -> (Judgment, Findings) {
        let game = Game::new(Position::from_fen(Variant::English, fen).unwrap());
        let limits = SearchLimits {
            depth: Some(5),
            ..SearchLimits::default()
        };
        let task = Task {
            game: &game,
            seed: Seed::new(1),
            stopper: Stopper::within(limits),
        };
        let played = game.position().parse_move(mv).unwrap();
        judge(analyzer, &task, played, &mut |_| {}).unwrap()
    }

    fn searcher() -> AlphaBetaPlayer<MaterialBalance> {
        let config = AlphaBetaConfig {
            resources: Resources {
                table_bytes: 1 << 20,
                threads: 1,
            },
            depth: None,
            nodes: None,
            usual_nodes: 1000,
        };
        AlphaBetaPlayer::new("ab", MaterialBalance, config)
    }

    /// A searcher that cannot compare moves.
    struct Plain(AlphaBetaPlayer<MaterialBalance>, u32);

    impl Analyzer for Plain {
        fn analyze(
            &mut self,
            task: &Task<'_>,
            report: &mut dyn FnMut(&Findings),
        ) -> Result<Findings, PlayerError> {
            self.1 += 1;
            let mut task = task.clone();
            task.stopper.limits.compared = None;
            self.0.analyze(&task, report)
        }
    }

    /// White loses a man for nothing on 15, and none on 14.
    const HANGING: &str = "W:W18,30,31,32:B2,3,4,11";

    #[test]
    fn a_hanging_man_is_marked_by_both_ways_to_compare() {
        let mut plain = Plain(searcher(), 0);
        for (analyzer, name) in [
            (&mut searcher() as &mut dyn Analyzer, "one"),
            (&mut plain, "two"),
        ] {
            let (judgment, _) = judged(analyzer, HANGING, "18-15");
            assert!(
                judgment.mark() >= Some(Mark::Dubious),
                "{name}: {judgment:?}"
            );
            assert_ne!(judgment.best.moves[0], judgment.played.moves[0]);
        }
        assert_eq!(plain.1, 3, "the position, and those after both moves");
    }

    #[test]
    fn the_best_move_costs_nothing_and_an_only_move_is_not_searched() {
        let mut plain = Plain(searcher(), 0);
        let (judgment, findings) = judged(&mut plain, HANGING, "18-14");
        let is_best = findings.best().moves[0] == judgment.played.moves[0];
        assert!(judgment.loss() < Some(0.05) && judgment.mark().is_none());
        assert_eq!(plain.1, if is_best { 1 } else { 3 });
        plain.1 = 0;
        let (judgment, _) = judged(&mut plain, "W:W22:B18", "22x15");
        assert_eq!(
            (judgment.loss(), judgment.score(), plain.1),
            (None, None, 0)
        );
    }

    #[test]
    fn a_slower_win_costs_nothing() {
        let (judgment, _) = judged(&mut Plain(searcher(), 0), "W:W29,30:B21", "30-26");
        assert_eq!(judgment.best.value, Some(Wdl::WIN));
        assert_eq!((judgment.loss(), judgment.score()), (Some(0.0), Some(1.0)));
    }
}
