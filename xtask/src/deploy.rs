//! What is in `deploy/`, against the programs that it is for.

mod check;
mod versions;

pub(crate) use check::check;
pub use versions::check_versions;
