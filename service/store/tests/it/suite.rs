//! The suite that every log passes.

mod append;
mod catalogue;
mod close;
mod given;
mod model;
mod read;
mod together;

pub(crate) use append::*;
pub(crate) use catalogue::*;
pub(crate) use close::*;
pub(crate) use model::*;
pub(crate) use read::*;
pub(crate) use together::*;
