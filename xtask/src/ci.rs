//! All checks, in order, and the programs that they start.

pub(crate) mod command;
pub(crate) mod conformance;
pub(crate) mod context;
mod deny;
mod effort;
pub(crate) mod go;
mod programs;
pub(crate) mod python;
mod run;
mod selection;
mod step;
mod test_suite;
pub(crate) mod tools;
pub(crate) mod typescript;

pub(crate) use context::{Context, Missing};
pub use effort::Effort;
pub(crate) use programs::programs;
pub use run::run;
pub(crate) use run::run_alone;
pub use selection::{BadSelection, Selection, closest};
