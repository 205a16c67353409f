use std::fmt::{Debug, Display};

use dragontooth_service_vocabulary::{
    CharacterFault, FailureText, IdentityName, InvalidText, PlayerName, RequestId, SeedText, Title,
};
use proptest::prelude::*;

/// What every kind of text does with texts of up to its greatest length.
fn check_length<T: Debug + Display>(
    new: fn(&str) -> Result<T, InvalidText>,
    text_of: fn(&T) -> &str,
    max: usize,
) {
    let longest = "x".repeat(max);
    let taken = new(&longest).unwrap();
    assert_eq!(text_of(&taken), longest);
    assert_eq!(taken.to_string(), longest);
    let too_long = |actual| InvalidText::TooLong { actual, max };
    assert_eq!(new(&"x".repeat(max + 1)).unwrap_err(), too_long(max + 1));
    assert_eq!(new(&"x".repeat(1 << 20)).unwrap_err(), too_long(1 << 20));
    // Two bytes a character.
    assert_eq!(new(&"é".repeat(max)).unwrap_err(), too_long(2 * max));
    assert_eq!(
        too_long(max + 1).to_string(),
        format!("{} bytes are too many: at most {max} are allowed", max + 1)
    );
}

#[test]
fn no_text_is_longer_than_its_limit() {
    check_length(Title::new, Title::as_str, 200);
    check_length(PlayerName::new, PlayerName::as_str, 64);
    check_length(IdentityName::new, IdentityName::as_str, 64);
    check_length(SeedText::new, SeedText::as_str, 64);
    check_length(RequestId::new, RequestId::as_str, 64);
    check_length(FailureText::new, FailureText::as_str, 1_024);
    assert_eq!(Title::MAX_BYTES, 200);
}

#[test]
fn texts_for_people_have_no_control_characters() {
    for (text, character, position) in [
        ("a\nb", '\n', 2),
        ("\t", '\t', 1),
        ("\0", '\0', 1),
        ("é\u{7f}", '\u{7f}', 2),
        ("a\u{85}", '\u{85}', 2),
        ("\u{1b}[2J", '\u{1b}', 1),
        ("a b\r", '\r', 4),
    ] {
        let refusal = Err(InvalidText::Character {
            character,
            position,
            fault: CharacterFault::Control,
        });
        assert_eq!(Title::new(text).map(drop), refusal, "{text:?}");
        assert_eq!(Title::recorded(text).map(drop), refusal, "{text:?}");
        assert_eq!(PlayerName::new(text).map(drop), refusal, "{text:?}");
        assert_eq!(PlayerName::recorded(text).map(drop), refusal, "{text:?}");
        assert_eq!(IdentityName::new(text).map(drop), refusal, "{text:?}");
        assert_eq!(IdentityName::recorded(text).map(drop), refusal, "{text:?}");
        assert_eq!(SeedText::new(text).map(drop), refusal, "{text:?}");
        assert_eq!(FailureText::new(text).map(drop), refusal, "{text:?}");
    }
    for text in ["", " ", "Ann & Bob: \"3 points\"", "Ѳ 龙牙 🐉"] {
        assert_eq!(Title::new(text).unwrap().as_str(), text);
        assert_eq!(SeedText::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn the_text_of_a_failure_is_not_empty() {
    assert_eq!(FailureText::new(""), Err(InvalidText::Empty));
}

#[test]
fn a_request_id_is_visible_ascii() {
    assert_eq!(RequestId::new(""), Err(InvalidText::Empty));
    for text in [" ", "a b", "é", "a\n", "\u{7f}", "a\0"] {
        let refusal = Err(InvalidText::NotVisibleAscii);
        assert_eq!(RequestId::new(text), refusal, "{text:?}");
    }
    for text in ["1", "!~", "0195f3b0-0000-7000-8000-000000000000"] {
        assert_eq!(RequestId::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_text_is_padded_like_any_other() {
    let name = PlayerName::new("Ann").unwrap();
    assert_eq!(format!("[{name:<5}]"), "[Ann  ]");
}

proptest! {
    #[test]
    fn any_text_is_taken_as_it_is_or_refused(text in any::<String>()) {
        if let Ok(title) = Title::new(&text) {
            prop_assert_eq!(title.as_str(), &text);
        }
        if let Ok(name) = IdentityName::new(&text) {
            prop_assert_eq!(name.as_str(), &text);
            prop_assert!(IdentityName::recorded(&text).is_ok());
        }
        if let Ok(id) = RequestId::new(&text) {
            prop_assert_eq!(id.as_str(), &text);
        }
    }
}
