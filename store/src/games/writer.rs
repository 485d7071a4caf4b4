//! Appends games to a generation.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use super::{Games, SegmentName};
use crate::atomic;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};
use crate::record::Record;
use crate::segment::{self, Damage, Packer};

/// Limits for syncs and for the size of segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentLimits {
    /// Size at which a segment is finished.
    pub segment_bytes: u64,
    /// Games between two syncs; a power failure loses fewer than that.
    pub games_per_sync: u32,
}

impl SegmentLimits {
    /// 64 MB per segment, a sync every 32 games.
    pub const USUAL: SegmentLimits = SegmentLimits {
        segment_bytes: 64_000_000,
        games_per_sync: 32,
    };
}

/// Appends games to a generation, each once.
pub struct GameWriter {
    games: Games,
    generation: u32,
    limits: SegmentLimits,
    packer: Packer,
    numbers: BTreeSet<u32>,
    damage: Vec<Damage>,
    next_index: u32,
    segment: Option<OpenSegment>,
}

struct OpenSegment {
    path: PathBuf,
    file: File,
    size_bytes: u64,
    n_unsynced: u32,
    /// `true` if another run may share the same file (`run_dir/adopt.rs`).
    may_be_shared: bool,
}

impl GameWriter {
    pub(super) fn open(
        games: &Games,
        generation: u32,
        limits: SegmentLimits,
    ) -> Result<GameWriter> {
        atomic::ensure_dir(&games.dir)?;
        atomic::remove_leftovers(&games.dir)?;
        let packer = Packer::new().map_err(StoreError::io("pack games in", &games.dir))?;
        let mut writer = GameWriter {
            games: games.clone(),
            generation,
            limits,
            packer,
            numbers: BTreeSet::new(),
            damage: Vec::new(),
            next_index: 0,
            segment: None,
        };
        for name in games.segments_of(generation)? {
            writer.take_over(name)?;
        }
        // The process that wrote these segments may have ended before it synced their names.
        atomic::sync_dir(&games.dir)?;
        Ok(writer)
    }

    /// The numbers of the existing games.
    pub fn numbers(&self) -> &BTreeSet<u32> {
        &self.numbers
    }

    /// The damage found when the generation was opened, which has been cut off or quarantined.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Appends a game; returns false if its number already exists, without changing anything.
    pub fn append(&mut self, record: &Record) -> Result<bool> {
        let id = record.header.id;
        let error = |source| StoreError::Game { id, source };
        self.games
            .check_record(self.generation, record)
            .map_err(error)?;
        if self.numbers.contains(&id.number) {
            return Ok(false);
        }
        let payload = self.packer.pack(record).map_err(error)?;
        let limits = self.limits;
        let segment = self.segment()?;
        segment.append(&payload)?;
        if segment.n_unsynced >= limits.games_per_sync {
            segment.sync()?;
        }
        if segment.size_bytes >= limits.segment_bytes {
            segment.sync()?;
            self.segment = None;
        }
        self.numbers.insert(id.number);
        Ok(true)
    }

    /// Waits until all games are on disk.
    pub fn sync(&mut self) -> Result<()> {
        self.segment.as_mut().map_or(Ok(()), OpenSegment::sync)
    }

    /// Repairs a segment, registers its games, and appends to it if it has room.
    fn take_over(&mut self, name: SegmentName) -> Result<()> {
        // A file that is not a segment of this run must not be repaired into one.
        let (path, bytes, scan) = self.games.scan(&name)?;
        let found = segment::repair(&path, self.games.variant, &bytes, &scan)?;
        self.damage.extend(found);
        let segment = self.games.read_segment(&name)?;
        for record in segment.records {
            self.numbers.insert(record?.header.id.number);
        }
        self.next_index = name.index + 1;
        let mut taken = OpenSegment::open(path, segment.size_bytes)?;
        taken.may_be_shared = true;
        // Its games count from now on, and the process that wrote them may have ended before it
        // synced them.
        taken.sync()?;
        let has_room = taken.size_bytes < self.limits.segment_bytes;
        self.segment = has_room.then_some(taken);
        Ok(())
    }

    fn segment(&mut self) -> Result<&mut OpenSegment> {
        let segment = match self.segment.take() {
            Some(segment) => segment,
            None => {
                let name = SegmentName {
                    generation: self.generation,
                    index: self.next_index,
                };
                let path = self.games.dir.join(name.to_string());
                self.next_index += 1;
                OpenSegment::create(path, &segment::header(self.games.variant))?
            }
        };
        Ok(self.segment.insert(segment))
    }
}

impl OpenSegment {
    fn create(path: PathBuf, header: &[u8]) -> Result<OpenSegment> {
        atomic::write_file(&path, header)?;
        OpenSegment::open(path, header.len() as u64)
    }

    fn open(path: PathBuf, size_bytes: u64) -> Result<OpenSegment> {
        let file = disk::open(&path, OpenOptions::new().append(true))
            .map_err(StoreError::io("open", &path))?;
        Ok(OpenSegment {
            path,
            file,
            size_bytes,
            n_unsynced: 0,
            may_be_shared: false,
        })
    }

    /// Replaces a file that another run may share by a copy.
    fn make_own(&mut self) -> Result<()> {
        let bytes = super::read_segment(&self.path)?;
        atomic::write_file(&self.path, &bytes)?;
        *self = OpenSegment::open(std::mem::take(&mut self.path), bytes.len() as u64)?;
        Ok(())
    }

    /// Appends a frame. If the process is killed, at most this one is torn.
    fn append(&mut self, payload: &[u8]) -> Result<()> {
        if self.may_be_shared {
            self.make_own()?;
        }
        let mut frame = segment::frame_header(payload).to_vec();
        frame.extend(payload);
        if let Err(error) = self.file.write_all(&frame) {
            // The disk may be full: a partly written frame must not block the next one. If this
            // fails too, the next open cuts it off.
            let _ = self.file.set_len(self.size_bytes);
            return Err(StoreError::io("write", &self.path)(error));
        }
        self.size_bytes += frame.len() as u64;
        self.n_unsynced += 1;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.file
            .sync()
            .map_err(StoreError::io("sync", &self.path))?;
        self.n_unsynced = 0;
        Ok(())
    }
}
