use std::fmt;

/// The name of a stream: sixteen opaque bytes, the match id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub [u8; 16]);

impl From<[u8; 16]> for StreamId {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// Thirty-two lower-case hexadecimal digits.
impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamId({self})")
    }
}
