//! Records of matches: fetched, changed into other formats, and checked.

mod convert;
mod export;
mod file;
mod run;
mod verify;

pub(super) use run::run;
