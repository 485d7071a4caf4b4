//! A share behind a gateway, as the machines of volunteers see it.

use std::fmt;
use std::time::{Duration, SystemTime};

use ureq::Agent;
use ureq::http::StatusCode;

use crate::share::{MAX_BYTES, PATIENCE, SLOWEST, limit_of};
use crate::{FleetError, Listed, Share, ShareError};

/// How long what is read may take to come.
const DOWNLOAD: Duration = Duration::from_secs(600);
/// Bytes of a refusal that are read at most.
const MAX_REFUSAL: u64 = 4096;

/// An object, as a gateway lists it: its name, and when it was written, in milliseconds since 1970.
pub type ListedThere = (String, u64);

/// Why something else than a gateway's answer came.
const NO_GATEWAY: &str = "no crownhead gateway answers there";

/// A share behind `http://VOLUNTEER:SECRET@HOST:PORT`.
pub(crate) struct Gateway {
    agent: Agent,
    /// `http://HOST:PORT`.
    address: String,
    /// Has the secret, and is shown to nobody.
    authorization: String,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gateway").field(&self.address).finish()
    }
}

/// The volunteer and the secret in the URL of a gateway, and the URL without them; nothing if it is another URL.
pub(crate) fn parts(url: &str) -> Option<Result<(&str, &str, String), String>> {
    let scheme = ["http", "https"].into_iter().find(|scheme| {
        url.strip_prefix(scheme)
            .is_some_and(|rest| rest.starts_with("://"))
    })?;
    let rest = &url[scheme.len() + 3..];
    let named = rest.split_once('@').and_then(|(who, host)| {
        let (volunteer, secret) = who.split_once(':')?;
        Some((volunteer, secret, host.trim_end_matches('/')))
    });
    Some(match named {
        Some((volunteer, secret, host))
            if !volunteer.is_empty() && !secret.is_empty() && !host.is_empty() =>
        {
            Ok((volunteer, secret, format!("{scheme}://{host}")))
        }
        _ => Err(format!(
            "write {scheme}://NAME:SECRET@HOST:PORT, as crownhead fleet invite gives it"
        )),
    })
}

impl Gateway {
    pub(crate) fn open(url: &str) -> Option<Result<Gateway, FleetError>> {
        let parts = parts(url)?;
        let refused = |url: &str, reason: String| FleetError::Place {
            url: url.to_owned(),
            reason,
        };
        Some(parts.map_err(|reason| refused("the gateway", reason)).and_then(|(volunteer, secret, address)| {
            if address.starts_with("https:") && !cfg!(feature = "cloud") {
                let reason = "this program was built without TLS: build it by cargo build --release --features cloud";
                return Err(refused(&address, reason.to_owned()));
            }
            let config = Agent::config_builder()
                .http_status_as_error(false)
                .proxy(None)
                .max_redirects(0)
                .timeout_connect(Some(PATIENCE))
                .timeout_recv_response(Some(PATIENCE))
                .timeout_recv_body(Some(DOWNLOAD));
            Ok(Gateway {
                agent: config.build().into(),
                address,
                authorization: format!("Bearer {volunteer}:{secret}"),
            })
        }))
    }

    fn error(&self, what: &'static str, name: &str, reason: String) -> ShareError {
        ShareError {
            what,
            name: name.to_owned(),
            place: self.address.clone(),
            reason,
        }
    }

    /// An answer's bytes; none where there is no such object.
    fn answer(
        &self,
        (what, name): (&'static str, &str),
        limit: u64,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Option<Vec<u8>>, ShareError> {
        let failed = |error: ureq::Error| self.error(what, name, error.to_string());
        let mut answer = answer.map_err(failed)?;
        let status = answer.status();
        let is_there = status.is_success();
        let limit = if is_there { limit } else { MAX_REFUSAL };
        let body = answer.body_mut().with_config().limit(limit).read_to_vec();
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            _ if is_there => body.map(Some).map_err(failed),
            _ => {
                let said = serde_json::from_slice(&body.unwrap_or_default());
                let said: serde_json::Value = said.unwrap_or_default();
                let reason = said["error"].as_str().unwrap_or(NO_GATEWAY);
                Err(self.error(what, name, format!("{reason} (status {})", status.as_u16())))
            }
        }
    }

    fn ask(
        &self,
        what: &'static str,
        route: &str,
        name: &str,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, ShareError> {
        let request = self.agent.get(format!("{}/{route}/{name}", self.address));
        let answer = request.header("authorization", &self.authorization).call();
        self.answer((what, name), limit, answer)
    }
}

impl Share for Gateway {
    fn place(&self) -> &str {
        &self.address
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ShareError> {
        self.ask("read", "objects", name, limit_of(name))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
        let patience = PATIENCE + Duration::from_secs(bytes.len() as u64 / SLOWEST);
        let request = self
            .agent
            .put(format!("{}/objects/{name}", self.address))
            .config();
        let request = request.timeout_send_body(Some(patience)).build();
        let answer = request
            .header("authorization", &self.authorization)
            .send(&bytes[..]);
        let gone = || self.error("write", name, NO_GATEWAY.to_owned());
        self.answer(("write", name), MAX_REFUSAL, answer)?
            .map(drop)
            .ok_or_else(gone)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ShareError> {
        let listed = self
            .ask("list", "lists", folder, MAX_BYTES)?
            .unwrap_or_default();
        let listed: Vec<ListedThere> = serde_json::from_slice(&listed)
            .map_err(|error| self.error("list", folder, error.to_string()))?;
        let listed = listed.into_iter().map(|(name, modified_ms)| Listed {
            name,
            modified: SystemTime::UNIX_EPOCH + Duration::from_millis(modified_ms),
        });
        Ok(listed.collect())
    }

    fn delete(&self, name: &str) -> Result<(), ShareError> {
        Err(self.error("remove", name, "volunteers remove nothing".to_owned()))
    }
}
