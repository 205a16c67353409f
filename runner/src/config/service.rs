use dragontooth_service_client::ServerAddress;

use super::field::Field;
use super::section::Section;

/// Where the matches are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceConfig {
    /// On a service of the runner's own, with its data in the folder of the run.
    Embedded,
    /// On a service that somebody runs.
    Remote(ServerAddress),
}

/// Reads `[service]`; without it, the embedded service.
pub(super) fn read(field: Option<&Field<'_>>) -> Option<ServiceConfig> {
    let Some(field) = field else {
        return Some(ServiceConfig::Embedded);
    };
    let section = field.section()?;
    let embedded = section.get("embedded");
    let address = section.get("address");
    section.refuse_others();
    choose(&section, embedded, address)
}

fn choose(
    section: &Section<'_>,
    embedded: Option<Field<'_>>,
    address: Option<Field<'_>>,
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
            address.check(parsed).map(ServiceConfig::Remote)
        }
        (Some(false), None) => {
            section.report("without the embedded service there must be an address");
            None
        }
        (Some(true) | None, None) => Some(ServiceConfig::Embedded),
    }
}
