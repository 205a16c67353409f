//! Every check there is, in order.

mod command;
mod deny;
mod run;
mod step;
mod tools;

pub use run::run;
