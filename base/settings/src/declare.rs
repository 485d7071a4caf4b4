//! The declarations.

/// Declares a struct of settings: documentation, name, type, default and range of each, followed
/// after `sections` by nested structs of settings.
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
            /// The declared defaults.
            #[must_use]
            pub fn usual() -> Self {
                Self {
                    $($field: $default,)*
                    $($($section: <$section_type>::usual(),)*)?
                }
            }

            /// All settings; settings of sections come last.
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

            /// The faults of the values, each checked on its own.
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

/// Declares a setting with one of several names as its value.
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
            /// All values.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The names.
            pub const NAMES: &[&str] = &[$($text),+];

            /// The name of the value.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl $crate::ToValue for $name {
            fn to_value(&self) -> $crate::Value {
                $crate::Value::Text(self.name().to_owned())
            }
        }
    };
}
