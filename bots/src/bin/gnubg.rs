//! The program `dragontooth-gnubg`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dragontooth_bots::cli::gnubg_main()
}
