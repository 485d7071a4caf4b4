//! Builds endgame databases on demand.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Instant;

use endgame::{Database, GameValue};
use rules::Variant;
use serde::Serialize;
use store::{Endgames, StoreError};

use crate::RunError;
use run::{Result, StageProgress};

/// A database that was built or found. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuiltEndgames {
    /// Name of the variant.
    pub variant: &'static str,
    /// Maximum number of pieces: more than requested if a larger database was found.
    pub pieces: usize,
    /// Number of positions; a position and its color-reversed twin count as one.
    pub positions: usize,
    /// Positions that the side to move wins.
    pub wins: usize,
    /// Positions that are drawn.
    pub draws: usize,
    /// Positions that the side to move loses.
    pub losses: usize,
    /// Maximum plies of a win until a capture, a promotion or the end.
    pub longest: u16,
    /// The file.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// `true` if it was built now.
    pub built: bool,
    /// Number of positions of both colors that were verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<usize>,
    /// Wall time of the build in seconds.
    pub seconds: f64,
}

/// Event of a build.
#[derive(Debug)]
pub enum BuildEvent {
    /// A remark for the user.
    Note(String),
    /// Progress of the build, in positions.
    Progress(StageProgress),
}

/// Builds the database of a variant in a directory, unless one at least as large exists; uses the
/// threads of the caller's pool. With `verify`, checks every value.
///
/// # Errors
/// If there is too little memory, the disk fails, or a value is wrong.
pub fn build(
    dir: &Path,
    variant: Variant,
    n_pieces: usize,
    verify: bool,
    observe: &mut dyn FnMut(BuildEvent),
) -> Result<BuiltEndgames> {
    let started = Instant::now();
    let endgames = Endgames::new(dir);
    let _lock = endgames.lock()?;
    let kept = match endgames.read(variant) {
        Ok(kept) => kept.filter(|kept| kept.n_pieces() >= n_pieces),
        Err(error @ StoreError::Unusable { .. }) => {
            observe(BuildEvent::Note(format!("{error}; it will be replaced.")));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let built = kept.is_none();
    let database = match kept {
        Some(database) => database,
        None => solve(&endgames, variant, n_pieces, observe)?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut verified = None;
    if verify {
        observe(BuildEvent::Note("Checking every value.".to_owned()));
        verified = Some(database.verify()?);
    }
    let file = endgames.file(variant);
    let on_disk = fs::metadata(&file).map_err(StoreError::io("inspect", &file))?;
    let slices = database.slices().iter();
    let count = |value| slices.clone().map(|slice| slice.count(value)).sum();
    Ok(BuiltEndgames {
        variant: variant.name(),
        pieces: database.n_pieces(),
        positions: database.n_positions(),
        wins: count(GameValue::Win),
        draws: count(GameValue::Draw),
        losses: count(GameValue::Loss),
        longest: database.longest(),
        file: file.display().to_string(),
        bytes: on_disk.len(),
        built,
        verified,
        seconds,
    })
}

fn solve(
    endgames: &Endgames,
    variant: Variant,
    n_pieces: usize,
    observe: &mut dyn FnMut(BuildEvent),
) -> Result<Database> {
    check_memory(Database::build_bytes(variant, n_pieces)?)?;
    let total = Database::count_positions(variant, n_pieces)? as u64;
    let mut stage = StageProgress::new(format!("{variant}: solving"), 0, total, String::new());
    observe(BuildEvent::Progress(stage.clone()));
    let database = Database::build(variant, n_pieces, |slice| {
        stage.done += slice.n_positions() as u64;
        stage.note = format!("{} pieces", slice.material().n_pieces());
        observe(BuildEvent::Progress(stage.clone()));
    })?;
    endgames.write(&database)?;
    Ok(database)
}

/// Rejects a build that does not fit into memory, if the system reports the available memory.
pub(super) fn check_memory(needed_bytes: usize) -> Result<()> {
    let available = available_bytes().unwrap_or(usize::MAX);
    if needed_bytes <= available {
        return Ok(());
    }
    Err(RunError::Missing(format!(
        "building takes {} MB of memory and {} MB are free: use fewer --pieces",
        needed_bytes / 1_000_000,
        available / 1_000_000,
    )))
}

/// Memory available without swapping, on Linux.
fn available_bytes() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

impl fmt::Display for BuiltEndgames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |n: usize| 100.0 * n as f64 / self.positions as f64;
        writeln!(
            f,
            "{}: {} positions of up to {} pieces: {:.1} % won, {:.1} % drawn, {:.1} % lost; longest \
             win {} plies",
            self.variant,
            self.positions,
            self.pieces,
            share(self.wins),
            share(self.draws),
            share(self.losses),
            self.longest,
        )?;
        let how = match self.built {
            true => format!("built in {:.1} s", self.seconds),
            false => "existed already".to_owned(),
        };
        let megabytes = self.bytes as f64 / 1e6;
        writeln!(f, "{}: {megabytes:.2} MB, {how}", self.file)?;
        if let Some(verified) = self.verified {
            writeln!(f, "all values are right: {verified} positions checked")?;
        }
        Ok(())
    }
}
