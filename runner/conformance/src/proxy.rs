//! What stands between the bot under test and the service: it carries every call as it is, notes what
//! is said, and does to it what a check wants.
//!
//! Messages are carried as bytes, whatever call they belong to, so that a bot may use all of the API.

mod call;
mod door;
mod heard;
mod meddling;
mod raw_codec;
mod server;
mod wire;

pub(super) use heard::Heard;
pub(super) use meddling::Meddling;
pub(super) use server::Proxy;
