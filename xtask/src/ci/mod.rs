//! Every check there is, in order.

pub(crate) mod command;
mod deny;
mod run;
mod step;
pub(crate) mod tools;

pub use run::run;
