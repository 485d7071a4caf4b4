//! Views of runs.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use axum::extract::{self, RawQuery, State};
use axum::response::Response;
use http::{ApiError, ApiResult, answer, aside};
use page::WhiteValue;
use rayon::prelude::*;
use rules::{Color, Outcome, status};
use serde::{Deserialize, Serialize};
use serde_json::Value as Document;
use share::FleetStatus;
use store::{GameId, MetricLine, ModelId, Ply, Record};

use crate::player_pool::StoredRatings;
use crate::runs::{ChangeView, Judge, NamedRun, RunLine, RunVerdict};
use crate::state::AppState;
use crate::stream::{event, events, queue};

/// Maximum number of points of a curve.
const MAX_POINTS: usize = 400;
/// Number of newest games in the list.
const N_NEWEST: usize = 12;
/// Interval at which a run is read for the live view.
const LIVE_INTERVAL: Duration = Duration::from_secs(1);

/// All runs.
pub(crate) fn lines(shared: &AppState) -> Vec<RunLine> {
    let runs = shared.runs.list();
    let places: HashSet<&Path> = runs.iter().map(|run| run.dir.path()).collect();
    shared.lines.keep(|place| places.contains(place));
    let line = |run| RunLine::remembered(run, shared.judge, &shared.lines);
    runs.par_iter().map(line).collect()
}

/// `GET /api/runs`; with the query `first` only the first run, without its settings: the page of a
/// game needs the name and the variant.
pub(crate) async fn runs(
    State(shared): State<Arc<AppState>>,
    RawQuery(part): RawQuery,
) -> ApiResult<Vec<RunLine>> {
    answer(move || {
        if part.as_deref() != Some("first") {
            return Ok(lines(&shared));
        }
        let first = shared.runs.list().into_iter().next();
        let mut line = first.map(|run| RunLine::remembered(&run, shared.judge, &shared.lines));
        line.iter_mut().for_each(|line| line.settings.clear());
        Ok(Vec::from_iter(line))
    })
    .await
}

/// The live view of a run.
#[derive(Serialize)]
pub(crate) struct Snapshot {
    name: String,
    variant: &'static str,
    status: Document,
    /// `true` if a process is training it; after a kill the status cannot tell.
    is_live: bool,
    /// The verdict on it, if there is one.
    verdict: Option<RunVerdict>,
    /// The fleet, if it shares the run's directory.
    fleet: Option<FleetStatus>,
    ratings: StoredRatings,
    /// By key: its settings as text.
    settings: BTreeMap<String, String>,
    /// Settings that changed, the oldest change first.
    changes: Vec<ChangeView>,
    champion: Option<u32>,
    /// Newest first.
    models: Vec<ModelView>,
    /// By tag: (generation, value), oldest first.
    curves: BTreeMap<String, Vec<(u32, f64)>>,
    /// The generations that have games.
    generations: Vec<u32>,
    newest_games: Vec<GameLine>,
}

/// A model of a run.
#[derive(Serialize)]
struct ModelView {
    number: u32,
    /// When it was written, in seconds since 1970.
    made_unix: Option<u64>,
    elo: Option<f64>,
    ci95: Option<f64>,
}

/// A game in a list.
#[derive(Serialize)]
pub(crate) struct GameLine {
    generation: u32,
    number: u32,
    plies: usize,
    result: &'static str,
    reason: &'static str,
    network: String,
    /// The largest change of White's expected score from one known value to the next.
    swing: f32,
    /// The winner's lowest expected score, from known values; null for draws.
    winner_low: Option<f32>,
}

impl GameLine {
    pub(crate) fn new(record: &Record) -> GameLine {
        let GameId { generation, number } = record.header.id;
        let scores = scores(record);
        let changes = scores.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let winner = record.result.and_then(Outcome::winner);
        let winner_low = winner.and_then(|winner| {
            let score = |white: &f32| match winner {
                Color::White => *white,
                Color::Black => 1.0 - white,
            };
            scores.iter().map(score).reduce(f32::min)
        });
        GameLine {
            generation,
            number,
            plies: record.plies.len(),
            result: status(record.result),
            reason: record.result.map_or("truncated", Outcome::reason),
            network: record.header.network.clone(),
            swing: changes.fold(0.0, f32::max),
            winner_low,
        }
    }
}

/// White's expected scores, where they are known.
fn scores(record: &Record) -> Vec<f32> {
    let mut color = record.start.turn();
    let score = |ply: &Ply| {
        let value = ply.search.value();
        let score = value.map(|value| WhiteValue::new(value.probabilities(), color).score());
        color = !color;
        score
    };
    record.plies.iter().filter_map(score).collect()
}

impl Snapshot {
    /// Reads the current state of a run. Another process may be writing to it.
    fn read(run: &NamedRun, judge: Judge) -> Result<Snapshot, ApiError> {
        let (games, ratings) = (run.games(), StoredRatings::of(run));
        let model = |id: ModelId| {
            let rating = ratings.find(id);
            ModelView {
                number: id.0,
                made_unix: made_unix(&run.dir.model_path(id)),
                elo: rating.map(|rating| rating.elo),
                ci95: rating.map(|rating| rating.interval()),
            }
        };
        let models = run.dir.models().map_err(ApiError::failed)?;
        let models = models.into_iter().rev().map(model).collect();
        let newest = games.newest(N_NEWEST).map_err(ApiError::failed)?;
        Ok(Snapshot {
            name: run.name.clone(),
            variant: run.variant.name(),
            is_live: run.dir.is_locked(),
            verdict: judge(&run.dir),
            fleet: FleetStatus::of_run(run.dir.path()),
            status: run
                .dir
                .status()
                .map_err(ApiError::failed)?
                .unwrap_or_default(),
            settings: run.settings(),
            changes: run.changes(),
            ratings,
            champion: run.dir.champion().map_err(ApiError::failed)?.map(|id| id.0),
            models,
            curves: curves(&run.dir.metrics().map_err(ApiError::failed)?),
            generations: games.generations().map_err(ApiError::failed)?,
            newest_games: newest.iter().map(GameLine::new).collect(),
        })
    }
}

/// When a file or directory was changed last, in seconds since 1970.
fn made_unix(path: &Path) -> Option<u64> {
    let changed = path.metadata().and_then(|data| data.modified()).ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// The curves of all scalars, thinned if they are long. The last value of a generation counts.
fn curves(lines: &[MetricLine]) -> BTreeMap<String, Vec<(u32, f64)>> {
    let mut curves: BTreeMap<String, Vec<(u32, f64)>> = BTreeMap::new();
    for line in lines {
        for (tag, value) in &line.values {
            let Some(value) = value.filter(|value| value.is_finite()) else {
                continue;
            };
            let curve = curves.entry(tag.clone()).or_default();
            match curve.last_mut() {
                Some(last) if last.0 == line.generation => last.1 = value,
                _ => curve.push((line.generation, value)),
            }
        }
    }
    curves.values_mut().for_each(thin);
    curves
}

/// Thins a long curve. The lowest and the highest point of each part remain, so no peak is lost.
/// The first and the last point remain too.
fn thin(points: &mut Vec<(u32, f64)>) {
    if points.len() <= MAX_POINTS {
        return;
    }
    let length = points.len().div_ceil((MAX_POINTS - 2) / 2);
    let mut kept = vec![0, points.len() - 1];
    for start in (0..points.len()).step_by(length) {
        let part = start..points.len().min(start + length);
        let by_value = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        kept.extend(part.clone().min_by(by_value));
        kept.extend(part.max_by(by_value));
    }
    kept.sort_unstable();
    kept.dedup();
    *points = kept.into_iter().map(|place| points[place]).collect();
}

/// `GET /api/runs/{run}`.
pub(crate) async fn run(
    State(shared): State<Arc<AppState>>,
    extract::Path(name): extract::Path<String>,
) -> ApiResult<Snapshot> {
    answer(move || Snapshot::read(&shared.runs.find(&name)?, shared.judge)).await
}

/// `GET /api/runs/{run}/live`: the snapshot at once and whenever it changes.
pub(crate) async fn live(
    State(shared): State<Arc<AppState>>,
    extract::Path(name): extract::Path<String>,
) -> Result<Response, ApiError> {
    let permit = Arc::clone(&shared.viewers)
        .try_acquire_owned()
        .map_err(|_| ApiError::busy("too many pages are watching runs: close one"))?;
    let run = {
        let shared = Arc::clone(&shared);
        aside(move || shared.runs.find(&name)).await?
    };
    let (sender, queue) = queue();
    tokio::spawn(async move {
        let mut last = Document::Null;
        loop {
            let (run, judge) = (run.clone(), shared.judge);
            let news = match aside(move || Snapshot::read(&run, judge)).await {
                Ok(snapshot) => serde_json::to_value(snapshot).unwrap_or_default(),
                // It is being rewritten, or was removed: retried at the next interval.
                Err(_) => last.clone(),
            };
            if news != last {
                last = news;
                // Waits for a slow client. A closed channel is noticed below.
                let _ = sender.send(event("run", &last)).await;
            }
            if tokio::time::timeout(LIVE_INTERVAL, sender.closed())
                .await
                .is_ok()
            {
                return;
            }
        }
    });
    Ok(events(queue, permit))
}

/// A gate, without its games.
#[derive(Deserialize, Serialize)]
pub(crate) struct GateView {
    opponent: String,
    verdict: String,
    pairs: u32,
    games: GateGames,
    #[serde(default)]
    sentence: String,
}

/// Results of a gate's games for the candidate.
#[derive(Deserialize, Serialize)]
struct GateGames {
    wins: u32,
    draws: u32,
    losses: u32,
}

/// `GET /api/runs/{run}/gates/{model}`.
pub(crate) async fn gate(
    State(shared): State<Arc<AppState>>,
    extract::Path((name, model)): extract::Path<(String, u32)>,
) -> ApiResult<GateView> {
    answer(move || {
        let run = shared.runs.find(&name)?;
        let gate = run.dir.gate(ModelId(model)).map_err(ApiError::failed)?;
        gate.ok_or_else(|| ApiError::missing(format!("model {model} of run {name} has no gate")))
    })
    .await
}

/// `GET /api/runs/{run}/games/{generation}`.
pub(crate) async fn games(
    State(shared): State<Arc<AppState>>,
    extract::Path((name, generation)): extract::Path<(String, u32)>,
) -> ApiResult<Vec<GameLine>> {
    answer(move || {
        let run = shared.runs.find(&name)?;
        let games = shared.runs.generation(&run, generation)?;
        if games.records.is_empty() {
            let known = run.games().generations().map_err(ApiError::failed)?;
            let range = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("generations {first} to {last} have"),
                _ => "no generation has".to_owned(),
            };
            return Err(ApiError::missing(format!(
                "run {name} has no games of generation {generation}: {range}"
            )));
        }
        Ok(games.records.iter().map(GameLine::new).collect())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned_and_keep_their_ends_and_peaks() {
        for n in [0, 1, 399, 400, 401, 5000] {
            let mut points: Vec<(u32, f64)> = (0..n).map(|i| (i, f64::from(i))).collect();
            thin(&mut points);
            assert!(points.len() <= MAX_POINTS);
            assert_eq!(points.last().map(|point| point.0), n.checked_sub(1));
            if n <= 400 {
                assert_eq!(points.len(), n as usize);
            }
        }
        let mut peaks: Vec<(u32, f64)> = (0..5000).map(|i| (i, 0.5)).collect();
        (peaks[1234].1, peaks[4321].1) = (9.0, -9.0);
        thin(&mut peaks);
        assert!(peaks.len() <= MAX_POINTS);
        assert!(peaks.contains(&(1234, 9.0)) && peaks.contains(&(4321, -9.0)));
        assert_eq!(peaks[0].0, 0);
    }
}
