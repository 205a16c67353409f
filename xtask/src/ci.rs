//! Every check there is, in order.

pub(crate) mod command;
pub(crate) mod conformance;
mod deny;
pub(crate) mod go;
mod programs;
pub(crate) mod python;
mod run;
mod step;
pub(crate) mod tools;
pub(crate) mod typescript;

pub use run::run;
pub(crate) use run::run_alone;
