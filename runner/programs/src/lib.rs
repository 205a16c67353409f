//! Starts the programs of bots, each under a supervisor of its own, with what they write in a log.

mod bot_program;
mod command;
mod log_file;
mod program_error;
mod supervised;

pub use bot_program::BotProgram;
pub use command::{ProgramCommand, Protocol};
pub use log_file::{MAX_LOG_BYTES, log_of, pipe_to};
pub use program_error::ProgramError;
pub use supervised::{GRACE, Supervised, supervisor};
