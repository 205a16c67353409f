//! The program `dragontooth-runner`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dragontooth_runner::cli::main().into()
}
