//! Every check there is, in order.

pub(crate) mod command;
mod deny;
mod programs;
pub(crate) mod python;
mod run;
mod step;
pub(crate) mod tools;

pub use run::run;
pub(crate) use run::run_alone;
