//! The proxy between the bot under test and the service: it forwards every call, logs the traffic, and
//! injects the faults of a check.
//!
//! Messages are forwarded as bytes, of any call, so that a bot may use all of the API.

mod call;
mod fault_injection;
mod server;
mod tcp_relay;
mod traffic_log;
mod wire;

pub(super) use fault_injection::FaultInjection;
pub(super) use server::Proxy;
pub(super) use traffic_log::Traffic;
