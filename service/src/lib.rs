//! The gRPC match service: an async shell around the pure core.
//!
//! [`Service::start`] opens the event log, resumes the matches that are not over, and serves
//! `dragontooth.v1` until it is stopped. The rules are in `dragontooth-games`, the decisions on commands
//! in `dragontooth-service-domain`; this crate has the tasks that hold matches and the edge that speaks
//! protobuf.

mod access;
mod config;
mod connections;
mod grpc;
mod limits;
mod log_time;
mod matches;
mod metrics;
mod offline;
mod priority;
mod random_bytes;
mod server;
mod settings;
mod side;
mod stop_signals;
mod tls;
mod wall_clock;
mod web;

pub mod cli;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use grpc::fuzzing;

pub use access::own_player;
pub use config::{AuthMode, Config, Limits, ServerTlsFiles, Storage, UnsafeConfig};
pub use dragontooth_service_store::Durability;
pub use offline::{OfflineError, OfflineTokens};
pub use server::{InProcess, Service, StartError};
pub use stop_signals::StopSignals;
pub use wall_clock::WallClock;
