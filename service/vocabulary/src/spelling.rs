use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{
    GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection, skeleton,
};

use crate::{CharacterFault, InvalidText};

/// Checks a text on one line: anything but control characters.
pub(crate) fn one_line(text: &str) -> Result<(), InvalidText> {
    each(text, |_, character| {
        character.is_control().then_some(CharacterFault::Control)
    })
}

/// Checks a text for people: one line without characters that are invisible or change the direction of the text. An
/// emoji may have the variation selector, and joiners between its parts.
pub(crate) fn free_text(text: &str) -> Result<(), InvalidText> {
    let mut before = None;
    let mut after = text.chars().skip(1);
    each(text, |_, character| {
        let previous = before.replace(character);
        let next = after.next();
        let is_part_of_emoji = match character {
            EMOJI_STYLE => previous.is_some_and(is_pictograph),
            JOINER => {
                previous.is_some_and(|previous| is_pictograph(previous) || previous == EMOJI_STYLE)
                    && next.is_some_and(is_pictograph)
            }
            _ => false,
        };
        if is_part_of_emoji {
            None
        } else {
            unseen(character)
        }
    })
}

/// Checks a name: visible ASCII and the characters that Unicode recommends for identifiers, single spaces between
/// them, in the normalization form C, and in one script or a usual combination: the restriction level `Highly
/// Restrictive` of Unicode Technical Standard 39. At most four marks stand on a letter, and none on nothing.
pub(crate) fn name(text: &str) -> Result<(), InvalidText> {
    if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        return Err(InvalidText::Spaces);
    }
    each(text, |_, character| {
        let is_known =
            character == ' ' || character.is_ascii_graphic() || character.identifier_allowed();
        unseen(character).or((!is_known).then_some(CharacterFault::NotForNames))
    })?;
    let composed: Vec<char> = text.nfc().collect();
    each(text, |index, character| {
        (composed.get(index) != Some(&character)).then_some(CharacterFault::NotNfc)
    })?;
    let mut marks = None;
    each(text, |_, character| {
        marks = match (is_combining_mark(character), marks) {
            (false, _) => (character != ' ').then_some(0),
            (true, Some(count)) if count < MARKS_OF_A_LETTER => Some(count + 1),
            (true, Some(_) | None) => return Some(CharacterFault::LooseMark),
        };
        None
    })?;
    let mut seen = String::new();
    each(text, |_, character| {
        // Spaces and punctuation go with every script.
        if character.identifier_allowed() {
            seen.push(character);
        }
        let is_plain = seen.check_restriction_level(RestrictionLevel::HighlyRestrictive);
        (!is_plain).then_some(CharacterFault::MixedScripts)
    })
}

/// Returns the skeleton of Unicode Technical Standard 39: that of another text is the same if the two look alike.
pub(crate) fn skeleton_of(text: &str) -> String {
    skeleton(text).collect()
}

/// The most combining marks in a row: Unicode Technical Standard 39 calls more of them suspicious.
const MARKS_OF_A_LETTER: usize = 4;

/// The selector of an emoji's coloured form, U+FE0F.
const EMOJI_STYLE: char = '\u{fe0f}';

/// The joiner of the parts of an emoji, U+200D.
const JOINER: char = '\u{200d}';

/// Returns true for the symbols that emojis consist of, which all show something.
fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns the reason why nobody can see what a character does.
fn unseen(character: char) -> Option<CharacterFault> {
    match character {
        _ if character.is_control() => Some(CharacterFault::Control),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(CharacterFault::Direction)
        }
        // Line and paragraph separator, blank braille pattern, interlinear annotation, controls of hieroglyphs, the
        // musical null notehead.
        '\u{2028}'
        | '\u{2029}'
        | '\u{2800}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1d159}' => Some(CharacterFault::Invisible),
        // A skeleton leaves out what has the property Default_Ignorable_Code_Point.
        _ if skeleton(character.encode_utf8(&mut [0; 4]))
            .next()
            .is_none() =>
        {
            Some(CharacterFault::Invisible)
        }
        _ => None,
    }
}

/// Returns the first fault of a character, which has this index in the text, in characters.
fn each(
    text: &str,
    mut fault: impl FnMut(usize, char) -> Option<CharacterFault>,
) -> Result<(), InvalidText> {
    for (index, character) in text.chars().enumerate() {
        if let Some(fault) = fault(index, character) {
            return Err(InvalidText::Character {
                character,
                position: index + 1,
                fault,
            });
        }
    }
    Ok(())
}
