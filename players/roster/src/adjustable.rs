//! Players whose options can be changed while they are in use.

use std::path::PathBuf;

use engine::defaults::{MAX_HASH, MAX_THREADS};
use engine::hub::Parameter;
use engine::{Analyzer, Findings, PlayerError, Task};
use rules::Variant;

use crate::options::Options;
use crate::{LoadedPlayer, PlayerSpec, RequestError, Result};

/// The largest rating that can be asked for; the player says which it can have.
const MAX_ELO: u32 = 9_999;

/// The options that can be changed, with the largest value of a number.
const ADJUSTABLE: [(&str, Option<u32>); 5] = [
    ("threads", Some(MAX_THREADS)),
    ("hash", Some(MAX_HASH)),
    ("elo", Some(MAX_ELO)),
    ("endgames", None),
    ("book", None),
];

/// The analyzer of a player, which is created again when an option changes. With `elo` only the
/// book matters: it sets everything else.
pub struct AdjustableAnalyzer {
    spec: PlayerSpec,
    games: Vec<Variant>,
    analyzer: Box<dyn Analyzer>,
}

impl AdjustableAnalyzer {
    /// The analyzer of `loaded`, which was read as `spec` says, for some of its games.
    ///
    /// # Errors
    /// If the player cannot analyse.
    pub fn new(
        spec: PlayerSpec,
        loaded: &LoadedPlayer,
        games: &[Variant],
    ) -> Result<AdjustableAnalyzer> {
        Ok(AdjustableAnalyzer {
            analyzer: loaded.analyzer(games)?,
            games: games.to_vec(),
            spec,
        })
    }

    /// The options that can be changed, with their values.
    pub fn parameters(&self) -> Vec<Parameter> {
        let is_taken = |name: &str| self.spec.takes.contains(&name);
        let taken = ADJUSTABLE.iter().filter(|(name, _)| is_taken(name));
        let parameter = |&(name, most): &(&'static str, Option<u32>)| Parameter {
            name,
            value: self.spec.options.shown(name),
            range: most.map(|most| u32::from(name == "threads")..=most),
        };
        taken.map(parameter).collect()
    }
}

/// The analyzer of those games that the player has with its options.
fn create(spec: &PlayerSpec, games: &[Variant]) -> Result<Box<dyn Analyzer>> {
    let loaded = spec.with(spec.options.alone_with_elo()).load()?;
    let own = games.iter().filter(|game| loaded.games.contains(game));
    let own: Vec<Variant> = own.copied().collect();
    match (own.is_empty(), games.first()) {
        (true, Some(&game)) => Err(loaded.does_not_play(game).into()),
        _ => loaded.analyzer(&own),
    }
}

impl Options {
    /// The options that count: with `elo`, those that do not change the strength.
    fn alone_with_elo(&self) -> Options {
        match self.elo {
            None => self.clone(),
            Some(_) => self.beside_elo(),
        }
    }

    /// The value of an adjustable option; 0 or nothing for the player's usual one.
    fn shown(&self, name: &str) -> String {
        let number = |value: Option<u32>, usual: u32| value.unwrap_or(usual).to_string();
        let path = |path: &Option<PathBuf>| {
            let path = path.as_ref().map(|path| path.display().to_string());
            path.unwrap_or_default()
        };
        match name {
            "threads" => number(self.threads, 1),
            "hash" => number(self.hash, 0),
            "elo" => number(self.elo, 0),
            "endgames" => path(&self.endgames),
            _ => path(&self.book),
        }
    }

    /// Sets an adjustable option; 0 or nothing is the player's usual value.
    fn adjust(&mut self, spec: &PlayerSpec, name: &str, value: &str) -> Result<(), RequestError> {
        match name {
            "threads" => self.threads = None,
            "hash" => self.hash = None,
            "elo" => self.elo = None,
            "endgames" => self.endgames = None,
            _ => self.book = None,
        }
        let is_path = ["endgames", "book"].contains(&name);
        if value.is_empty() || (value == "0" && !is_path) {
            return Ok(());
        }
        let read = self.read(spec.takes, &format!("{name}={value}"));
        read.map_err(|problem| RequestError(format!("{name} is {value:?}: {problem}")))
    }
}

impl Analyzer for AdjustableAnalyzer {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> std::result::Result<Findings, PlayerError> {
        self.analyzer.analyze(task, report)
    }

    fn set_option(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let mut options = self.spec.options.clone();
        let adjusted = options.adjust(&self.spec, name, value);
        adjusted.map_err(|error| error.to_string())?;
        if options.elo.is_some() {
            // What it hides must be right too.
            let full = Options {
                elo: None,
                ..options.clone()
            };
            let full = self.spec.with(full).load();
            full.map_err(|error| error.to_string())?;
        }
        let spec = self.spec.with(options);
        self.analyzer = create(&spec, &self.games).map_err(|error| error.to_string())?;
        self.spec = spec;
        Ok(())
    }

    fn forget(&mut self, nodes: u64) {
        self.analyzer.forget(nodes);
    }
}

#[cfg(test)]
mod tests {
    use engine::Stopper;
    use rules::{Game, Position};
    use types::Seed;

    use super::*;

    fn analyzer(player: &str, games: &[Variant]) -> AdjustableAnalyzer {
        let spec: PlayerSpec = player.parse().unwrap();
        let loaded = spec.load().unwrap();
        AdjustableAnalyzer::new(spec, &loaded, games).unwrap()
    }

    fn nodes(analyzer: &mut AdjustableAnalyzer) -> u64 {
        let game = Game::new(Position::start(Variant::English));
        let task = Task {
            game: &game,
            seed: Seed::new(1),
            stopper: Stopper::after(20_000),
        };
        analyzer.analyze(&task, &mut |_| ()).unwrap().nodes
    }

    #[test]
    fn options_change_and_wrong_ones_leave_everything_as_it_was() {
        let mut engine = analyzer("ab:bundled", &[Variant::English]);
        let full = nodes(&mut engine);
        for (name, value) in [("threads", "1"), ("hash", "16"), ("elo", "600")] {
            engine.set_option(name, value).unwrap();
        }
        let weak = nodes(&mut engine);
        assert!(weak < full / 2, "{weak} of {full}");
        for (name, value, hint) in [
            ("threads", "257", "more than 256"),
            ("hash", "much", "hash=64"),
            ("elo", "9000", "english"),
            ("endgames", "/nowhere", "/nowhere"),
            ("book", "/nowhere", "/nowhere"),
        ] {
            let error = engine.set_option(name, value).err();
            let error = error.unwrap_or_else(|| panic!("{name}={value}"));
            assert!(error.contains(hint), "{error}");
            assert_eq!(nodes(&mut engine), weak);
        }
        engine.set_option("elo", "0").unwrap();
        assert_eq!(nodes(&mut engine), full);
        let values: Vec<String> = engine
            .parameters()
            .iter()
            .map(|parameter| format!("{}={}", parameter.name, parameter.value))
            .collect();
        assert_eq!(
            values,
            ["threads=1", "hash=16", "elo=0", "endgames=", "book="]
        );
    }

    #[test]
    fn players_only_have_the_parameters_that_they_take() {
        let names = |player: &str| {
            let parameters = analyzer(player, &[Variant::English]).parameters();
            parameters.iter().map(|own| own.name).collect::<Vec<_>>()
        };
        assert_eq!(names("mcts:rollouts=9"), ["book"]);
        assert_eq!(
            names("material:english"),
            ["threads", "hash", "endgames", "book"]
        );
        assert!(names("random").is_empty());
    }
}
