//! Charts as SVG, for light and dark backgrounds.

use std::fmt::Write as _;

use analyst::escaped;
use ratings::Estimate;

use crate::svg::{Plane, places, text, ticks};

/// Units of a panel, and of the space around its plot.
const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
/// Panels of a row.
const ROW: usize = 3;
/// Height of a line of the legend.
const LEGEND: f64 = 18.0;
/// Colors of the style sheet.
const COLORS: usize = 8;

/// The style sheet.
pub(crate) const STYLE: &str = "\
:root { color-scheme: light dark; --paper: #ffffff; --ink: #24292f; --faint: #d0d7de; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #bf3989; --c5: #57606a; --c6: #9a6700; --c7: #1b7c83; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #30363d; --c0: #58a6ff; --c1: #f0883e; --c2: #3fb950; --c3: #bc8cff; --c4: #ff7b9c; --c5: #8b949e; --c6: #d29922; --c7: #39c5cf; } }
.panel text { font: 11px system-ui, sans-serif; fill: var(--ink); }
.panel path, .panel polyline { fill: none; }
.grid { stroke: var(--faint); }
";

/// A small plot.
pub(crate) struct Panel<'a> {
    pub(crate) title: &'a str,
    /// The horizontal axis.
    pub(crate) x: &'a str,
    /// The names of the places; without names, they have numbers.
    pub(crate) marks: Vec<String>,
    /// True for a line through the values, without their intervals.
    pub(crate) is_line: bool,
    /// [color][place] The values.
    pub(crate) series: Vec<Vec<Option<Estimate>>>,
}

/// The places that have a value.
fn points(series: &[Option<Estimate>]) -> impl Iterator<Item = (f64, Estimate)> {
    let places = series.iter().enumerate();
    places.filter_map(|(place, value)| Some((place as f64, (*value)?)))
}

/// Draws panels, with a legend if there are several names.
pub(crate) fn chart(title: &str, panels: &[Panel<'_>], names: &[&str]) -> String {
    let legend = if names.len() > 1 { names } else { &[] };
    let columns = panels.len().min(ROW) as f64;
    let plots = panels.len().div_ceil(ROW) as f64 * HEIGHT;
    let (width, height) = (columns * WIDTH, plots + legend.len() as f64 * LEGEND);
    let mut svg = format!(
        "<svg class=\"panel\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" style=\"fill: var(--paper)\"/>\n",
        escaped(title)
    );
    for (index, panel) in panels.iter().enumerate() {
        let (x, y) = ((index % ROW) as f64 * WIDTH, (index / ROW) as f64 * HEIGHT);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        draw(panel, &mut svg);
        svg.push_str("</g>\n");
    }
    for (index, name) in legend.iter().enumerate() {
        let (y, color) = (plots + index as f64 * LEGEND, index % COLORS);
        let _ = writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"10\" height=\"10\" style=\"fill: var(--c{color})\"/>"
        );
        text(&mut svg, [LEFT + 16.0, y + 9.0], "start", name);
    }
    svg + "</svg>\n"
}

/// The plane of a panel, with all its places and intervals.
fn plane(panel: &Panel<'_>) -> Plane {
    let all = || panel.series.iter().flat_map(|series| points(series));
    let last = panel.marks.len() as f64 - 1.0;
    let right = all().map(|(x, _)| x).fold(last.max(1e-9), f64::max);
    let [low, high] = [0, 1].map(|end: usize| all().map(move |(_, y)| y.ci95[end]));
    let low = low.fold(f64::INFINITY, f64::min);
    let high = high.fold(f64::NEG_INFINITY, f64::max);
    // Names need space at the sides.
    let pad = if panel.marks.is_empty() { 0.0 } else { 0.4 };
    Plane {
        x: [-pad, right + pad],
        y: match low < high {
            true => [low, high],
            false if low.is_finite() => [low - 1.0, low + 1.0],
            false => [0.0, 1.0],
        },
        columns: [LEFT, WIDTH - RIGHT],
        rows: [HEIGHT - BOTTOM, TOP],
    }
}

fn draw(panel: &Panel<'_>, svg: &mut String) {
    let plane = plane(panel);
    text(svg, [8.0, 16.0], "start", panel.title);
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    text(svg, [middle, HEIGHT - 8.0], "middle", panel.x);
    plane.grid(svg, 5.0);
    let below = HEIGHT - BOTTOM + 15.0;
    for (index, mark) in panel.marks.iter().enumerate() {
        text(svg, [plane.at(index as f64, 0.0)[0], below], "middle", mark);
    }
    if panel.marks.is_empty() {
        for mark in ticks([0.0, plane.x[1]]) {
            let [x, _] = plane.at(mark, 0.0);
            text(svg, [x, below], "middle", &mark.to_string());
        }
    }
    let n = panel.series.len() as f64;
    for (index, series) in panel.series.iter().enumerate() {
        let color = index % COLORS;
        if panel.is_line {
            let line = points(series).map(|(x, y)| plane.at(x, y.value));
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" style=\"stroke: var(--c{color})\"/>",
                places(line)
            );
            continue;
        }
        // Points of one place are drawn side by side.
        let aside = 6.0 * (index as f64 - (n - 1.0) / 2.0);
        for (x, y) in points(series) {
            let [[x, low], [_, high]] = y.ci95.map(|end| plane.at(x, end));
            let (x, [_, y]) = (x + aside, plane.at(0.0, y.value));
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {low:.1}V{high:.1}\" style=\"stroke: var(--c{color})\"/>\
                 <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" style=\"fill: var(--c{color})\"/>"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(low: f64, high: f64) -> Panel<'static> {
        let y = Estimate {
            value: f64::midpoint(low, high),
            ci95: [low, high],
        };
        Panel {
            title: "a",
            x: "b",
            marks: vec!["<c>".to_owned()],
            is_line: false,
            series: vec![vec![Some(y)]],
        }
    }

    #[test]
    fn an_interval_fills_the_height_and_foreign_text_is_escaped() {
        let svg = chart("t", &[panel(40.0, 60.0)], &["<x>", "y"]);
        // From the bottom, 210 - 40, to the top; the value is in the middle.
        assert!(svg.contains("M144.0 170.0V30.0\""), "{svg}");
        assert!(svg.contains("cy=\"100.0\""), "{svg}");
        assert!(svg.contains(">&lt;c&gt;</text>") && svg.contains(">&lt;x&gt;</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn panels_without_a_range_have_no_odd_numbers() {
        let mut empty = panel(1.0, 1.0);
        let point = chart("t", &[panel(1.0, 1.0)], &["x"]);
        empty.series.clear();
        for svg in [point, chart("t", &[empty], &["x"]), chart("t", &[], &[])] {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
