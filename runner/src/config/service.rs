use dragontooth_service_client::{ServerAddress, TlsFiles};

use super::field::Field;
use super::section::Section;
use super::token::{self, TokenSource};

/// Where the matches are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceConfig {
    /// On none: in the runner's own process, by the same rules and clocks. All bots are built-in.
    Direct,
    /// On a service of the runner's own, with its data in the folder of the run.
    Embedded,
    /// On a service that somebody runs.
    Remote(Box<Remote>),
}

/// A service that somebody runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Where it is.
    pub address: ServerAddress,
    /// What it has to prove, and what is proved to it.
    pub tls: TlsFiles,
    /// The issued token with which the runner creates and follows the matches; none for one that
    /// it makes up.
    pub token: Option<TokenSource>,
}

/// Reads `[service]`; without it, the embedded service.
pub(super) fn read(field: Option<&Field<'_>>) -> Option<ServiceConfig> {
    let Some(field) = field else {
        return Some(ServiceConfig::Embedded);
    };
    let section = field.section()?;
    let embedded = section.get("embedded");
    let direct = section.get("direct");
    let address = section.get("address");
    let tls = ["tls_ca", "tls_cert", "tls_key"].map(|key| section.get(key));
    let token = token::fields(&section);
    section.refuse_others();
    if address.is_none() {
        for field in tls.iter().chain(&token).flatten() {
            field.report("is for a service elsewhere, with an address");
        }
    }
    let [ca, cert, key] = tls.map(|field| field.and_then(|field| field.text().map(Into::into)));
    let tls = TlsFiles { ca, cert, key };
    let remote = |address| Remote {
        address,
        tls,
        token: token::source(&token),
    };
    match direct {
        Some(direct) if direct.boolean()? => {
            for field in embedded.iter().chain(&address) {
                field.report("is for matches on a service: leave it out or set direct = false");
            }
            Some(ServiceConfig::Direct)
        }
        Some(_) | None => choose(&section, embedded, address, remote),
    }
}

fn choose(
    section: &Section<'_>,
    embedded: Option<Field<'_>>,
    address: Option<Field<'_>>,
    remote: impl FnOnce(ServerAddress) -> Remote,
) -> Option<ServiceConfig> {
    let embedded = match embedded {
        Some(field) => Some(field.boolean()?),
        None => None,
    };
    match (embedded, address) {
        (Some(true), Some(address)) => {
            address.report("is for a service elsewhere: leave it out or set embedded = false");
            None
        }
        (_, Some(address)) => {
            let parsed = address.text()?.parse();
            let address = address.check(parsed)?;
            Some(ServiceConfig::Remote(Box::new(remote(address))))
        }
        (Some(false), None) => {
            section.report("without the embedded service there must be an address");
            None
        }
        (Some(true) | None, None) => Some(ServiceConfig::Embedded),
    }
}
