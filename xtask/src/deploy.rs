//! Checks the files in `deploy/` with the programs that they are for.

mod check;
mod versions;

pub(crate) use check::check;
pub use versions::check_versions;
