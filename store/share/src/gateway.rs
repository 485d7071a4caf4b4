//! A share behind a gateway, as used by volunteers' machines.

use std::fmt;
use std::time::{Duration, SystemTime};

use ureq::Agent;
use ureq::http::StatusCode;

use crate::share::{Call, MAX_BYTES, PATIENCE, SLOWEST, limit_of};
use crate::{Listed, ObjectError, Share, ShareError};

/// Time limit for a download.
const DOWNLOAD: Duration = Duration::from_secs(600);
/// Maximum number of bytes read of an error response.
const MAX_REFUSAL: u64 = 4096;

/// An object as listed by a gateway: its name, and when it was written, in milliseconds since 1970.
pub type ListedThere = (String, u64);

/// Message for a response that is not from a gateway.
const NO_GATEWAY: &str = "no crownhead gateway answers there";

/// A share behind `http://VOLUNTEER:SECRET@HOST:PORT`.
pub(crate) struct Gateway {
    agent: Agent,
    /// `http://HOST:PORT`.
    address: String,
    /// Contains the secret, and is never shown.
    authorization: String,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gateway").field(&self.address).finish()
    }
}

/// The parts of a gateway's URL.
pub(crate) struct GatewayUrl<'a> {
    pub(crate) volunteer: &'a str,
    secret: &'a str,
    /// The URL without volunteer and secret.
    address: String,
}

impl GatewayUrl<'_> {
    /// Splits a URL; `None` if it is not that of a gateway.
    pub(crate) fn parse(url: &str) -> Option<Result<GatewayUrl<'_>, ShareError>> {
        let (scheme, rest) = url.split_once("://")?;
        if !["http", "https"].contains(&scheme) {
            return None;
        }
        let named = rest.split_once('@').and_then(|(who, host)| {
            let (volunteer, secret) = who.split_once(':')?;
            let host = host.trim_end_matches('/');
            let is_whole = ![volunteer, secret, host].contains(&"");
            is_whole.then(|| GatewayUrl {
                volunteer,
                secret,
                address: format!("{scheme}://{host}"),
            })
        });
        // The URL may contain a secret.
        Some(named.ok_or_else(|| ShareError::Place {
            url: "the gateway".to_owned(),
            reason: format!(
                "write {scheme}://NAME:SECRET@HOST:PORT, as crownhead-gateway invite prints it"
            ),
        }))
    }
}

impl Gateway {
    pub(crate) fn new(url: GatewayUrl<'_>) -> Result<Gateway, ShareError> {
        if url.address.starts_with("https:") && !cfg!(feature = "cloud") {
            return Err(ShareError::Place {
                url: url.address,
                reason: "this program was built without TLS: build it with cargo build --release \
                    --features cloud"
                    .to_owned(),
            });
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
            address: url.address,
            authorization: format!("Bearer {}:{}", url.volunteer, url.secret),
        })
    }

    /// The bytes of a response; `None` if there is no such object.
    fn answer(
        &self,
        call: Call<'_>,
        limit: u64,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Option<Vec<u8>>, ObjectError> {
        let failed = |error: ureq::Error| call.failed(&self.address, error.to_string());
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
                let reason = format!("{reason} (status {})", status.as_u16());
                Err(call.failed(&self.address, reason))
            }
        }
    }

    fn ask(&self, call: Call<'_>, route: &str, limit: u64) -> Result<Option<Vec<u8>>, ObjectError> {
        let url = format!("{}/{route}/{}", self.address, call.name);
        let request = self.agent.get(url);
        let answer = request.header("authorization", &self.authorization).call();
        self.answer(call, limit, answer)
    }
}

impl Share for Gateway {
    fn place(&self) -> &str {
        &self.address
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.ask(Call::new("read", name), "objects", limit_of(name))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let call = Call::new("write", name);
        let patience = PATIENCE + Duration::from_secs(bytes.len() as u64 / SLOWEST);
        let request = self
            .agent
            .put(format!("{}/objects/{name}", self.address))
            .config();
        let request = request.timeout_send_body(Some(patience)).build();
        let answer = request
            .header("authorization", &self.authorization)
            .send(&bytes[..]);
        let gone = || call.failed(&self.address, NO_GATEWAY);
        self.answer(call, MAX_REFUSAL, answer)?
            .map(drop)
            .ok_or_else(gone)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        let call = Call::new("list", folder);
        let listed = self.ask(call, "lists", MAX_BYTES)?.unwrap_or_default();
        let listed: Vec<ListedThere> = serde_json::from_slice(&listed)
            .map_err(|error| call.failed(&self.address, error.to_string()))?;
        let listed = listed.into_iter().map(|(name, modified_ms)| Listed {
            name,
            modified: SystemTime::UNIX_EPOCH + Duration::from_millis(modified_ms),
            bytes: 0,
        });
        Ok(listed.collect())
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        Err(Call::new("remove", name).failed(&self.address, "volunteers cannot remove objects"))
    }
}
