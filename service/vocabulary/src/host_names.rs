use core::net::IpAddr;
use std::fmt;
use std::str::FromStr;

/// The longest name of the domain name system, in bytes.
const MAX_NAME_BYTES: usize = 253;

/// The names by which browsers may reach a page without TLS, besides IP addresses and `localhost`.
///
/// Anyone can let a name of their own lead to the page, and a browser then takes the page for a part of their site. With
/// TLS the certificate prevents that.
///
/// ```
/// use dragontooth_service_vocabulary::HostNames;
///
/// let names: HostNames = "play.example,games.lan".parse()?;
/// assert_eq!(names.check("play.example:4643"), Ok(()));
/// assert!(names.check("evil.example").is_err());
/// # Ok::<(), dragontooth_service_vocabulary::InvalidHostName>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames(Vec<String>);

/// The error for a text that is not a list of host names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a host name: a name has letters, digits and hyphens between dots, and no port; a comma separates names"
)]
pub struct InvalidHostName(String);

/// The error for a request that a browser sends to another site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this page is not {0}: open it by an IP address or as localhost, or have its operator add that name to --web-hosts"
)]
pub struct ForeignHost(String);

impl HostNames {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks the host of a request, with or without a port, as HTTP/1 has it in `Host` and HTTP/2 in `:authority`.
    ///
    /// # Errors
    ///
    /// It is neither an IP address nor `localhost` nor one of these names.
    pub fn check(&self, authority: &str) -> Result<(), ForeignHost> {
        let host = without_port(authority).to_ascii_lowercase();
        let bare = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let is_ours = bare.unwrap_or(&host).parse::<IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.0.contains(&host);
        if is_ours {
            Ok(())
        } else {
            Err(ForeignHost(host))
        }
    }
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Parses names separated by commas, in any case.
impl FromStr for HostNames {
    type Err = InvalidHostName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = text.split(',').map(str::trim);
        let names = names.map(|name| {
            let invalid = || InvalidHostName(name.chars().take(64).collect());
            is_name(name)
                .then(|| name.to_ascii_lowercase())
                .ok_or_else(invalid)
        });
        names.collect::<Result<_, _>>().map(Self)
    }
}

/// The names with commas between them.
impl fmt::Display for HostNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.join(","))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let names: HostNames = "play.example, Games.LAN,x".parse().unwrap();
        assert_eq!(names.to_string(), "play.example,games.lan,x");
        for wrong in ["", "http://a", "a:80", "a..b", "a b", "*"] {
            let refused = wrong.parse::<HostNames>();
            assert_eq!(refused, Err(InvalidHostName(wrong.to_owned())));
        }
        assert!("a,,b".parse::<HostNames>().is_err());
        assert!("a".repeat(254).parse::<HostNames>().is_err());
    }

    #[test]
    fn other_sites_are_told_from_ours() {
        let names: HostNames = "play.example".parse().unwrap();
        for (authority, is_ours) in [
            ("127.0.0.1:4643", true),
            ("[::1]:4643", true),
            ("[::1]", true),
            ("192.0.2.1", true),
            ("localhost:4643", true),
            ("LocalHost", true),
            ("play.localhost:1", true),
            ("PLAY.example", true),
            ("play.example:", true),
            ("play.example.", false),
            ("evil.example:4643", false),
            ("evil_.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("localhost@evil.example", false),
            ("evil.example:80:localhost", false),
            ("[::1", false),
            ("", false),
        ] {
            assert_eq!(names.check(authority).is_ok(), is_ours, "{authority}");
        }
    }
}
