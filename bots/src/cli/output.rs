use std::io::{self, ErrorKind, Write};

use super::Exit;
use super::failure::Failure;

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
