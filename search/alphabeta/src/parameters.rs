//! What the search does besides alpha-beta, and how much of it.

/// Settings of the search. [`Parameters::DEFAULT`] is for play; [`Parameters::PLAIN`] looks at all moves to
/// the same depth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameters {
    /// Whether scores of the table end a node, and not only its moves are tried first.
    pub table_cutoffs: bool,
    /// Half the width of the first window around the last depth's score; 0 for a full window.
    pub aspiration: i32,
    /// Late moves are looked at less deep by `base + ln(depth) ln(number) / divisor` plies, in hundredths.
    /// A divisor of 0 reduces nothing.
    pub reduction_base: i32,
    /// See [`reduction_base`](Parameters::reduction_base).
    pub reduction_divisor: i32,
    /// A node whose evaluation is above beta by this much a ply of depth is not searched; 0 for never
    /// (reverse futility).
    pub static_margin: i32,
    /// Depths up to which that holds.
    pub static_depth: i32,
    /// Quiet moves are left out where the evaluation is below alpha by more than this much a ply of depth;
    /// 0 for never (futility).
    pub futility_margin: i32,
    /// Depths up to which that holds.
    pub futility_depth: i32,
    /// A shallow search above beta by this much stands for the deep one; 0 for never (Buro's ProbCut).
    pub probcut_margin: i32,
    /// How much shallower it is.
    pub probcut_reduction: i32,
    /// Depth from which a position whose best move is not known is searched less deep by one ply; 0 for
    /// never (internal iterative reduction).
    pub unknown_move_depth: i32,
    /// Depth from which the moves beside the table's are searched first, half as deep: where all of them are worse by
    /// the margin below, the table's move is searched deeper by one ply, and where one of them is enough to cut off,
    /// the node is not searched; 0 for never (singular extensions, Anantharaman, Campbell and Hsu, 1988; multi-cut,
    /// Björnsson and Marsland, 2001).
    pub singular_depth: i32,
    /// How much worse, a ply of depth.
    pub singular_margin: i32,
    /// Forced moves and captures on the way that cost no depth, at most; 0 for none.
    pub forced_extensions: i32,
    /// Plies that quiescence goes on while the opponent threatens to capture.
    pub threat_plies: i32,
}

impl Parameters {
    /// For play. Reductions, extensions and threats are those that won games of english at equal numbers of
    /// nodes; the margins are usual ones.
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

    /// No pruning, no reductions, no scores from the table: the minimax value of the full tree.
    pub const PLAIN: Parameters = Parameters {
        table_cutoffs: false,
        aspiration: 0,
        reduction_base: 0,
        reduction_divisor: 0,
        static_margin: 0,
        static_depth: 0,
        futility_margin: 0,
        futility_depth: 0,
        probcut_margin: 0,
        probcut_reduction: 0,
        unknown_move_depth: 0,
        singular_depth: 0,
        singular_margin: 0,
        forced_extensions: 0,
        threat_plies: 0,
    };
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters::DEFAULT
    }
}

/// Depths and move numbers that [`Reductions`] tells apart.
const STEPS: usize = 64;

/// How much less deep late moves are looked at.
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

    /// Plies for the move with this number, from 0, at this depth.
    #[inline]
    pub(crate) fn plies(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(STEPS - 1);
        i32::from(self.0[depth][number.min(STEPS - 1)])
    }
}
