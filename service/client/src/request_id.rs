use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// What makes a retry safe: the same id with the same request gets the first answer again.
///
/// It is 1 to 64 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(String);

/// A text that is no request id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a request id is 1 to 64 visible ascii characters without spaces")]
pub struct InvalidRequestId;

impl RequestId {
    /// The most characters of a request id.
    pub const MAX_LENGTH: usize = 64;

    /// An id that nobody else uses.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().hyphenated().to_string())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl FromStr for RequestId {
    type Err = InvalidRequestId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=Self::MAX_LENGTH).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidRequestId)
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_limits() {
        assert!("x".repeat(64).parse::<RequestId>().is_ok());
        for text in ["", "a b", "é", &"x".repeat(65)] {
            assert_eq!(text.parse::<RequestId>(), Err(InvalidRequestId));
        }
        let random = RequestId::random();
        assert_eq!(random.as_str().parse(), Ok(random));
    }
}
