//! The program `dragontooth-service`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dragontooth_service::cli::main()
}
