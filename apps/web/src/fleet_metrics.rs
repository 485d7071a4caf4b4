//! A server of `/metrics` for a Prometheus on another machine, or an autoscaler.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::{Server, ServerError, aside, with_refusals};
use share::{FleetStatus, Share};
use store::RunDir;

use crate::prometheus::{Exposition, Reply, reply};

/// A reply is repeated for as long, because listings of a bucket are paid for.
const FRESH: Duration = Duration::from_secs(5);

struct Watched {
    name: String,
    share: Box<dyn Share>,
    run: Option<PathBuf>,
    last: Mutex<Option<(Instant, String)>>,
}

/// A server of `/metrics` alone, about one fleet and its run, for any machine that can reach it.
/// `name` labels the run, which need not be in its directory yet; without a directory only its
/// fleet is described.
///
/// # Errors
/// If the address is not available.
pub fn fleet_metrics(
    address: SocketAddr,
    name: &str,
    share: Box<dyn Share>,
    run: Option<PathBuf>,
) -> Result<Server, ServerError> {
    let watched = Watched {
        name: name.to_owned(),
        share,
        run,
        last: Mutex::default(),
    };
    let router = with_refusals(Router::new().route("/metrics", get(metrics)));
    let mut server = Server::bind(address)?;
    server.router = router.with_state(Arc::new(watched));
    Ok(server)
}

impl Watched {
    /// The figures, at most some seconds old. A fleet that cannot be read is left out.
    fn text(&self) -> String {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, text)) = &*last
            && when.elapsed() < FRESH
        {
            return text.clone();
        }
        let mut exposition = Exposition::default();
        let labels = [("run", self.name.as_str())];
        if let Some(run) = self.run.as_deref().and_then(|run| RunDir::open(run).ok()) {
            exposition.add_run(&run, &labels);
        }
        let fleet = FleetStatus::read(&*self.share).ok();
        let is_up = f64::from(u8::from(fleet.is_some()));
        let help = "1 if the fleet could be read.";
        exposition.add("fleet_up", help, &labels, is_up);
        if let Some(fleet) = fleet {
            exposition.add_fleet(&fleet, &labels);
        }
        let text = exposition.text();
        *last = Some((Instant::now(), text.clone()));
        text
    }
}

/// `GET /metrics` about one fleet.
async fn metrics(State(watched): State<Arc<Watched>>) -> Reply {
    let text = aside(move || Ok(watched.text())).await?;
    reply(text)
}
