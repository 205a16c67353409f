//! The pure core of tournaments from outside.

#![expect(clippy::unwrap_used, reason = "a failure is a failed test")]

mod anchored_fit;
mod arena;
