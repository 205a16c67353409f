//! The conformance kit.

mod bots;
mod documented;
mod scripted;
mod situations;
