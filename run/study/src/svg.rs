//! Parts of plots in SVG.

use std::fmt::Write as _;

use analyst::escaped;

/// A part of a plane, and where a picture shows it. Ends are left and right, or bottom and top.
pub struct Plane {
    /// The horizontal ends.
    pub x: [f64; 2],
    /// The vertical ends.
    pub y: [f64; 2],
    /// The horizontal ends in the picture.
    pub columns: [f64; 2],
    /// The vertical ends in the picture.
    pub rows: [f64; 2],
}

impl Plane {
    /// The place of a point in the picture.
    pub fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let place = |[low, high]: [f64; 2], [from, to]: [f64; 2], value: f64| {
            from + (to - from) * ((value - low) / (high - low))
        };
        [place(self.x, self.columns, x), place(self.y, self.rows, y)]
    }

    /// Draws lines of the class `grid` at round vertical values, with numbers left of them.
    pub fn grid(&self, svg: &mut String, space: f64) {
        let [left, right] = self.columns;
        for mark in ticks(self.y) {
            let [_, y] = self.at(0.0, mark);
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
            text(svg, [left - space, y + 4.0], "end", &mark.to_string());
        }
    }
}

/// Writes a text whose `anchor`, its `start`, `middle` or `end`, is at a place.
pub fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, content: &str) {
    let content = escaped(content);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"
    );
}

/// The places of a line or of a polygon.
pub fn places(places: impl Iterator<Item = [f64; 2]>) -> String {
    let places: Vec<String> = places.map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    places.join(" ")
}

/// Five to ten round numbers in an interval, in steps of 1, 2 or 5 times a power of ten.
pub fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let fits = |factor: &f64| factor * power <= rough;
    let step = [5.0, 2.0, 1.0].into_iter().find(fits).unwrap_or(1.0) * power;
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // Dividing by a power of ten avoids 0.30000000000000004 for 0.3.
    (first..=last)
        .map(|i| match step < 1.0 {
            true => i as f64 / (1.0 / step).round(),
            false => i as f64 * step,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks([0.0, 100.0]), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks([-30.0, 970.0]).first(), Some(&0.0));
        assert_eq!(ticks([0.0, 0.9]).last(), Some(&0.9));
        assert!((5..=11).contains(&ticks([0.0, 2784.0]).len()));
    }
}
