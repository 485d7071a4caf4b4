//! Parameters of pruning, reductions and extensions.

use rules::{Board, Reach, Variant};

/// Search parameters. [`Parameters::of`] a game are for play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// Allows cutoffs from table scores; otherwise the table only orders moves.
    pub table_cutoffs: bool,
    /// Half the width of the first aspiration window; 0 for a full window.
    pub aspiration: i32,
    /// Late move reduction: `base + ln(depth) ln(move number) / divisor` plies, with `base` in
    /// hundredths. A divisor of 0 disables it.
    pub reduction_base: i32,
    /// See [`reduction_base`](Parameters::reduction_base).
    pub reduction_divisor: i32,
    /// Reverse futility: a node is cut off if its evaluation exceeds beta by this margin per ply of
    /// depth; 0 disables it.
    pub static_margin: i32,
    /// The largest depth for reverse futility.
    pub static_depth: i32,
    /// Futility: quiet moves are skipped if the evaluation is below alpha by more than this margin
    /// per ply of depth; 0 disables it.
    pub futility_margin: i32,
    /// The largest depth for futility.
    pub futility_depth: i32,
    /// ProbCut (Buro): a reduced search that exceeds beta by this margin causes a cutoff; 0
    /// disables it.
    pub probcut_margin: i32,
    /// The depth reduction of the ProbCut search.
    pub probcut_reduction: i32,
    /// Internal iterative reduction: the depth from which a node without a table move is reduced by
    /// one ply; 0 disables it.
    pub unknown_move_depth: i32,
    /// The depth from which the other moves are searched at half depth before the table move. If
    /// all of them fail below the margin, the table move is extended by one ply (singular
    /// extensions, Anantharaman, Campbell and Hsu, 1988); if another one also fails high, the node
    /// is cut off (multi-cut, Björnsson and Marsland, 2001). 0 disables both.
    pub singular_depth: i32,
    /// The singular margin per ply of depth.
    pub singular_margin: i32,
    /// The maximum number of forced moves and captures per line that cost no depth; 0 for none.
    pub forced_extensions: i32,
    /// Extra plies of quiescence while the opponent threatens to capture.
    pub threat_plies: i32,
}

impl Parameters {
    /// Parameters for play of most games. Reductions, extensions and threats won games of english
    /// at equal node counts; the margins are common values.
    pub const DEFAULT: Parameters = Parameters {
        table_cutoffs: true,
        aspiration: 25,
        reduction_base: 100,
        reduction_divisor: 180,
        static_margin: 60,
        static_depth: 6,
        futility_margin: 80,
        futility_depth: 5,
        probcut_margin: 50,
        probcut_reduction: 4,
        unknown_move_depth: 4,
        singular_depth: 6,
        singular_margin: 2,
        forced_extensions: 0,
        threat_plies: 0,
    };

    /// Parameters for play of a game: [`Parameters::DEFAULT`], but forced moves cost no depth with
    /// flying kings on boards of 10x10. That won games of international and frisian at equal node
    /// counts, and none or fewer of most others.
    pub fn of(variant: Variant) -> Parameters {
        let rules = variant.rules();
        let is_wide = rules.board == Board::Ten && rules.king.reach != Reach::Short;
        Parameters {
            forced_extensions: if is_wide { 8 } else { 0 },
            ..Parameters::DEFAULT
        }
    }
}

/// The number of depths and move numbers in the table of [`Reductions`].
const STEPS: usize = 64;

/// A table of late move reductions.
#[derive(Clone)]
pub(crate) struct Reductions(Box<[[u8; STEPS]; STEPS]>);

impl Reductions {
    pub(crate) fn new(parameters: &Parameters) -> Reductions {
        let mut table = Box::new([[0; STEPS]; STEPS]);
        if parameters.reduction_divisor == 0 {
            return Reductions(table);
        }
        let base = f64::from(parameters.reduction_base) / 100.0;
        let divisor = f64::from(parameters.reduction_divisor) / 100.0;
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = libm::log(depth as f64) * libm::log(number as f64);
                *plies = (base + product / divisor).clamp(0.0, 32.0) as u8;
            }
        }
        Reductions(table)
    }

    /// The reduction in plies at this depth for the move with this number, counted from 0.
    #[inline]
    pub(crate) fn plies(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(STEPS - 1);
        i32::from(self.0[depth][number.min(STEPS - 1)])
    }
}
