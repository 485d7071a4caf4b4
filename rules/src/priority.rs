//! Capture preferences.

/// A criterion for comparing captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// More victims are better.
    MostPieces,
    /// More victims that are kings are better.
    MostKings,
    /// The greater value is better: a man counts 100 and a king 199, so that `n` kings count
    /// slightly less than `2 n` men.
    FrisianValue,
    /// A capture by a king is better than one by a man.
    ByKing,
    /// Of two captures of as many pieces, the one that meets a king first is better, or if both do
    /// so at once, the one that meets a second king first, and so on.
    KingsFirst,
}

/// The maximum number of victims that [`Criterion::KingsFirst`] compares.
const MAX_ORDERED: u32 = 12;

/// The criteria of a variant as one number, the rank: higher is better.
#[derive(Clone, Copy)]
pub(crate) struct Ranking {
    /// The contribution of a captured man.
    pub(crate) man: u32,
    /// The contribution of a captured king.
    pub(crate) king: u32,
    /// The contribution of a capture by a king.
    pub(crate) by_king: u32,
    /// The contribution of a king that is captured first; half as much for each later one.
    pub(crate) first_king: u32,
    /// True if two victims always outrank one.
    pub(crate) prefers_two: bool,
}

impl Ranking {
    /// The ranking by these criteria, most significant first. Each uses separate bits, enough for
    /// the twenty pieces of a side.
    pub(crate) const fn new(criteria: &[Criterion]) -> Ranking {
        let mut ranking = Ranking {
            man: 0,
            king: 0,
            by_king: 0,
            first_king: 0,
            prefers_two: false,
        };
        let mut lowest_bit = 0;
        let mut at = criteria.len();
        while at > 0 {
            at -= 1;
            let unit = 1 << lowest_bit;
            let (man, king, by_king, n_bits) = match criteria[at] {
                Criterion::MostPieces => (1, 1, 0, 5),
                Criterion::MostKings => (0, 1, 0, 5),
                Criterion::FrisianValue => (100, 199, 0, 12),
                Criterion::ByKing => (0, 0, 1, 1),
                Criterion::KingsFirst => (0, 0, 0, MAX_ORDERED),
            };
            ranking.man += man * unit;
            ranking.king += king * unit;
            ranking.by_king += by_king * unit;
            if matches!(criteria[at], Criterion::KingsFirst) {
                ranking.first_king = unit << (MAX_ORDERED - 1);
            }
            // The last criterion processed is the most significant.
            ranking.prefers_two = man > 0;
            lowest_bit += n_bits;
        }
        assert!(lowest_bit <= 32, "too many criteria for one number");
        ranking
    }

    /// The contribution of a captured king to the order of captures, after these victims.
    #[inline(always)]
    pub(crate) const fn king_after(&self, victims: u64) -> u32 {
        match self.first_king {
            0 => 0,
            first => first >> victims.count_ones(),
        }
    }
}
