//! Starts the programs of bots, each under a supervisor, with their output in a log.
//!
//! The runner and the conformance kit both start programs, so this crate is below them.

mod bot_program;
mod command;
mod isolation;
mod program_error;
mod program_log;
mod supervised;

pub use bot_program::BotProgram;
pub use command::{ProgramCommand, Protocol};
pub use isolation::Isolation;
pub use program_error::ProgramError;
pub use program_log::{MAX_LOG_BYTES, ProgramLog};
pub use supervised::{GRACE, Supervised, supervisor};
