//! Options of a player that are settings of the tree search.

use std::fmt;

use config::SCHEMA;
use engine::SearchPlayerConfig;
use search::{Mode, SearchConfig};
use serde_json::json;
use settings::Value;

/// Settings of the section `search` that override the network's, in the order in which they were
/// written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    asked: Vec<Asked>,
    /// The requested mode, or the only one to which all these settings belong.
    mode: Option<Mode>,
}

/// One of these settings, whose name is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    /// Its name without the section.
    name: String,
    /// Its value as text.
    text: String,
}

impl Asked {
    fn value(&self) -> Result<Value, String> {
        SCHEMA.value(&format!("search.{}", self.name), &self.text)
    }
}

impl SearchOptions {
    /// The names of all permitted settings.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        SCHEMA
            .keys()
            .filter_map(|key| key.name.strip_prefix("search."))
    }

    /// Adds a setting.
    pub(crate) fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let asked = Asked {
            name: name.to_owned(),
            text: value.to_owned(),
        };
        asked.value()?;
        self.asked.push(asked);
        Ok(())
    }

    /// Determines the mode, once all settings are present.
    ///
    /// # Errors
    /// If a setting has no effect.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let search = self.put_into(SearchConfig::usual().without_noise())?;
        let is_mode = |asked: &&Asked| asked.name == "mode";
        self.mode = self.asked.iter().find(is_mode).map(|_| search.mode);
        let possible = |mode: &Mode| self.mode.is_none_or(|asked| asked == *mode);
        let possible: Vec<Mode> = Mode::ALL.iter().copied().filter(possible).collect();
        let mut common = possible.clone();
        for Asked { name, .. } in self.asked.iter().filter(|asked| !is_mode(asked)) {
            let mut modes = possible.clone();
            modes.retain(|mode| search.in_mode(*mode).depends_on(name));
            if modes.is_empty() {
                let in_mode = self.mode.map(|mode| format!(" with mode={}", mode.name()));
                let in_mode = in_mode.unwrap_or_default();
                return Err(format!("{name} has no effect{in_mode}"));
            }
            common.retain(|mode| modes.contains(mode));
        }
        if let [only] = common[..] {
            self.mode = Some(only);
        }
        Ok(())
    }

    /// The search of a network whose self-play uses `search`.
    pub(crate) fn play(
        &self,
        search: SearchConfig,
        simulations: u32,
    ) -> Result<SearchPlayerConfig, String> {
        let search = self.put_into(search.without_noise())?;
        let player = SearchPlayerConfig::new(search, simulations);
        Ok(match self.mode {
            None => player,
            Some(mode) => SearchPlayerConfig {
                few: search.in_mode(mode),
                many: search.in_mode(mode),
                ..player
            },
        })
    }

    fn put_into(&self, search: SearchConfig) -> Result<SearchConfig, String> {
        let mut settings = json!(search);
        for asked in &self.asked {
            settings[&asked.name] = json!(asked.value()?);
        }
        serde_json::from_value(settings).map_err(|error| error.to_string())
    }
}

impl fmt::Display for SearchOptions {
    /// Formats the settings as written after a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut asked = self.asked.iter();
        asked.try_for_each(|Asked { name, text, .. }| write!(f, ",{name}={text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<SearchOptions, String> {
        let mut options = SearchOptions::default();
        for option in text.split(',') {
            let (name, value) = option.split_once('=').unwrap();
            options.add(name, value)?;
        }
        options.finish().map(|()| options)
    }

    fn play(text: &str) -> SearchPlayerConfig {
        let options = options(text).unwrap();
        options.play(SearchConfig::usual(), 64).unwrap()
    }

    #[test]
    fn every_setting_but_the_number_of_simulations_can_be_asked_for() {
        for name in SearchOptions::names() {
            let counts = |mode: &Mode| SearchConfig::usual().in_mode(*mode).depends_on(name);
            let counts = Mode::ALL.iter().any(counts);
            assert_eq!(counts, !["mode", "simulations"].contains(&name), "{name}");
        }
    }

    #[test]
    fn a_setting_asks_for_the_mode_that_it_belongs_to() {
        let gumbel = play("c_scale=0.25");
        assert_eq!(gumbel.few, gumbel.many);
        assert_eq!((gumbel.few.mode, gumbel.few.c_scale), (Mode::Gumbel, 0.25));
        let puct = play("puct_noise_alpha=3,puct_noise_weight=0.5");
        assert_eq!(puct.few, puct.many);
        assert_eq!(puct.few.mode, Mode::Puct);
        let noise = (puct.few.puct_noise_alpha, puct.few.puct_noise_weight);
        assert_eq!(noise, (3.0, 0.5));
        for both in [
            play("draw_score=-0.5"),
            play("c_visit=9,puct_exploration=2,draw_score=-0.5"),
        ] {
            assert_eq!((both.few.mode, both.many.mode), (Mode::Gumbel, Mode::Puct));
            assert_eq!((both.few.draw_score, both.many.draw_score), (-0.5, -0.5));
        }
        let usual = play("mode=puct");
        assert!(usual.few == usual.many && usual.many == play("draw_score=0").many);
    }

    #[test]
    fn what_changes_nothing_is_refused() {
        for (text, fault) in [
            (
                "mode=puct,c_scale=2",
                "c_scale has no effect with mode=puct",
            ),
            ("puct_noise_alpha=3", "puct_noise_alpha has no effect"),
            ("c_scale=200", "`search.c_scale` is 200.0, not 0 to 100"),
            ("mode=pucd", "one of gumbel, puct (did you mean `puct`?)"),
        ] {
            let error = options(text).unwrap_err();
            assert!(error.contains(fault), "{error}");
        }
    }
}
