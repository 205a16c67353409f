use dragontooth_service::Durability;
use dragontooth_service_client::{ServerAddress, TlsFiles};

use super::field::Field;
use super::section::Section;
use super::token::{self, TokenSource};

/// The place of the matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceConfig {
    /// On none: in the runner's own process, by the same rules and clocks. All bots are built-in.
    Direct,
    /// On a service of the runner's own, with its data in the folder of the run.
    Embedded(Durability),
    /// On a service that somebody runs.
    Remote(Box<Remote>),
}

/// A service that somebody runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The address.
    pub address: ServerAddress,
    /// The TLS settings.
    pub tls: TlsFiles,
    /// The issued token with which the runner creates and follows the matches; none for one that
    /// it makes up.
    pub token: Option<TokenSource>,
}

/// Reads `[service]`; without it, the embedded service.
pub(super) fn read(field: Option<&Field<'_>>) -> Option<ServiceConfig> {
    let Some(field) = field else {
        return Some(ServiceConfig::Embedded(Durability::Match));
    };
    let section = Section::of(field)?;
    let embedded = section.get("embedded");
    let durability = section.get("durability");
    let direct = section.get("direct");
    let address = section.get("address");
    let tls = ["tls_ca", "tls_cert", "tls_key"].map(|key| section.get(key));
    let insecure = section.get("insecure_no_tls");
    let token = token::fields(&section);
    section.refuse_others();
    if address.is_none() {
        for field in tls.iter().chain(&token).chain([&insecure]).flatten() {
            field.report("is for a service elsewhere, with an address");
        }
    }
    let is_insecure = insecure.as_ref().map_or(Some(false), Field::boolean)?;
    let server = address
        .as_ref()
        .map(|field| read_address(field, is_insecure));
    let tls = read_tls(&tls, server.as_ref().and_then(Option::as_ref));
    let token = token::source(&token);
    let is_direct = direct.as_ref().map_or(Some(false), Field::boolean);
    let is_embedded = embedded.as_ref().map(Field::boolean);
    if is_direct? {
        for field in embedded.iter().chain(&durability).chain(&address) {
            field.report("is for matches on a service: leave it out or set direct = false");
        }
        return Some(ServiceConfig::Direct);
    }
    if let (Some(field), Some(_)) = (&durability, &address) {
        field.report("is for the embedded service: leave it out");
    }
    let durability = durability
        .as_ref()
        .map_or(Some(Durability::Match), read_durability);
    match (is_embedded, &address, server) {
        (Some(None), _, _) | (_, _, Some(None)) => None,
        (Some(Some(true)), Some(address), _) => {
            address.report("is for a service elsewhere: leave it out or set embedded = false");
            None
        }
        (_, _, Some(Some(address))) => Some(ServiceConfig::Remote(Box::new(Remote {
            address,
            tls,
            token,
        }))),
        (Some(Some(false)), _, None) => {
            section.report("without the embedded service there must be an address");
            None
        }
        (Some(Some(true)) | None, _, None) => durability.map(ServiceConfig::Embedded),
    }
}

fn read_durability(field: &Field<'_>) -> Option<Durability> {
    match field.text()? {
        "match" => Some(Durability::Match),
        "action" => Some(Durability::Action),
        other => {
            field.report(format!("must be \"match\" or \"action\", not {other:?}"));
            None
        }
    }
}

fn read_address(field: &Field<'_>, is_insecure: bool) -> Option<ServerAddress> {
    let address: ServerAddress = field.check(field.text()?.parse())?;
    let address = address.insecure(is_insecure);
    if !address.may_have_token() {
        field.report(
            "tokens would cross the network in the clear: use https:// or set insecure_no_tls = true",
        );
        return None;
    }
    Some(address)
}

/// The files of TLS: those of the authorities, of the certificate and of its key.
fn read_tls(fields: &[Option<Field<'_>>; 3], address: Option<&ServerAddress>) -> TlsFiles {
    if address.is_some_and(|address| !address.is_tls()) {
        for field in fields.iter().flatten() {
            field.report("is for an address that begins with https://");
        }
    }
    match fields {
        [_, Some(cert), None] => cert.report("a certificate needs its key, tls_key"),
        [_, None, Some(key)] => key.report("a key needs its certificate, tls_cert"),
        [_, Some(_), Some(_)] | [_, None, None] => {}
    }
    let file = |field: &Field<'_>| field.text().map(Into::into);
    let [ca, cert, key] = fields.each_ref().map(|field| field.as_ref().and_then(file));
    TlsFiles { ca, cert, key }
}
