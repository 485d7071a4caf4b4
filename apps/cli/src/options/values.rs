//! Parsers for values of options.

use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser, TypedValueParser};

/// Parses numbers within a range.
pub(crate) fn number_in<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.parse::<T>().ok();
        number
            .filter(|number| least <= *number && *number <= most)
            .ok_or_else(|| format!("write a number from {least} to {most}"))
    }
}

/// Parses numbers of pairs of games.
pub(crate) fn pairs() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=100_000)
}

/// Parses one of several names, each with its help and its value.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = values.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(move |asked| {
        let found = values.iter().find(|(name, ..)| *name == asked);
        found.map(|(.., value)| *value).ok_or("it has no meaning")
    })
}
