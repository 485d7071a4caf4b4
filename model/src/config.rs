//! The shape of a network, and named presets.

use std::fmt;
use std::str::FromStr;

use rules::{Board, Variant};
use serde::{Deserialize, Serialize};

use crate::{Inputs, ModelError};

/// Everything except the weights that determines the network's function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The input features. Missing in files of earlier versions.
    #[serde(default, skip_serializing_if = "Inputs::is_pieces")]
    pub inputs: Inputs,
    /// Dark squares of the board: 32 or 50.
    pub n_squares: usize,
    /// The number of squares that a convolution reads: 5 (the square and its diagonal neighbors) or
    /// 9 (also the dark squares two steps away along row and column).
    pub n_taps: usize,
    /// Channels of the trunk, a multiple of 32.
    pub channels: usize,
    /// Residual blocks of two convolutions each.
    pub blocks: usize,
    /// The length d of the from and to vectors whose product scores a move.
    pub policy_dim: usize,
    /// Channels per square before the value head's hidden layer.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
}

impl ModelConfig {
    /// The board that the network plays on; the configuration must be valid.
    pub fn board(&self) -> Board {
        if self.n_squares == Board::Eight.n_squares() {
            Board::Eight
        } else {
            Board::Ten
        }
    }

    /// Checks that the network plays on this variant's board.
    ///
    /// # Errors
    /// [`ModelError::WrongBoard`] if the number of squares differs.
    pub fn check_variant(&self, variant: Variant) -> Result<(), ModelError> {
        if self.n_squares == variant.board().n_squares() {
            Ok(())
        } else {
            Err(ModelError::WrongBoard {
                variant,
                found: self.n_squares,
            })
        }
    }

    /// Input planes per square.
    pub fn n_planes(&self) -> usize {
        self.inputs.planes().len()
    }

    /// Outputs of the policy layer per square: f, t and k.
    pub fn policy_outputs(&self) -> usize {
        2 * self.policy_dim + 1
    }

    /// Checks every field and reports all faults together.
    ///
    /// # Errors
    /// [`ModelError::Config`] if no network can have this shape.
    pub fn validate(&self) -> Result<(), ModelError> {
        let mut faults = Vec::new();
        let mut require = |holds: bool, fault: String| {
            if !holds {
                faults.push(fault);
            }
        };
        let squares = self.n_squares;
        require(
            matches!(squares, 32 | 50),
            format!("n_squares is {squares}, not 32 or 50"),
        );
        require(
            matches!(self.n_taps, 5 | 9),
            format!("n_taps is {}, not 5 or 9", self.n_taps),
        );
        require(
            self.channels > 0 && self.channels.is_multiple_of(32) && self.channels <= 1024,
            format!(
                "channels is {}, not a multiple of 32 up to 1024",
                self.channels
            ),
        );
        let ranges = [
            ("blocks", self.blocks, 1, 64),
            ("policy_dim", self.policy_dim, 1, 256),
            ("value_channels", self.value_channels, 1, 256),
            ("value_hidden", self.value_hidden, 1, 1024),
        ];
        for (name, value, low, high) in ranges {
            require(
                (low..=high).contains(&value),
                format!("{name} is {value}, not between {low} and {high}"),
            );
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ModelError::Config {
                faults: faults.join("; "),
            })
        }
    }
}

settings::choice! {
    /// A named network size.
    #[derive(Hash)]
    pub enum Preset {
        /// 32 channels, 4 blocks: the default on a CPU.
        Nano = "nano",
        /// 64 channels, 6 blocks on 32 squares and 4 on 50.
        Small = "small",
        /// 128 channels, 8 blocks, for a GPU.
        Medium = "medium",
        /// 192 channels, 12 blocks, for a GPU.
        Large = "large",
    }
}

impl Preset {
    /// The network of this size for a variant. Its convolutions include rows and columns if the
    /// variant's pieces capture that way.
    pub fn for_variant(self, variant: Variant) -> ModelConfig {
        let n_taps = if variant.rules().jumps_straight() {
            9
        } else {
            5
        };
        self.config(variant.board().n_squares(), n_taps)
    }

    /// The network of this size for a board of `n_squares` and convolutions over `n_taps` squares.
    pub fn config(self, n_squares: usize, n_taps: usize) -> ModelConfig {
        let (channels, blocks, policy_dim) = match self {
            Self::Nano => (32, 4, 16),
            Self::Small => (64, if n_squares > 32 { 4 } else { 6 }, 16),
            Self::Medium => (128, 8, 32),
            Self::Large => (192, 12, 32),
        };
        let (value_channels, value_hidden) = (8, 64);
        ModelConfig {
            inputs: Inputs::Exchanges,
            n_squares,
            n_taps,
            channels,
            blocks,
            policy_dim,
            value_channels,
            value_hidden,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        let preset = Self::ALL.iter().find(|preset| preset.name() == name);
        preset.copied().ok_or_else(|| ModelError::UnknownPreset {
            name: name.to_owned(),
            known: Self::NAMES.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_named() {
        for &preset in Preset::ALL {
            for (n_squares, n_taps) in [(32, 5), (50, 9)] {
                preset.config(n_squares, n_taps).validate().unwrap();
            }
            assert_eq!(preset.name().parse::<Preset>().unwrap(), preset);
        }
        let error = "tiny".parse::<Preset>().unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no preset `tiny`: choose one of nano, small, medium, large"
        );
    }

    #[test]
    fn faults_are_named_together() {
        let config = ModelConfig {
            n_squares: 64,
            channels: 20,
            ..Preset::Nano.config(32, 5)
        };
        let error = config.validate().unwrap_err().to_string();
        assert!(
            error.contains("n_squares is 64") && error.contains("channels is 20"),
            "{error}"
        );
    }
}
