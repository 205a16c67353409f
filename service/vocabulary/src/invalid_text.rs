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
    /// It begins or ends with a space, or has two in a row.
    #[error("spaces before and after it, and two in a row, are not allowed")]
    Spaces,
    /// It has a character that the field does not allow.
    #[error("character {position}, U+{code:04X}, {fault}", code = u32::from(*.character))]
    Character {
        /// The character: the first that is not allowed.
        character: char,
        /// Its place in the text, in characters from 1.
        position: usize,
        /// The reason.
        fault: CharacterFault,
    },
    /// It has a character that is not visible ASCII.
    #[error("only visible ASCII characters are allowed")]
    NotVisibleAscii,
}

/// The reason why a field does not allow a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CharacterFault {
    /// It is a control character.
    #[error("is a control character")]
    Control,
    /// It changes the direction of the text after it.
    #[error("changes the direction of the text")]
    Direction,
    /// It shows nothing.
    #[error("is invisible")]
    Invisible,
    /// It does not have the identifier status `Allowed` of Unicode Technical Standard 39.
    #[error("is not one that Unicode recommends for names (UTS 39)")]
    NotForNames,
    /// It is a combining mark without a letter before it, or the fifth on one.
    #[error("is a mark without a letter, or one too many")]
    LooseMark,
    /// It begins a sequence that is not in Unicode's normalization form C.
    #[error("begins what is not in the normalization form NFC")]
    NotNfc,
    /// Its script does not go with those of the characters before it.
    #[error("is of another script than those before it (UTS 39)")]
    MixedScripts,
}
