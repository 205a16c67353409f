//! Shared by the programs' command lines: shell completions and man pages, which are generated, and negative numbers as
//! values.
//!
//! ```
//! use clap::{CommandFactory, Parser, Subcommand};
//! use dragontooth_cli::{Completions, Man};
//!
//! #[derive(Parser)]
//! #[command(name = "program")]
//! struct Arguments {
//!     #[command(subcommand)]
//!     command: Command,
//! }
//!
//! #[derive(Subcommand)]
//! enum Command {
//!     /// Print a script that completes commands in a shell.
//!     Completions(Completions),
//!     /// Print the man page, or write one for each command.
//!     Man(Man),
//! }
//!
//! let arguments = Arguments::parse_from(["program", "completions", "bash"]);
//! let mut script = Vec::new();
//! if let Command::Completions(completions) = arguments.command {
//!     completions.write(Arguments::command(), &mut script)?;
//! }
//! assert!(String::from_utf8_lossy(&script).contains("complete -F _program"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod completions;
mod man;
mod parse;

pub use completions::Completions;
pub use man::Man;
pub use parse::{parse, with_negative_numbers};
