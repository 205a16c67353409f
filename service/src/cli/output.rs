use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use super::EXIT_STOPPED;

/// Writes `text` on standard output. A closed pipe is not a failure.
pub(super) fn print(text: &str) -> ExitCode {
    let mut output = io::stdout().lock();
    // A reader like `head` has seen enough.
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    ExitCode::from(EXIT_STOPPED)
}

/// Says on standard error, a line for each, all that keeps the program from doing what it was asked.
pub(super) fn fail_by_all<'a, E: Error + 'a>(
    code: u8,
    errors: impl Iterator<Item = &'a E>,
) -> ExitCode {
    for error in errors {
        fail(code, error);
    }
    ExitCode::from(code)
}

/// Says on standard error, in one line, why the program cannot do what it was asked.
pub(super) fn fail(code: u8, error: &dyn Error) -> ExitCode {
    let mut message = format!("dragontooth-service: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some messages have their cause already.
        if !message.contains(&cause_text) {
            message = format!("{message}: {cause_text}");
        }
        source = cause.source();
    }
    // The exit code says it too.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}
