//! The declarations.

/// Declares a struct of settings: documentation, name, type, default and range of each, and, after
/// `sections`, structs of settings below it.
#[macro_export]
macro_rules! settings {
    (
        $(#[$struct_doc:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty = $default:expr $(, $limit:ident($($bound:expr),*))*;
            )*
        }
        $(sections {
            $($(#[$section_doc:meta])* $section:ident: $section_type:ty,)*
        })?
    ) => {
        $(#[$struct_doc])*
        #[derive(Clone, Debug, PartialEq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "settings::serde", deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
            $($($(#[$section_doc])* pub $section: $section_type,)*)?
        }

        impl $name {
            /// The declared values, which hold where nothing else is asked for.
            #[must_use]
            pub fn usual() -> Self {
                Self {
                    $($field: $default,)*
                    $($($section: <$section_type>::usual(),)*)?
                }
            }

            /// All settings; settings of sections follow the others.
            #[must_use]
            pub fn keys() -> Vec<$crate::Key> {
                let usual = Self::usual();
                let keys = vec![$(
                    $crate::Key::new(stringify!($field), &usual.$field, concat!($($doc, "\n"),*))
                        $(.$limit($($bound),*))*
                ),*];
                $(let keys = {
                    let mut keys = keys;
                    $(keys.extend(
                        <$section_type>::keys().into_iter().map(|key| key.within(stringify!($section))),
                    );)*
                    keys
                };)?
                keys
            }

            /// Changes the setting of this name, which is not one of a section. Returns whether there is one with a
            /// value of this type. Its range is not checked.
            #[must_use]
            pub fn set(&mut self, name: &str, value: &$crate::Value) -> bool {
                match name {
                    $(stringify!($field) => $crate::FromValue::from_value(value)
                        .map(|value| self.$field = value)
                        .is_some(),)*
                    _ => false,
                }
            }

            /// Faults of the values, each alone.
            #[must_use]
            pub fn faults(&self) -> Vec<String> {
                let values = [$($crate::ToValue::to_value(&self.$field)),*];
                let keys = Self::keys();
                let faults = keys.iter().zip(&values).filter_map(|(key, value)| key.fault(value));
                faults.collect()
            }
        }
    };
}

/// Declares a setting that is one of several words.
#[macro_export]
macro_rules! choice {
    (
        $(#[$enum_doc:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }
    ) => {
        $(#[$enum_doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, $crate::serde::Serialize, $crate::serde::Deserialize,
        )]
        #[serde(crate = "settings::serde")]
        pub enum $name { $($(#[$doc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The words.
            pub const NAMES: &[&str] = &[$($text),+];

            /// The word for it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl $crate::FromValue for $name {
            fn from_value(value: &$crate::Value) -> Option<Self> {
                let $crate::Value::Text(text) = value else {
                    return None;
                };
                Self::ALL.iter().copied().find(|choice| choice.name() == text.as_str())
            }
        }

        impl $crate::ToValue for $name {
            fn to_value(&self) -> $crate::Value {
                $crate::Value::Text(self.name().to_owned())
            }
        }
    };
}
