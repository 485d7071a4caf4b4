//! Answers requests from standard input, one per line, like the WebAssembly module: a test compares
//! the two. A line may start with a file name and a tab; the content of the file is then passed
//! along.

use std::io::{self, BufRead as _, Write as _};
use std::time::Duration;

use crownhead_wasm::{Host, Session};

fn main() -> io::Result<()> {
    let mut session = Session::new(Host {
        clock: || Duration::ZERO,
        report: |_| true,
    });
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (file, request) = line.split_once('\t').unwrap_or(("", &line));
        let bytes = if file.is_empty() {
            Vec::new()
        } else {
            std::fs::read(file)?
        };
        writeln!(output, "{}", session.answer(request, &bytes))?;
        output.flush()?;
    }
    Ok(())
}
