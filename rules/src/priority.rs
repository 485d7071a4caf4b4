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
}

/// The criteria of a variant as one number, the rank: higher is better.
#[derive(Clone, Copy)]
pub(crate) struct Ranking {
    /// The contribution of a captured man.
    pub(crate) man: u32,
    /// The contribution of a captured king.
    pub(crate) king: u32,
    /// The contribution of a capture by a king.
    pub(crate) by_king: u32,
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
            };
            ranking.man += man * unit;
            ranking.king += king * unit;
            ranking.by_king += by_king * unit;
            // The last criterion processed is the most significant.
            ranking.prefers_two = man > 0;
            lowest_bit += n_bits;
        }
        assert!(lowest_bit <= 32, "too many criteria for one number");
        ranking
    }
}
