//! Access control. Any page in the browser can send requests to this machine, and a foreign host
//! name can point to it (DNS rebinding); such requests are recognized by their `Origin` and `Host`.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::ApiError;

/// The policy of the page, with the directive that only a server can give.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!("{}; frame-ancestors 'none'", page::POLICY);
    HeaderValue::from_str(&policy).expect("it is plain text")
});

/// The host names of this server.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    names: Arc<[String]>,
    port: u16,
}

impl Hosts {
    /// The names of this machine, and its address for others.
    pub(crate) fn new(port: u16, lan: Option<IpAddr>) -> Hosts {
        let names = ["127.0.0.1", "localhost", "localhost."].map(str::to_owned);
        let lan = lan.map(|address| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        Hosts {
            names: names.into_iter().chain(lan).collect(),
            port,
        }
    }

    /// Accepts the names of this machine with any port: `ssh -L` may use another one. Foreign names
    /// are refused.
    fn has(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            // An address of version 6 without brackets has no port.
            Some((name, port)) if port.parse::<u16>().is_ok() && !name.ends_with(':') => name,
            _ => host,
        };
        let is = |known: &String| known.eq_ignore_ascii_case(name);
        self.names.iter().any(is) || is_loopback(name)
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let refuse = |what: &str, value: &str| {
            let (own, port) = (&self.names[0], self.port);
            Err(ApiError::new(
                StatusCode::FORBIDDEN,
                format!("{what} {value:?} may not use this server: open http://{own}:{port}/"),
            ))
        };
        let host = match text(header::HOST) {
            Some(host) if self.has(host) => host,
            host => return refuse("the host", host.unwrap_or("")),
        };
        // Pages of other servers on this machine have another port.
        let is_own = |origin: &str| {
            let asking = origin.strip_prefix("http://");
            asking.is_some_and(|asking| asking.eq_ignore_ascii_case(host))
        };
        match text(header::ORIGIN) {
            None => {}
            Some(origin) if is_own(origin) => {}
            Some(origin) => return refuse("the origin", origin),
        }
        // Following a link from another site is allowed; requests by its scripts are not.
        let is_foreign = matches!(text(SEC_FETCH_SITE), Some("cross-site" | "same-site"));
        let is_navigation = text(SEC_FETCH_MODE) == Some("navigate");
        if is_foreign && !is_navigation {
            return refuse("a page of", "another site");
        }
        Ok(())
    }
}

/// True for the addresses of this machine itself. No foreign name is an address.
fn is_loopback(name: &str) -> bool {
    let inside = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = match inside {
        Some(inside) => inside.parse(),
        None => name.parse().map(IpAddr::V4),
    };
    address.is_ok_and(|address| address.to_canonical().is_loopback())
}

const SEC_FETCH_SITE: header::HeaderName = header::HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: header::HeaderName = header::HeaderName::from_static("sec-fetch-mode");

/// Rejects requests of other sites, and adds security headers to all responses.
pub(crate) async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let mut response = match hosts.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let lan = IpAddr::from([192, 168, 1, 5]);
        Hosts::new(80, Some(lan)).check(&headers).is_ok()
    }

    #[test]
    fn only_this_machine_may_ask() {
        for host in [
            "127.0.0.1:80",
            "localhost:80",
            "LocalHost:80",
            "[::1]:80",
            "192.168.1.5:80",
            "127.0.0.1",
            "localhost:9000",
            "localhost.:9000",
            "127.0.1.1:9000",
            "[::1]",
            "[::ffff:127.0.0.1]:9000",
        ] {
            assert!(check(&[("host", host)]), "{host}");
        }
        for host in [
            "localhost:x",
            "localhost.evil.example:80",
            "localhost:80.evil.example",
            "192.168.1.6:80",
            "192.168.1.51:80",
            "evil.example:80",
            "",
            "a.localhost:80",
            "::1",
            "[::1",
            "[::1]:x",
            "[::2]:80",
            "127.0.0.1.:80",
            "127.0.0.1.evil.example:80",
            "0.0.0.0:80",
        ] {
            assert!(!check(&[("host", host)]), "{host}");
        }
        assert!(!check(&[]), "no host at all");
    }

    #[test]
    fn only_own_pages_may_ask() {
        let host = ("host", "localhost:80");
        assert!(check(&[host, ("origin", "http://localhost:80")]));
        let tunnel = ("host", "localhost:9000");
        assert!(check(&[tunnel, ("origin", "http://localhost:9000")]));
        for origin in [
            "https://localhost:80",
            "http://localhost:9000",
            "http://127.0.0.1:80",
            "http://evil.example",
            "null",
            "",
        ] {
            assert!(!check(&[host, ("origin", origin)]), "{origin}");
        }
        let site = |site: &'static str, mode: &'static str| {
            check(&[host, ("sec-fetch-site", site), ("sec-fetch-mode", mode)])
        };
        assert!(site("same-origin", "cors") && site("none", "navigate"));
        assert!(site("cross-site", "navigate"), "a link");
        assert!(!site("cross-site", "no-cors") && !site("same-site", "cors"));
    }
}
