use std::net::IpAddr;

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

/// The longest name of the domain name system, in bytes.
const MAX_NAME_BYTES: usize = 253;

/// Parses a list of host names, separated by commas. `None` if one is not a name.
pub(crate) fn host_names(text: &str) -> Option<Vec<String>> {
    let names = text.split(',').map(str::trim);
    let names = names.map(|name| is_name(name).then(|| name.to_ascii_lowercase()));
    names.collect()
}

fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    name.len() <= MAX_NAME_BYTES && name.split('.').all(is_label)
}

/// The host of a request for another site, if it is one: neither an IP address nor this machine by its own name nor one of
/// `names`. Anybody can have a name of their own lead to this service, and a browser then takes the service for a part of
/// their site. A certificate prevents that, so this is for plain HTTP.
pub(super) fn foreign_host(headers: &HeaderMap, uri: &Uri, names: &[String]) -> Option<String> {
    let authority = uri.authority().cloned().or_else(|| {
        let host = headers.get(HOST)?;
        Authority::try_from(host.as_bytes()).ok()
    });
    // No browser leaves it out.
    let authority = authority?;
    let host = authority.host().to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_ours = bare.parse::<IpAddr>().is_ok()
        || host == "localhost"
        || host.ends_with(".localhost")
        || names.contains(&host);
    (!is_ours).then_some(host)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn names_are_read() {
        let names = host_names("play.example, Games.LAN,x").unwrap();
        assert_eq!(names, ["play.example", "games.lan", "x"]);
        for wrong in ["", "a,,b", "http://a", "a:80", "a..b", "a b", "*"] {
            assert_eq!(host_names(wrong), None, "{wrong}");
        }
        assert_eq!(host_names(&"a".repeat(254)), None);
    }

    #[test]
    fn other_sites_are_told_from_ours() {
        let names = ["play.example".to_owned()];
        for (host, is_foreign) in [
            ("127.0.0.1:4643", false),
            ("[::1]:4643", false),
            ("192.0.2.1", false),
            ("localhost:4643", false),
            ("LocalHost", false),
            ("play.localhost:1", false),
            ("PLAY.example", false),
            ("play.example.", true),
            ("evil.example:4643", true),
            ("127.0.0.1.evil.example", true),
            ("localhost.evil.example", true),
        ] {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            let found = foreign_host(&headers, &Uri::from_static("/"), &names);
            assert_eq!(found.is_some(), is_foreign, "{host}");
            // HTTP/2 has it in the address.
            let uri: Uri = format!("http://{host}/").parse().unwrap();
            let found = foreign_host(&HeaderMap::new(), &uri, &names);
            assert_eq!(found.is_some(), is_foreign, "{host}");
        }
        let none = foreign_host(&HeaderMap::new(), &Uri::from_static("/"), &names);
        assert_eq!(none, None);
    }
}
