use std::net::{SocketAddr, ToSocketAddrs};

/// Reads an address to listen on: an IP address or the name of a host, and a port.
///
/// A name is resolved once, by the system. If it has addresses of both kinds, the IPv4 one counts, so that
/// `localhost` is where the defaults are.
///
/// # Errors
///
/// There is no port, or the name has no address.
pub(crate) fn socket_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let has_port = text
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !has_port {
        return Err(format!("`{text}` is not an address with a port"));
    }
    let found = text.to_socket_addrs();
    let found: Vec<SocketAddr> = found
        .map_err(|error| format!("`{text}` cannot be resolved: {error}"))?
        .collect();
    let first = found.iter().find(|address| address.is_ipv4());
    first
        .or(found.first())
        .copied()
        .ok_or_else(|| format!("`{text}` has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_read() {
        for (text, address) in [
            ("127.0.0.1:4640", "127.0.0.1:4640"),
            ("[::1]:0", "[::1]:0"),
            ("localhost:4650", "127.0.0.1:4650"),
        ] {
            assert_eq!(socket_address(text), Ok(address.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_address_needs_its_port() {
        for text in [
            "",
            "localhost",
            "localhost:",
            "localhost:99999",
            ":4640",
            "127.0.0.1",
            "a b:1",
        ] {
            assert!(socket_address(text).is_err(), "{text}");
        }
    }
}
