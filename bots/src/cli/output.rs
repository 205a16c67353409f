use std::io::{self, ErrorKind, IsTerminal, Write};

use tracing_subscriber::EnvFilter;

use super::Exit;
use super::failure::Failure;

/// Default for `RUST_LOG`.
const DEFAULT_FILTER: &str = "warn";

/// Writes to standard output. A reader that closes the pipe early is not an error.
pub(super) fn write(lines: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Exit, Failure> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    match lines(&mut output).and_then(|()| output.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::system(format!(
            "the output cannot be written: {error}"
        ))),
    }
}

/// Writes a line to standard output at once. A failure is ignored: it must not end a match.
pub(super) fn say(line: &str) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Writes a line to standard error at once. A failure is ignored: the result counts.
pub(super) fn note(line: &str) {
    let mut output = io::stderr().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Writes a warning to standard error at once. A failure is ignored: the result counts.
pub(super) fn warn(message: &str) {
    note(&format!("warning: {message}"));
}

/// Starts logging to standard error, filtered by `RUST_LOG`.
pub(super) fn start_logging() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}
