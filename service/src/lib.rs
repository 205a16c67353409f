//! The gRPC match service: an async shell around the pure core.
//!
//! [`Service::start`] opens the event log, takes up the matches that are not over, and serves
//! `dragontooth.v1` until it is told to stop. The rules are in `dragontooth-games`, what a command
//! leads to in `dragontooth-service-domain`; here are only the tasks that hold matches and the edge
//! that speaks protobuf.

mod access;
mod config;
mod connections;
mod grpc;
mod limits;
mod matches;
mod metrics;
mod offline;
mod server;
mod settings;
mod side;
mod stop_signals;
mod tls;
mod wall_clock;

pub mod cli;

#[doc(hidden)]
pub use grpc::fuzzing;

pub use config::{AuthMode, Config, Limits, Storage, TlsFiles, Unsafe};
pub use offline::{OfflineError, OfflineTokens};
pub use server::{Service, StartError};
pub use stop_signals::StopSignals;
pub use tls::TlsError;
