//! The event log of matches on PostgreSQL.
//!
//! [`PostgresLog`] passes the tests of every event log. Agreement, durability and replication are the database's.
//! One service uses a database at a time: it holds a lock there.

mod address;
mod append;
mod batch;
mod error;
mod lease;
mod log;
mod reader;
mod requirements;
mod restore;
mod schema;
mod session;
mod writer;

pub use address::{AddressError, PostgresAddress, PostgresOptions, WayError};
pub use error::PostgresError;
pub use log::PostgresLog;
pub use restore::{PostgresRestoreError, restore_to_postgres};
pub use schema::SCHEMA_FORMAT;
