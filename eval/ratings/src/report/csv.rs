//! The rating table as comma-separated values (RFC 4180).

use super::RatingReport;

impl RatingReport {
    /// The rating table with a header line. `elo` is relative Elo; `zero` is the player with 0, or
    /// `mean` for the mean of the component. `rank` counts within a component; `los_next` is empty
    /// for its last player; `bounded` is 0 if only the prior keeps its numbers finite.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "component,rank,name,elo,ci95,games,score,draws,los_next,bounded,zero\r\n",
        );
        for (number, (component, lines)) in (1..).zip(self.with_lines()) {
            let mut anchor = self.anchor.iter();
            let anchor = anchor.find(|name| component.players.contains(name));
            let zero = quoted(anchor.map_or("mean", String::as_str));
            for (rank, player) in (1..).zip(lines) {
                let los_next = player
                    .los_next
                    .map_or_else(String::new, |los| format!("{los:.5}"));
                csv += &format!(
                    "{number},{rank},{},{:.2},{:.2},{},{:.5},{:.5},{los_next},{},{zero}\r\n",
                    quoted(&player.name),
                    player.elo,
                    player.ci95,
                    player.games,
                    player.score,
                    player.draws,
                    u8::from(component.bounded),
                );
            }
        }
        csv
    }
}

/// Quotes a name that would otherwise be split into several fields; inner quotes are doubled.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;

    #[test]
    fn names_cannot_break_a_line() {
        let csv = report(&[("Doe, \"J\"", "b", [1, 1, 1])]).to_csv();
        let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 3);
        assert!(csv.contains(",\"Doe, \"\"J\"\"\","), "{csv}");
        assert!(
            lines[1].ends_with(",0.50000,0.33333,0.50000,1,mean"),
            "{csv}"
        );
        assert!(lines[2].ends_with(",,1,mean"), "{csv}");
    }
}
