//! The command line of `dragontooth-bot`.

mod analyze;
mod arguments;
mod bots;
mod exit;
mod explain;
mod export_all;
mod failure;
mod gnubg;
mod new_match;
mod openings;
mod output;
mod perft;
mod play;
mod playing;
mod program;
mod record;
mod report;
mod service;
mod stdio;
mod time_control;
mod whoami;

pub use exit::Exit;
pub use gnubg::main as gnubg_main;
pub use program::main;
