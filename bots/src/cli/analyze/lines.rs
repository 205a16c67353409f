use std::io::{self, BufRead, BufReader, Read};

/// Longest line in bytes: a question with 10,000 actions is a tenth of it. The rest of a longer line is
/// skipped.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;

/// Size of a read.
const BUFFER_BYTES: usize = 1 << 16;

/// The lines of a reader, one at a time in the same buffer.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Its bytes, without the line feed.
    Whole(&'a [u8]),
    /// A line longer than [`LINE_BYTES_MAX`].
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        let reader = BufReader::with_capacity(BUFFER_BYTES, reader);
        Self {
            reader,
            line: Vec::new(),
        }
    }

    /// Returns the next line, or `None` at the end. The last line needs no line feed. Calls `pause` before a
    /// read that may block.
    pub(super) fn next(
        &mut self,
        mut pause: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut any, mut too_long) = (false, false);
        loop {
            if self.reader.buffer().is_empty() {
                pause()?;
            }
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                break;
            }
            any = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            too_long |= self.line.len() + part.len() > LINE_BYTES_MAX;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(match (any, too_long) {
            (false, _) => None,
            (true, false) => Some(Line::Whole(&self.line)),
            (true, true) => Some(Line::TooLong),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parts one by one, as a pipe does.
    struct Parts(Vec<Vec<u8>>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let part = self.0.remove(0);
            buffer[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    /// The lines, with a `|` for each wait.
    fn read(parts: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::new(Parts(parts.iter().map(|part| part.to_vec()).collect()));
        let mut told = Vec::new();
        loop {
            let mut pauses = String::new();
            let next = lines.next(|| {
                pauses.push('|');
                Ok(())
            });
            match next.unwrap() {
                None => return told,
                Some(Line::TooLong) => told.push(format!("{pauses}too long")),
                Some(Line::Whole(line)) => {
                    told.push(format!("{pauses}{}", String::from_utf8_lossy(line)));
                }
            }
        }
    }

    #[test]
    fn waits_only_where_nothing_is_left() {
        assert_eq!(
            read(&[b"one\ntwo\nth", b"ree\n", b"four"]),
            ["|one", "two", "|three", "||four"]
        );
        assert_eq!(read(&[b"\n\r\n"]), ["|", "\r"]);
        assert!(read(&[]).is_empty());
    }

    #[test]
    fn skips_what_is_too_long() {
        let long = vec![b'x'; BUFFER_BYTES];
        let mut parts: Vec<&[u8]> = vec![&long; LINE_BYTES_MAX / BUFFER_BYTES];
        parts.push(b"\nshort\n");
        let told = read(&parts);
        assert!(told[0].ends_with('x'));
        parts.insert(0, b"x");
        let told = read(&parts);
        assert!(told[0].ends_with("|too long"), "{}", told[0]);
        assert_eq!(told[1], "short");
    }
}
