//! What stands between the bot under test and the service: it carries every call as it is, notes what
//! is said, and does to it what a check wants.
//!
//! Messages are carried as bytes, whatever call they belong to, so that a bot may use all of the API.

mod call;
mod fault_injection;
mod raw_codec;
mod server;
mod tcp_relay;
mod traffic_log;
mod wire;

pub(super) use fault_injection::FaultInjection;
pub(super) use server::Proxy;
pub(super) use traffic_log::Traffic;
