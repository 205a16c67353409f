use super::{LINE_BYTES_MAX, shortened};

/// Bytes read from an engine, split into lines.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    /// Start of the next line.
    start: usize,
    /// End of the part that was searched for a line feed.
    seen: usize,
}

/// A line longer than [`LINE_BYTES_MAX`].
#[derive(Debug)]
pub(super) struct LongLine {
    /// Its beginning.
    pub(super) begin: String,
}

impl Inbox {
    /// Appends bytes that were read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete line, without its line feed.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, LongLine> {
        let rest = &self.bytes[self.seen..];
        let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
            self.seen = self.bytes.len();
            return match self.seen - self.start {
                0..=LINE_BYTES_MAX => Ok(None),
                _ => Err(self.too_long()),
            };
        };
        let (start, end) = (self.start, self.seen + at);
        if end - start > LINE_BYTES_MAX {
            return Err(self.too_long());
        }
        (self.start, self.seen) = (end + 1, end + 1);
        Ok(Some(&self.bytes[start..end]))
    }

    /// The bytes after the last line feed.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    fn too_long(&self) -> LongLine {
        LongLine {
            begin: shortened(&self.bytes[self.start..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = b"one\n\ntwo words\nthree";
        for size in 1..text.len() {
            let mut inbox = Inbox::default();
            let mut lines = Vec::new();
            for part in text.chunks(size) {
                inbox.push(part);
                while let Some(line) = inbox.next_line().unwrap() {
                    lines.push(String::from_utf8(line.to_vec()).unwrap());
                }
            }
            assert_eq!(lines, ["one", "", "two words"], "{size}");
            assert_eq!(inbox.unfinished(), b"three", "{size}");
        }
    }

    #[test]
    fn a_line_has_an_end_before_long() {
        let mut inbox = Inbox::default();
        inbox.push(&vec![b'x'; LINE_BYTES_MAX]);
        assert!(inbox.next_line().unwrap().is_none());
        inbox.push(b"\n");
        assert_eq!(inbox.next_line().unwrap().unwrap().len(), LINE_BYTES_MAX);
        inbox.push(&vec![b'x'; LINE_BYTES_MAX + 1]);
        assert!(inbox.next_line().is_err());
        let mut inbox = Inbox::default();
        let mut long = vec![b'x'; LINE_BYTES_MAX + 1];
        long.push(b'\n');
        inbox.push(&long);
        assert!(inbox.next_line().is_err());
    }
}
