use std::fmt;
use std::str::FromStr;

/// The error for a text that breaks the rules of its field.
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
    ($(#[$attribute:meta])* $name:ident, $max:literal, $check:expr) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// The greatest length in bytes.
            pub const MAX_BYTES: usize = $max;

            /// Checks a text.
            ///
            /// # Errors
            ///
            /// The text is too long or breaks another rule of its field.
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

            /// The text itself, without a copy.
            #[must_use]
            pub fn into_string(self) -> String {
                self.0.into()
            }
        }

        impl FromStr for $name {
            type Err = InvalidText;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
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
    /// The title of a match: for people and lists; may be empty, as it is by default.
    #[derive(Default)]
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
    /// The seed of random choices, from the creator of a match or from a player.
    SeedText, 64, printable
}
text! {
    /// The failure that makes the program of a player resign: one line for people, not empty.
    FailureText, 1024, filled
}
text! {
    /// The reason for which an operator aborts a match, or a player declines it: one line for people, not empty.
    EndReason, 1024, filled
}
text! {
    /// A client's name for a request, preferably a UUID: visible ASCII, not empty. A repeated request
    /// with the same id gets the first answer again.
    RequestId, 64, visible
}

fn printable(text: &str) -> Result<(), InvalidText> {
    if text.chars().any(char::is_control) {
        return Err(InvalidText::ControlCharacter);
    }
    Ok(())
}

fn filled(text: &str) -> Result<(), InvalidText> {
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
