//! Draws ratings of runs against time or games as SVG.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ratings::Estimate;
use store::{RunDir, StoreError};

use crate::{RequestError, RunError};
use run::Result;
use run::{RatingPoint, Ratings};
use study::svg::{Plane, places, text, ticks};

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
    /// Minutes or games, and Elo above `random`, in the order of the axis.
    pub points: Vec<(f64, Estimate)>,
}

impl Curve {
    /// The ratings of a run; `None` by games if a rating lacks the number of games.
    #[must_use]
    pub fn of(name: String, ratings: &[RatingPoint], axis: Axis) -> Option<Curve> {
        let plotted = |point: &RatingPoint| {
            let x = match axis {
                Axis::Time => point.seconds / 60.0,
                Axis::Games => point.selfplay_games? as f64,
            };
            Some((x, Estimate::around(point.elo, point.interval())))
        };
        let points = ratings.iter().map(plotted).collect::<Option<_>>()?;
        Some(Curve { name, points })
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

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// Height of a line of the legend.
const LEGEND_STEP: f64 = 18.0;
/// Colors that color-blind people can distinguish (Okabe and Ito 2008).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// Draws the curves in one picture: a line through the ratings, a band for their intervals.
///
/// The vertical axis starts at 0, the rating of `random`, unless an interval is lower, so that
/// pictures of different runs can be compared.
pub fn svg(curves: &[Curve], axis: Axis) -> String {
    let plane = plane(curves);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n\
         <style>.grid {{ stroke: #ccc; }}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    draw_axes(&plane, axis, &mut svg);
    for (number, curve) in curves.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        draw_curve(&plane, curve, color, &mut svg);
        let y = HEIGHT - BOTTOM - 12.0 - LEGEND_STEP * (curves.len() - 1 - number) as f64;
        let _ = writeln!(svg, "<g fill=\"{color}\">");
        text(&mut svg, [WIDTH - RIGHT - 8.0, y], "end", &curve.name);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn plane(curves: &[Curve]) -> Plane {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let low = points().map(|(_, elo)| elo.ci95[0]);
    let high = points().map(|(_, elo)| elo.ci95[1]);
    Plane {
        x: [0.0, points().map(|(x, _)| *x).fold(1e-9, f64::max)],
        y: [low.fold(0.0, f64::min), high.fold(100.0, f64::max)],
        columns: [LEFT, WIDTH - RIGHT],
        rows: [HEIGHT - BOTTOM, TOP],
    }
}

fn draw_axes(plane: &Plane, axis: Axis, svg: &mut String) {
    plane.grid(svg, 8.0);
    let bottom = HEIGHT - BOTTOM;
    for mark in ticks(plane.x) {
        let [x, _] = plane.at(mark, 0.0);
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{x:.1} {bottom}v5\"/>");
        text(svg, [x, bottom + 20.0], "middle", &mark.to_string());
    }
    let title = match axis {
        Axis::Time => "minutes of training",
        Axis::Games => "games of self-play",
    };
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    text(svg, [middle, HEIGHT - 12.0], "middle", title);
    let title = "Elo above random, 95 % interval";
    text(svg, [8.0, 18.0], "start", title);
}

fn draw_curve(plane: &Plane, curve: &Curve, color: &str, svg: &mut String) {
    let points = curve.points.iter();
    let upper = points.clone().map(|(x, elo)| plane.at(*x, elo.ci95[1]));
    let lower = points.clone().rev();
    let lower = lower.map(|(x, elo)| plane.at(*x, elo.ci95[0]));
    let middle = points.clone().map(|(x, elo)| plane.at(*x, elo.value));
    let _ = writeln!(
        svg,
        "<polygon points=\"{}\" fill=\"{color}\" fill-opacity=\"0.15\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
        places(upper.chain(lower)),
        places(middle),
    );
    for &(x, Estimate { value, ci95 }) in points {
        let [[x, y], [_, low], [_, high]] = [value, ci95[0], ci95[1]].map(|elo| plane.at(x, elo));
        let half_width = ci95[1] - value;
        // A single rating has no band.
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{color}\" stroke-opacity=\"0.4\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\">\
             <title>{value:.0} \u{b1}{half_width:.0}</title></circle>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64, f64)]) -> Curve {
        Curve {
            name: name.to_owned(),
            points: points
                .iter()
                .map(|&(x, elo, ci95)| (x, Estimate::around(elo, ci95)))
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
        assert!(picture.contains(">a&lt;b</text>") && picture.contains(COLORS[0]));
        assert!(picture.contains(">c</text>") && picture.contains(COLORS[1]));
        assert!(picture.contains(">games of self-play</text>"));
    }
}
