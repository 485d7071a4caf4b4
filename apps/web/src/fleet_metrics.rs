//! A server of `/metrics` for a Prometheus on another machine, or an autoscaler.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use share::{FleetStatus, Share};
use store::RunDir;

use crate::connections::Limits;
use crate::error::WebError;
use crate::prometheus::{Exposition, Reply, reply};
use crate::reply::aside;
use crate::server::{listen, serve, unknown, wrong_method};

/// A reply is repeated for as long, because listings of a bucket are paid for.
const FRESH: Duration = Duration::from_secs(5);

/// A server of `/metrics` alone, about one fleet and its run, for any machine that can reach it.
pub struct FleetMetrics {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

struct Watched {
    name: String,
    share: Box<dyn Share>,
    run: Option<PathBuf>,
    last: Mutex<Option<(Instant, String)>>,
}

impl FleetMetrics {
    /// Binds to an address. `name` labels the run, which need not be in its directory yet; without
    /// a directory only its fleet is described.
    ///
    /// # Errors
    /// If the address is not available.
    pub fn bind(
        address: SocketAddr,
        name: &str,
        share: Box<dyn Share>,
        run: Option<PathBuf>,
    ) -> Result<FleetMetrics, WebError> {
        let (listener, address) = listen(address)?;
        let watched = Watched {
            name: name.to_owned(),
            share,
            run,
            last: Mutex::default(),
        };
        let router = Router::new()
            .route("/metrics", get(fleet_metrics))
            .fallback(unknown)
            .method_not_allowed_fallback(wrong_method)
            .with_state(Arc::new(watched));
        Ok(FleetMetrics {
            listener,
            address,
            router,
        })
    }

    /// The address it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` becomes true.
    ///
    /// # Errors
    /// If the system runs out of resources.
    pub fn run(self, stop: &AtomicBool) -> Result<(), WebError> {
        serve(self.listener, self.router, Limits::default(), stop)
    }
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
        exposition.add("fleet_up", "gauge", help, &labels, is_up);
        if let Some(fleet) = fleet {
            exposition.add_fleet(&fleet, &labels);
        }
        let text = exposition.text();
        *last = Some((Instant::now(), text.clone()));
        text
    }
}

/// `GET /metrics` about one fleet.
async fn fleet_metrics(State(watched): State<Arc<Watched>>) -> Reply {
    let text = aside(move || Ok(watched.text())).await?;
    reply(text)
}
