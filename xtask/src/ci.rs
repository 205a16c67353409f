//! All checks, in order.

mod advisories;
mod arena_kills;
pub(crate) mod conformance;
mod deny;
mod event_page;
mod foreign;
pub(crate) mod go;
mod protobuf;
pub(crate) mod python;
mod run;
mod step;
mod test_suite;
pub(crate) mod typescript;
pub(crate) mod web;

pub use run::run;
pub(crate) use run::run_alone;
