//! The program `dragontooth-bot`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dragontooth_bots::cli::main()
}
