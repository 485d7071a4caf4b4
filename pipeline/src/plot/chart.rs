//! A small chart of rating against time for the terminal.

use super::Plotted;

const ROWS: usize = 12;
const COLUMNS: usize = 60;

/// Draws `points`, by minutes, as a chart of `ROWS` lines: `*` is the rating, `|` its 95 % interval.
///
/// Of several points in one column the last is drawn.
pub(super) fn draw(points: &[Plotted]) -> String {
    let Some(last) = points.last() else {
        return String::new();
    };
    let low = points.iter().map(|p| p.elo - p.ci95).fold(0.0, f64::min);
    let high = points
        .iter()
        .map(|p| p.elo + p.ci95)
        .fold(low + 100.0, f64::max);
    let span = last.x.max(1e-9);
    let row_of = |elo: f64| {
        let share = ((elo - low) / (high - low)).clamp(0.0, 1.0);
        ROWS - 1 - (share * (ROWS - 1) as f64).round() as usize
    };
    let mut cells = vec![[' '; COLUMNS]; ROWS];
    for point in points {
        let share = (point.x / span).clamp(0.0, 1.0);
        let column = (share * (COLUMNS - 1) as f64).round() as usize;
        for (row, line) in cells.iter_mut().enumerate() {
            let inside =
                row >= row_of(point.elo + point.ci95) && row <= row_of(point.elo - point.ci95);
            line[column] = match (row == row_of(point.elo), inside) {
                (true, _) => '*',
                (false, true) => '|',
                (false, false) => ' ',
            };
        }
    }
    let mut text = String::new();
    for (row, line) in cells.iter().enumerate() {
        let elo = high - (high - low) * row as f64 / (ROWS - 1) as f64;
        let line: String = line.iter().collect();
        text.push_str(&format!("{elo:>6.0} |{}\n", line.trim_end()));
    }
    text.push_str(&format!("{:>6} +{}\n", "Elo", "-".repeat(COLUMNS)));
    text.push_str(&format!(
        "{:>7}0{:>width$.0} minutes\n",
        "",
        span,
        width = COLUMNS - 1
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rising_curve_goes_from_bottom_left_to_top_right() {
        let points: Vec<Plotted> = (0..=10)
            .map(|i| Plotted {
                x: f64::from(i),
                elo: 100.0 * f64::from(i),
                ci95: 20.0,
            })
            .collect();
        let chart = draw(&points);
        let lines: Vec<&str> = chart.lines().collect();
        assert_eq!(lines.len(), ROWS + 2);
        assert!(lines[0].ends_with(['*', '|']), "{chart}");
        assert!(lines[ROWS - 1].ends_with("|*"), "{chart}");
        assert_eq!(draw(&[]), "");
    }
}
