//! The settings of the service: one table, read from flags, variables and a file.
//!
//! A new setting is a field of [`Config`](crate::Config) with its default and a line of
//! [`SETTINGS`]: flag, variable, key of the file, help, `config print`, `config example` and the
//! test of the table in docs/operations.md follow from it.

mod address;
#[cfg(test)]
mod chart;
mod error;
mod example;
mod file;
mod flags;
mod kind;
mod misspelt;
mod origin;
mod print;
#[cfg(test)]
mod reference;
mod resolve;
mod setting;
mod table;
mod values;

pub(crate) use address::socket_address;
pub(crate) use error::Mistakes;
pub(crate) use example::example;
pub(crate) use flags::Flags;
pub(crate) use print::print;
pub(crate) use resolve::{misspelt_variables, resolve};
pub(crate) use values::{LogFilter, LogFormat, Values};
