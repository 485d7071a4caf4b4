//! Options that are settings of the tree search.

use std::fmt;

use engine::SearchPlayerConfig;
use rules::Variant;
use settings::Domain;

use crate::settings::{play_in, search_in};
use config::{ConfigSources, SCHEMA, SearchMode, SearchSection};

/// Settings of the section `search` that a player has instead of its network's, in the order in which they
/// were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    /// Names without the section, and values.
    asked: Vec<(String, String)>,
    /// The mode that was asked for, or the only one that all these settings belong to.
    mode: Option<SearchMode>,
}

impl SearchOptions {
    /// The names of all settings that may be asked for.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        SCHEMA
            .keys()
            .filter_map(|key| key.name.strip_prefix("search."))
    }

    /// Adds a setting.
    pub(crate) fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        SCHEMA.read(&full(name), value)?;
        self.asked.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Finds the mode, once all settings are there.
    ///
    /// # Errors
    /// Names a setting that changes nothing.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let usual = ConfigSources::default().resolve(Variant::ALL[0]);
        let usual = usual.map_err(|error| error.to_string())?.config.search;
        let section = self.put_into(&usual.without_noise())?;
        let is_mode = |(name, _): &&(String, String)| name == "mode";
        self.mode = self.asked.iter().find(is_mode).map(|_| section.mode);
        let possible = |mode: &SearchMode| self.mode.is_none_or(|asked| asked == *mode);
        let possible: Vec<SearchMode> = SearchMode::ALL.iter().copied().filter(possible).collect();
        let mut common = possible.clone();
        for (name, _) in self.asked.iter().filter(|asked| !is_mode(asked)) {
            let mut modes = possible.clone();
            modes.retain(|mode| counts(name, *mode, &section));
            if modes.is_empty() {
                let in_mode = self.mode.map(|mode| format!(" with mode={}", mode.name()));
                let in_mode = in_mode.unwrap_or_default();
                return Err(format!("{name} changes nothing{in_mode}"));
            }
            common.retain(|mode| modes.contains(mode));
        }
        if let [only] = common[..] {
            self.mode = Some(only);
        }
        Ok(())
    }

    /// The search of a network with these settings of its own.
    pub(crate) fn play(
        &self,
        search: &SearchSection,
        simulations: u32,
    ) -> Result<SearchPlayerConfig, String> {
        let section = self.put_into(&search.without_noise())?;
        Ok(play_in(&section, simulations, self.mode))
    }

    fn put_into(&self, section: &SearchSection) -> Result<SearchSection, String> {
        let mut asked = self.asked.iter();
        asked.try_fold(section.clone(), |section, (name, value)| {
            with(&section, name, value)
        })
    }
}

impl fmt::Display for SearchOptions {
    /// As they are written behind a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut asked = self.asked.iter();
        asked.try_for_each(|(name, value)| write!(f, ",{name}={value}"))
    }
}

fn full(name: &str) -> String {
    format!("search.{name}")
}

/// The section with one setting as a text has it.
fn with(section: &SearchSection, name: &str, value: &str) -> Result<SearchSection, String> {
    let mut table = toml::Table::try_from(section).map_err(|error| error.to_string())?;
    table.insert(name.to_owned(), SCHEMA.read(&full(name), value)?);
    table
        .try_into()
        .map_err(|error: toml::de::Error| error.to_string())
}

/// Whether searches in this mode depend on a setting: its smallest and its largest value make two.
fn counts(name: &str, mode: SearchMode, section: &SearchSection) -> bool {
    let key = SCHEMA.keys().find(|key| key.name == full(name));
    let Some(&Domain::Range { low, high }) = key.map(|key| &key.domain) else {
        return false;
    };
    let [low, high] = [low, high].map(|end| with(section, name, &end.to_string()));
    matches!((low, high), (Ok(low), Ok(high)) if search_in(mode, &low) != search_in(mode, &high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::{Mode, RootNoise};

    fn options(text: &str) -> Result<SearchOptions, String> {
        let mut options = SearchOptions::default();
        for option in text.split(',') {
            let (name, value) = option.split_once('=').unwrap();
            options.add(name, value)?;
        }
        options.finish().map(|()| options)
    }

    fn play(text: &str) -> SearchPlayerConfig {
        let config = ConfigSources::default().resolve(Variant::ALL[0]);
        let options = options(text).unwrap();
        options.play(&config.unwrap().config.search, 64).unwrap()
    }

    #[test]
    fn every_setting_but_the_number_of_simulations_can_be_asked_for() {
        for name in SearchOptions::names() {
            let mut section = ConfigSources::default().resolve(Variant::ALL[0]).unwrap();
            let search = &mut section.config.search;
            search.puct_noise_weight = 0.5;
            let counts = SearchMode::ALL
                .iter()
                .any(|&mode| counts(name, mode, search));
            assert_eq!(counts, !["mode", "simulations"].contains(&name), "{name}");
        }
    }

    #[test]
    fn a_setting_asks_for_the_mode_that_it_belongs_to() {
        let gumbel = play("c_scale=0.25");
        assert_eq!(gumbel.few, gumbel.many);
        assert!(matches!(gumbel.few.mode, Mode::Gumbel(gumbel) if gumbel.c_scale == 0.25));
        let puct = play("puct_noise_alpha=3,puct_noise_weight=0.5");
        assert_eq!(puct.few, puct.many);
        let noise = RootNoise {
            total_alpha: 3.0,
            weight: 0.5,
        };
        assert!(matches!(puct.few.mode, Mode::Puct(puct) if puct.root_noise == Some(noise)));
        for both in [
            play("draw_score=-0.5"),
            play("c_visit=9,puct_exploration=2,draw_score=-0.5"),
        ] {
            assert!(
                matches!(both.few.mode, Mode::Gumbel(_)) && matches!(both.many.mode, Mode::Puct(_))
            );
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
                "c_scale changes nothing with mode=puct",
            ),
            ("puct_noise_alpha=3", "puct_noise_alpha changes nothing"),
            ("c_scale=200", "`search.c_scale` is 200.0, not 0 to 100"),
            ("mode=pucd", "one of gumbel, puct (did you mean `puct`?)"),
        ] {
            let error = options(text).unwrap_err();
            assert!(error.contains(fault), "{error}");
        }
    }
}
