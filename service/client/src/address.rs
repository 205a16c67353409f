use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use tonic::transport::Uri;

/// Greatest number of replicas in an address.
pub const MAX_REPLICAS: usize = 16;

/// The address of a service: `http://host:port`, `https://host:port`, or `host:port`, which means
/// `http`. Several, separated by commas, are replicas of one service, to be tried in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// At least one, all with the same scheme.
    uris: Vec<Uri>,
    insecure: bool,
}

/// A text that is not a service address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address:?} is not a service address: {fault}; example: http://127.0.0.1:4640")]
pub struct InvalidServerAddress {
    address: String,
    fault: String,
}

impl ServerAddress {
    /// True if the connection uses TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.uris.iter().all(is_https)
    }

    /// True if the service is on this machine: `localhost`, or an address of the loopback.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.uris.iter().all(|uri| {
            let host = uri.host().unwrap_or_default();
            let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
            host == "localhost" || ip.is_ok_and(|ip: IpAddr| ip.is_loopback())
        })
    }

    /// The address, to which tokens may be sent in the clear if `is_allowed`: without TLS, to another machine,
    /// where anyone on the way can read them.
    #[must_use]
    pub fn insecure(self, is_allowed: bool) -> Self {
        Self {
            insecure: is_allowed,
            ..self
        }
    }

    /// True if tokens may be sent there in the clear, whatever it is.
    #[must_use]
    pub const fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// True if a token may be sent there.
    #[must_use]
    pub fn may_have_token(&self) -> bool {
        self.is_tls() || self.insecure || self.is_loopback()
    }

    pub(crate) fn uris(&self) -> &[Uri] {
        &self.uris
    }
}

impl FromStr for ServerAddress {
    type Err = InvalidServerAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |text: &str, fault: &str| InvalidServerAddress {
            address: masked(text),
            fault: fault.to_owned(),
        };
        let uris = text.split(',').map(|part| {
            let part = part.trim();
            parse(part).map_err(|fault| invalid(part, &fault))
        });
        let uris: Vec<Uri> = uris.collect::<Result<_, _>>()?;
        if uris.len() > MAX_REPLICAS {
            let fault = format!("it lists more than {MAX_REPLICAS} replicas");
            return Err(invalid(text, &fault));
        }
        if uris.iter().any(is_https) && !uris.iter().all(is_https) {
            let fault = "all replicas of a service use https, or none";
            return Err(invalid(text, fault));
        }
        let insecure = false;
        Ok(Self { uris, insecure })
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uris: Vec<String> = self.uris.iter().map(origin).collect();
        f.write_str(&uris.join(","))
    }
}

/// Reads the address of one replica, or returns the fault.
fn parse(text: &str) -> Result<Uri, String> {
    let full = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let uri: Uri = full.parse().map_err(|error| format!("{error}"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err("only http and https are supported".to_owned());
    }
    let Some(authority) = uri.authority() else {
        return Err("it has no host".to_owned());
    };
    if authority.host().is_empty() {
        return Err("it has no host".to_owned());
    }
    if authority.as_str().contains('@') {
        return Err("it contains credentials".to_owned());
    }
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err("something follows the port".to_owned());
    }
    let has_port = authority.port_u16().is_some();
    if !has_port && authority.as_str() != authority.host() {
        return Err("its port is not a number up to 65535".to_owned());
    }
    if !has_port && !text.contains("://") {
        return Err("it has no port".to_owned());
    }
    Ok(uri)
}

fn is_https(uri: &Uri) -> bool {
    uri.scheme_str() == Some("https")
}

/// The scheme, the host and the port.
pub(crate) fn origin(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or_default();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    format!("{scheme}://{authority}")
}

/// Returns the text without a part that may be a password.
fn masked(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_addresses_with_and_without_a_scheme() {
        for (text, shown) in [
            ("http://127.0.0.1:4640", "http://127.0.0.1:4640"),
            ("http://127.0.0.1:4640/", "http://127.0.0.1:4640"),
            ("https://play.example", "https://play.example"),
            ("[::1]:9000", "http://[::1]:9000"),
            ("localhost:9000", "http://localhost:9000"),
            (
                "https://a.example, https://b.example:9000",
                "https://a.example,https://b.example:9000",
            ),
            (
                "localhost:1,127.0.0.1:2",
                "http://localhost:1,http://127.0.0.1:2",
            ),
        ] {
            let address: ServerAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.is_tls(), text.starts_with("https"));
        }
    }

    #[test]
    fn knows_where_a_token_may_be_sent() {
        for (text, may) in [
            ("http://127.0.0.1:4640", true),
            ("127.9.9.9:1", true),
            ("[::1]:9000", true),
            ("localhost:9000", true),
            ("https://play.example", true),
            ("http://play.example:4640", false),
            ("10.0.0.1:4640", false),
            ("127.0.0.1.example:4640", false),
            ("localhost.example:4640", false),
            ("[::2]:4640", false),
            ("localhost:9000,127.0.0.1:9001", true),
            ("localhost:9000,10.0.0.1:4640", false),
        ] {
            let address: ServerAddress = text.parse().unwrap();
            assert_eq!(address.may_have_token(), may, "{text}");
            assert!(address.insecure(true).may_have_token(), "{text}");
        }
    }

    #[test]
    fn refuses_invalid_addresses() {
        for text in [
            "",
            "localhost",
            "ftp://host:1",
            "http://",
            "http://host:1/path",
            "http://host:1/?query",
            "http://host:99999999",
            "http://host:",
            "http://a b:1",
            "host:port",
            "host:1,",
            "host:1,,host:2",
            "http://host:1,https://host:2",
            &["host:1"; MAX_REPLICAS + 1].join(","),
        ] {
            let error = text.parse::<ServerAddress>().unwrap_err().to_string();
            assert!(
                error.contains("is not a service address"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn shows_no_password() {
        let error = "http://me:secret@host:1"
            .parse::<ServerAddress>()
            .unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");

        let error = "http://me:secret@host:1,http://host:2"
            .parse::<ServerAddress>()
            .unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
