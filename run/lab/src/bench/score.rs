//! One figure for each part of the work, to compare machines by.

use std::path::Path;

use engine::{Stopper, Task};
use eval::EvalError;
use roster::PlayerSpec;
use rules::{Game, Position};
use store::AtomicFile;
use types::Seed;

use super::{Bench, Figure, Part};
use crate::Result;

/// Positions of one alpha-beta search.
const NODES: u64 = 200_000;
/// Bytes of one file, about the size of a training state.
const FILE: usize = 1 << 20;

/// A part of the work with one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// A figure of the usual measurements.
    Of(Part),
    /// Positions that the strongest player of the game searches on one thread.
    AlphaBeta,
    /// Files that reach the disk.
    Disk,
}

impl Score {
    /// All scores, in the order in which they are measured. Training uses the games of self-play.
    pub const ALL: [Score; 6] = [
        Score::Of(Part::Rules),
        Score::Of(Part::Inference),
        Score::Of(Part::Selfplay),
        Score::Of(Part::Training),
        Score::AlphaBeta,
        Score::Disk,
    ];
}

impl Bench {
    /// Measures the score of a part. Files are written to `folder`.
    ///
    /// # Errors
    /// If the network cannot be computed or trained, or the folder is not writable.
    pub fn score(&mut self, score: Score, folder: &Path) -> Result<Figure> {
        let from = self.figures.len();
        match score {
            Score::Of(part) => drop(self.measure(part)?),
            Score::AlphaBeta => self.alpha_beta()?,
            Score::Disk => self.disk(folder)?,
        }
        // Each part begins with its rates; only inference has one of all threads after that of one.
        let is_of_all = |figure: &&Figure| figure.what.ends_with(" threads");
        let measured = &self.figures[from..];
        let chosen = measured.iter().find(is_of_all).unwrap_or(&measured[0]);
        Ok(chosen.clone())
    }

    /// Alpha-beta search of the initial position.
    fn alpha_beta(&mut self) -> Result<()> {
        let strongest = self.variant.name().parse::<PlayerSpec>()?.load()?;
        let mut analyzer = strongest.analyzer(&[self.variant])?;
        let game = Game::new(Position::start(self.variant));
        let task = Task {
            game: &game,
            seed: Seed::new(1),
            stopper: Stopper::after(NODES),
        };
        let rate = self.best_rate(|| {
            analyzer.forget(NODES);
            let found = analyzer.analyze(&task, &mut |_| {})?;
            Ok::<_, EvalError>(found.nodes)
        })?;
        self.add("alpha-beta", "positions, one thread", rate / 1e6, "M/s");
        Ok(())
    }

    /// Files that are replaced as a whole, and are on the disk before the next one.
    fn disk(&mut self, folder: &Path) -> Result<()> {
        let (path, content) = (folder.join("file"), vec![0x5a; FILE]);
        let rate = self.best_rate(|| AtomicFile::write_whole(&path, &content).map(|()| 1))?;
        self.add("disk", "files of 1 MiB", rate, "/s");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rules::Variant;
    use run::config::ConfigSources;

    use super::*;

    #[test]
    fn every_part_has_one_score() {
        let sources = ConfigSources {
            preset: Some("tiny".to_owned()),
            threads: Some(2),
            ..ConfigSources::default()
        };
        let variant = Variant::GAMES[0];
        let config = sources.resolve(variant).unwrap().config;
        let mut bench = Bench::new(variant, config, Duration::from_millis(1)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let scores = Score::ALL.map(|score| bench.score(score, dir.path()).unwrap());
        assert!(scores.iter().all(|score| score.value > 0.0), "{scores:?}");
        let told = scores.map(|score| format!("{} {}", score.part, score.what));
        assert!(told[0].starts_with("rules perft "), "{told:?}");
        let expected = [
            "inference evaluations, 2 threads",
            "selfplay games",
            "training samples",
            "alpha-beta positions, one thread",
            "disk files of 1 MiB",
        ];
        assert_eq!(told[1..], expected);
    }
}
