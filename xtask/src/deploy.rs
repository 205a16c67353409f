//! Checks the files in `deploy/` with the programs that they are for.

mod build_context;
mod check;
mod pins;
mod replicas;
mod versions;

pub use build_context::check_build_context;
pub(crate) use check::check;
pub use pins::check_pins;
pub(crate) use replicas::check_replicas;
pub use versions::check_versions;
