//! Formats other than the round robin.

mod gauntlet;
mod knockout;
mod ladder;
mod laws;
pub(crate) mod playing;
mod sprt;
mod swiss;
