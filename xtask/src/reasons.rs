//! Writes the documentation of the reasons of refusals into all its places, from the comments in
//! `proto/dragontooth/v1/error_reason.proto`.

mod copies;
mod reason;
mod repository;

pub use reason::{Reason, read};
pub use repository::{check_repository, write_repository};
