//! The event log of matches on PostgreSQL.
//!
//! [`PostgresLog`] passes the tests of every event log. Agreement, durability and replication are the database's.
//! Any number of services use a database together: appends at an expected head keep them apart, and each hears what the
//! others append.

mod address;
mod append;
mod batch;
mod catalogue;
mod condition;
mod error;
mod feed;
mod lease;
mod log;
mod peers;
mod queries;
mod reader;
mod requirements;
mod restore;
mod rows;
mod schema;
mod session;
mod sessions;
mod writer;
mod writer_session;

pub use address::{AddressError, PostgresAddress, PostgresOptions, WayError};
pub use error::PostgresError;
pub use log::{PostgresLog, migrate_postgres};
pub use restore::{PostgresRestoreError, restore_to_postgres};
pub use schema::SCHEMA_FORMAT;
