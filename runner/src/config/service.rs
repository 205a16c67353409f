use dragontooth_service_client::{ServerAddress, TlsFiles};

use super::field::Field;
use super::section::Section;

/// Where the matches are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceConfig {
    /// On a service of the runner's own, with its data in the folder of the run.
    Embedded,
    /// On a service that somebody runs.
    Remote(Remote),
}

/// A service that somebody runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Where it is.
    pub address: ServerAddress,
    /// What it has to prove, and what is proved to it.
    pub tls: TlsFiles,
}

/// Reads `[service]`; without it, the embedded service.
pub(super) fn read(field: Option<&Field<'_>>) -> Option<ServiceConfig> {
    let Some(field) = field else {
        return Some(ServiceConfig::Embedded);
    };
    let section = field.section()?;
    let embedded = section.get("embedded");
    let address = section.get("address");
    let tls = ["tls_ca", "tls_cert", "tls_key"].map(|key| section.get(key));
    section.refuse_others();
    if address.is_none() {
        for field in tls.iter().flatten() {
            field.report("is for a service elsewhere, with an address");
        }
    }
    let [ca, cert, key] = tls.map(|field| field.and_then(|field| field.text().map(Into::into)));
    choose(&section, embedded, address, TlsFiles { ca, cert, key })
}

fn choose(
    section: &Section<'_>,
    embedded: Option<Field<'_>>,
    address: Option<Field<'_>>,
    tls: TlsFiles,
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
            Some(ServiceConfig::Remote(Remote { address, tls }))
        }
        (Some(false), None) => {
            section.report("without the embedded service there must be an address");
            None
        }
        (Some(true) | None, None) => Some(ServiceConfig::Embedded),
    }
}
