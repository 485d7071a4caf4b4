//! Draws ratings of runs against time or games as SVG.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use analyst::escaped;
use store::{RunDir, StoreError};

use crate::{RequestError, RunError};
use run::Result;
use run::{RatingPoint, Ratings};
use study::ticks;

/// The horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Minutes of training.
    Time,
    /// Games of self-play.
    Games,
}

/// The curve of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// The points in the order of the axis.
    pub points: Vec<Plotted>,
}

impl Curve {
    /// The ratings of a run; `None` by games if a rating lacks the number of games.
    #[must_use]
    pub fn of(name: String, ratings: &[RatingPoint], axis: Axis) -> Option<Curve> {
        let x = |point: &RatingPoint| match axis {
            Axis::Time => Some(point.seconds / 60.0),
            Axis::Games => point.selfplay_games.map(|games| games as f64),
        };
        let plotted = |point| {
            Some(Plotted {
                x: x(point)?,
                elo: point.elo,
                ci95: point.interval(),
            })
        };
        let points: Option<Vec<Plotted>> = ratings.iter().map(plotted).collect();
        Some(Curve {
            name,
            points: points?,
        })
    }
}

/// Draws the ratings of runs in one picture, `to`, whose name ends in `.svg`.
///
/// # Errors
/// If a run has no ratings or none for this axis, or the disk fails.
pub fn draw_runs(runs: &[PathBuf], axis: Axis, to: &Path) -> Result<()> {
    if to.extension().is_none_or(|extension| extension != "svg") {
        return Err(RequestError(format!(
            "--plot {}: pictures are SVG: use a name that ends in .svg",
            to.display()
        ))
        .into());
    }
    let curves: Result<Vec<Curve>> = runs.iter().map(|run| run_curve(run, axis)).collect();
    Ok(fs::write(to, svg(&curves?, axis)).map_err(StoreError::io("write", to))?)
}

/// The ratings of a run as a curve.
fn run_curve(path: &Path, axis: Axis) -> Result<Curve> {
    let ratings: Ratings = RunDir::open(path)?.ratings()?.unwrap_or_default();
    let name = path.display().to_string();
    if ratings.points.is_empty() {
        let message = format!("{name} has no rating yet: train it further");
        return Err(RunError::Missing(message));
    }
    Curve::of(name.clone(), &ratings.points, axis).ok_or_else(|| {
        RunError::Missing(format!(
            "{name} was rated by a version that did not record the number of self-play games: \
                leave out --axis games"
        ))
    })
}

/// One rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plotted {
    /// Minutes or games.
    pub x: f64,
    /// Elo above `random`.
    pub elo: f64,
    /// Half-width of the 95 % interval in Elo.
    pub ci95: f64,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// Height of a line of the legend.
const LEGEND_STEP: f64 = 18.0;
/// The color of texts at the axes.
const GRAY: &str = "#333";
/// Colors that color-blind people can distinguish (Okabe and Ito 2008).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// Draws the curves in one picture: a line through the ratings, a band for their intervals.
///
/// The vertical axis starts at 0, the rating of `random`, unless an interval is lower, so that
/// pictures of different runs can be compared.
pub fn svg(curves: &[Curve], axis: Axis) -> String {
    let frame = Frame::around(curves);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    frame.axes(&mut svg, axis);
    for (number, curve) in curves.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        frame.curve(&mut svg, curve, color);
        let y = HEIGHT - BOTTOM - 12.0 - LEGEND_STEP * (curves.len() - 1 - number) as f64;
        text(
            &mut svg,
            [WIDTH - RIGHT - 8.0, y],
            "end",
            color,
            &curve.name,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The visible part of the plane.
struct Frame {
    right: f64,
    bottom: f64,
    top: f64,
}

impl Frame {
    fn around(curves: &[Curve]) -> Frame {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        Frame {
            right: points().map(|point| point.x).fold(1e-9, f64::max),
            bottom: points()
                .map(|point| point.elo - point.ci95)
                .fold(0.0, f64::min),
            top: points()
                .map(|point| point.elo + point.ci95)
                .fold(100.0, f64::max),
        }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * x / self.right
    }

    fn y(&self, elo: f64) -> f64 {
        let share = (elo - self.bottom) / (self.top - self.bottom);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }

    fn axes(&self, svg: &mut String, axis: Axis) {
        for elo in ticks(self.bottom, self.top) {
            let y = self.y(elo);
            line(svg, [LEFT, y], [WIDTH - RIGHT, y]);
            text(svg, [LEFT - 8.0, y + 4.0], "end", GRAY, &elo.to_string());
        }
        for x in ticks(0.0, self.right) {
            let below = |y| [self.x(x), HEIGHT - BOTTOM + y];
            line(svg, below(0.0), below(5.0));
            text(svg, below(20.0), "middle", GRAY, &x.to_string());
        }
        let title = match axis {
            Axis::Time => "minutes of training",
            Axis::Games => "games of self-play",
        };
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        text(svg, [middle, HEIGHT - 12.0], "middle", GRAY, title);
        let title = "Elo above random, 95 % interval";
        text(svg, [8.0, 18.0], "start", GRAY, title);
    }

    fn curve(&self, svg: &mut String, curve: &Curve, color: &str) {
        let at = |point: &Plotted, elo: f64| format!("{:.1},{:.1}", self.x(point.x), self.y(elo));
        let points = curve.points.iter();
        let upper = points.clone().map(|p| at(p, p.elo + p.ci95));
        let lower = points.clone().rev().map(|p| at(p, p.elo - p.ci95));
        let band: Vec<String> = upper.chain(lower).collect();
        let middle: Vec<String> = points.clone().map(|p| at(p, p.elo)).collect();
        let _ = writeln!(
            svg,
            "<polygon points=\"{}\" fill=\"{color}\" fill-opacity=\"0.15\"/>\n\
             <polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            band.join(" "),
            middle.join(" "),
        );
        for point in points {
            let (x, y) = (self.x(point.x), self.y(point.elo));
            let (low, high) = (point.elo - point.ci95, point.elo + point.ci95);
            // A single rating has no band.
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}V{:.1}\" stroke=\"{color}\" stroke-opacity=\"0.4\"/>\
                 <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\">\
                 <title>{:.0} \u{b1}{:.0}</title></circle>",
                self.y(low),
                self.y(high),
                point.elo,
                point.ci95,
            );
        }
    }
}

/// Draws a line between two places, x and y.
fn line(svg: &mut String, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    let _ = writeln!(
        svg,
        "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#ccc\"/>"
    );
}

/// Writes a text whose `anchor`, its `start`, `middle` or `end`, is at a place.
fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, color: &str, content: &str) {
    let content = escaped(content);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{content}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64, f64)]) -> Curve {
        Curve {
            name: name.to_owned(),
            points: points
                .iter()
                .map(|&(x, elo, ci95)| Plotted { x, elo, ci95 })
                .collect(),
        }
    }

    #[test]
    fn the_best_rating_touches_the_top_and_the_last_the_right() {
        let curves = [curve("a", &[(5.0, 900.0, 100.0), (10.0, 500.0, 50.0)])];
        let picture = svg(&curves, Axis::Time);
        // 900 + 100 is the top, the upper edge of the frame; 10 minutes are the right edge.
        assert!(
            picture.contains("<polyline points=\"455.0,70.0 840.0,230.0\""),
            "{picture}"
        );
        assert!(
            picture.contains("<polygon points=\"455.0,30.0 840.0,210.0 840.0,250.0 455.0,110.0\""),
            "{picture}"
        );
        assert!(picture.contains(">minutes of training</text>"));
    }

    #[test]
    fn every_run_has_its_color_and_its_name() {
        let runs = ["a<b", "c"].map(|name| curve(name, &[(1.0, 10.0, 5.0)]));
        let picture = svg(&runs, Axis::Games);
        assert!(picture.contains(&format!("fill=\"{}\">a&lt;b</text>", COLORS[0])));
        assert!(picture.contains(&format!("fill=\"{}\">c</text>", COLORS[1])));
        assert!(picture.contains(">games of self-play</text>"));
    }
}
