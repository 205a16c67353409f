use std::fmt;

/// A text that may not stand where it was to stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// It has too many bytes.
    #[error("{actual} bytes are too many: at most {max} are allowed")]
    TooLong {
        /// Its length.
        actual: usize,
        /// The greatest length.
        max: usize,
    },
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It begins or ends with a space.
    #[error("spaces before and after it are not allowed")]
    SpacesAround,
    /// It has a control character.
    #[error("control characters are not allowed")]
    ControlCharacter,
    /// It has a character that is not visible ASCII.
    #[error("only visible ASCII characters are allowed")]
    NotVisibleAscii,
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $max:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// The greatest length in bytes.
            pub const MAX_BYTES: usize = $max;

            /// Takes a text.
            ///
            /// # Errors
            ///
            /// It is too long or has characters that are not allowed.
            pub fn new(text: &str) -> Result<Self, InvalidText> {
                if text.len() > Self::MAX_BYTES {
                    return Err(InvalidText::TooLong { actual: text.len(), max: Self::MAX_BYTES });
                }
                let check: fn(&str) -> Result<(), InvalidText> = $check;
                check(text)?;
                Ok(Self(text.into()))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

text! {
    /// The title of a match: for people and lists; may be empty.
    Title, 200, printable
}
text! {
    /// The name of a player in a match; may be empty.
    PlayerName, 64, printable
}
text! {
    /// The name of an identity, unique among them: not empty, without spaces around it.
    IdentityName, 64, bare
}
text! {
    /// What the random choices of a match follow from.
    SeedText, 64, printable
}
text! {
    /// Why the program of a player cannot go on: one line for people, not empty.
    FailureText, 1024, told
}
text! {
    /// The id by which a repeated request is recognised: visible ASCII, a UUID for choice.
    RequestId, 64, visible
}

fn printable(text: &str) -> Result<(), InvalidText> {
    if text.chars().any(char::is_control) {
        return Err(InvalidText::ControlCharacter);
    }
    Ok(())
}

fn told(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    printable(text)
}

fn bare(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    if text.trim() != text {
        return Err(InvalidText::SpacesAround);
    }
    printable(text)
}

fn visible(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(InvalidText::NotVisibleAscii);
    }
    Ok(())
}
