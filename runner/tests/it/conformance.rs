//! The conformance kit.

mod bots;
mod command_line;
mod documented;
mod scripted;
mod situations;
