//! `cargo xtask`: runs the project's checks.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    xtask::command_line::run(&arguments)
}
