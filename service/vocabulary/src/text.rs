use std::fmt;
use std::str::FromStr;

use crate::InvalidText;
use crate::spelling::{free_text, name, one_line, skeleton_of};

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
                Self::checked(text, $check)
            }

            fn checked(
                text: &str,
                check: fn(&str) -> Result<(), InvalidText>,
            ) -> Result<Self, InvalidText> {
                if text.len() > Self::MAX_BYTES {
                    return Err(InvalidText::TooLong { actual: text.len(), max: Self::MAX_BYTES });
                }
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
    /// The title of a match: for people and lists; may be empty, as it is by default. Free text on one line,
    /// without characters that are invisible or change the direction of the text.
    #[derive(Default)]
    Title, 200, free_text
}
text! {
    /// The build of a player's program, such as `v12` or a commit; may be empty, as it is by default. Free text on
    /// one line, like a [`Title`].
    #[derive(Default)]
    BuildText, 64, free_text
}
text! {
    /// The name that a player gives itself in a match: empty, or written like an [`IdentityName`].
    PlayerName, 64, name
}
text! {
    /// The name of an identity, unique among them.
    ///
    /// Not empty, without spaces around it or two in a row. Its characters are visible ASCII or recommended by
    /// Unicode for identifiers, in the normalization form C, and of scripts that go together (Unicode Technical
    /// Standard 39, restriction level `Highly Restrictive`). It is taken as it is or refused, never changed.
    IdentityName, 64, identity
}
text! {
    /// The seed of random choices, from the creator of a match or from a player.
    SeedText, 64, one_line
}
text! {
    /// The failure that makes the program of a player resign: one line for people, not empty.
    FailureText, 1024, filled
}
text! {
    /// The reason for which an operator aborts a match, or a player declines it: free text on one line, like a
    /// [`Title`], not empty.
    EndReason, 1024, reason
}
text! {
    /// A client's name for a request, preferably a UUID: visible ASCII, not empty. A repeated request
    /// with the same id gets the first answer again.
    RequestId, 64, visible
}

impl Title {
    /// Checks the title of a match that is recorded, perhaps by a version that allowed more.
    ///
    /// # Errors
    ///
    /// The text is too long or has a control character.
    pub fn recorded(text: &str) -> Result<Self, InvalidText> {
        Self::checked(text, one_line)
    }
}

impl PlayerName {
    /// Checks a name that is recorded, perhaps by a version that allowed more.
    ///
    /// # Errors
    ///
    /// The text is too long or has a control character.
    pub fn recorded(text: &str) -> Result<Self, InvalidText> {
        Self::checked(text, one_line)
    }
}

impl EndReason {
    /// Checks a reason that is recorded, perhaps by a version that allowed more.
    ///
    /// # Errors
    ///
    /// The text is empty, too long or has a control character.
    pub fn recorded(text: &str) -> Result<Self, InvalidText> {
        Self::checked(text, filled)
    }
}

impl IdentityName {
    /// Checks a name that is recorded, perhaps by a version that allowed more.
    ///
    /// # Errors
    ///
    /// The text is empty, too long or has a control character.
    pub fn recorded(text: &str) -> Result<Self, InvalidText> {
        Self::checked(text, filled)
    }

    /// Returns the skeleton of Unicode Technical Standard 39: two names that look alike have the same.
    #[must_use]
    pub fn skeleton(&self) -> String {
        skeleton_of(&self.0)
    }
}

fn filled(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    one_line(text)
}

fn reason(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    free_text(text)
}

fn identity(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        return Err(InvalidText::Empty);
    }
    name(text)
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
