use CharacterFault::{Direction, Invisible, LooseMark, MixedScripts, NotForNames, NotNfc};
use dragontooth_service_vocabulary::{
    CharacterFault, DisplayName, EndReason, IdentityName, InvalidText, PlayerName, Title,
};

const CONFUSABLES: &str = include_str!("../data/confusables.txt");

/// Characters that show nothing or reorder the text around them, by the Unicode Character Database: all bidirectional
/// controls, and of the others one of each block.
const UNSEEN: &[(char, CharacterFault)] = &[
    ('\u{61c}', Direction),
    ('\u{200e}', Direction),
    ('\u{200f}', Direction),
    ('\u{202a}', Direction),
    ('\u{202b}', Direction),
    ('\u{202c}', Direction),
    ('\u{202d}', Direction),
    ('\u{202e}', Direction),
    ('\u{2066}', Direction),
    ('\u{2067}', Direction),
    ('\u{2068}', Direction),
    ('\u{2069}', Direction),
    ('\u{ad}', Invisible),
    ('\u{34f}', Invisible),
    ('\u{115f}', Invisible),
    ('\u{17b4}', Invisible),
    ('\u{180e}', Invisible),
    ('\u{200b}', Invisible),
    ('\u{200c}', Invisible),
    ('\u{200d}', Invisible),
    ('\u{2028}', Invisible),
    ('\u{2029}', Invisible),
    ('\u{2060}', Invisible),
    ('\u{2064}', Invisible),
    ('\u{2800}', Invisible),
    ('\u{3164}', Invisible),
    ('\u{fe00}', Invisible),
    ('\u{fe0f}', Invisible),
    ('\u{feff}', Invisible),
    ('\u{ffa0}', Invisible),
    ('\u{fff9}', Invisible),
    ('\u{1d173}', Invisible),
    ('\u{e0041}', Invisible),
    ('\u{e0100}', Invisible),
];

fn refusal<T>(character: char, position: usize, fault: CharacterFault) -> Result<T, InvalidText> {
    Err(InvalidText::Character {
        character,
        position,
        fault,
    })
}

#[test]
fn what_nobody_sees_is_refused_with_its_place() {
    for (character, fault) in UNSEEN {
        for (text, position) in [
            (format!("{character}Ann"), 1),
            (format!("Zo{character}ë"), 3),
            (format!("Ann{character}"), 4),
        ] {
            let refusal = || refusal(*character, position, *fault);
            assert_eq!(Title::new(&text).map(drop), refusal(), "{text:?}");
            assert_eq!(PlayerName::new(&text).map(drop), refusal(), "{text:?}");
            assert_eq!(IdentityName::new(&text).map(drop), refusal(), "{text:?}");
        }
    }
    let refused = IdentityName::new("Ann\u{202e}bob").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "character 4, U+202E, changes the direction of the text"
    );
}

#[test]
fn a_title_is_free_text() {
    for text in [
        "Round 3: Ann – Bob (“best of 3”)…",
        "Пешка & Αλφα & 龙牙",
        "a\u{a0}b\u{3000}c",
        "Zoe\u{308}",
        "final 🏆 ❤\u{fe0f} 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈",
    ] {
        assert_eq!(Title::new(text).unwrap().as_str(), text);
    }
    for (text, character) in [
        ("a\u{13430}b", '\u{13430}'),
        ("a\u{1d159}", '\u{1d159}'),
        ("a\u{3164}", '\u{3164}'),
    ] {
        assert_eq!(Title::new(text), refusal(character, 2, Invisible));
        assert_eq!(EndReason::new(text), refusal(character, 2, Invisible));
    }
    // What belongs to emojis is refused elsewhere.
    for (text, character, position) in [
        ("a\u{fe0f}", '\u{fe0f}', 2),
        ("a\u{200d}🚀", '\u{200d}', 2),
        ("🚀\u{200d}a", '\u{200d}', 2),
        ("🚀\u{200d}", '\u{200d}', 2),
        ("🚀\u{fe0f}\u{fe0f}", '\u{fe0f}', 3),
    ] {
        assert_eq!(
            Title::new(text),
            refusal(character, position, Invisible),
            "{text:?}"
        );
    }
}

#[test]
fn a_name_is_in_one_script_or_a_usual_combination() {
    for name in [
        "Ann",
        "the operator",
        "alpha-beta 2.1 (depth=9, seed:7)",
        "Zoë",
        "Ярослав 2",
        "Αλφα",
        "דנה",
        "名人 Go 9",
        "東京タワー 3",
        "바둑 3",
    ] {
        assert_eq!(
            IdentityName::new(name).map(|name| name.to_string()),
            Ok(name.to_owned())
        );
        assert_eq!(
            PlayerName::new(name).map(|name| name.to_string()),
            Ok(name.to_owned())
        );
    }
    for (name, character, position) in [
        ("p\u{430}ypal", '\u{430}', 2),
        ("\u{430}nn", 'n', 2),
        ("gamma \u{3b3}", '\u{3b3}', 7),
        ("bot \u{585}", '\u{585}', 5),
        ("Ann \u{661}", '\u{661}', 5),
        ("Ярослав\u{5d0}", '\u{5d0}', 8),
    ] {
        assert_eq!(
            IdentityName::new(name),
            refusal(character, position, MixedScripts)
        );
        assert_eq!(
            PlayerName::new(name),
            refusal(character, position, MixedScripts)
        );
    }
}

#[test]
fn a_name_has_no_characters_that_unicode_does_not_recommend() {
    for (name, character, position) in [
        ("World Cup \u{2160}", '\u{2160}', 11),
        ("\u{fb01}sh", '\u{fb01}', 1),
        ("\u{1d400}nn", '\u{1d400}', 1),
        ("\u{ff21}nn", '\u{ff21}', 1),
        ("Ann\u{a0}", '\u{a0}', 4),
        ("Ann 🐉", '🐉', 5),
        ("Ann\u{e000}", '\u{e000}', 4),
    ] {
        assert_eq!(
            IdentityName::new(name),
            refusal(character, position, NotForNames)
        );
        assert_eq!(
            PlayerName::new(name),
            refusal(character, position, NotForNames)
        );
    }
}

/// There is one way to write a name.
#[test]
fn a_mark_stands_on_a_letter_with_few_others() {
    const DOT_BELOW: &str = "\u{323}";
    assert!(PlayerName::new(&format!("x{}", DOT_BELOW.repeat(4))).is_ok());
    for (text, position) in [
        (format!("{DOT_BELOW}x"), 1),
        (format!("an {DOT_BELOW}x"), 4),
        (format!("x{}", DOT_BELOW.repeat(5)), 6),
    ] {
        assert_eq!(
            PlayerName::new(&text),
            refusal('\u{323}', position, LooseMark)
        );
    }
}

#[test]
fn a_name_is_in_normalization_form_c() {
    assert_eq!(IdentityName::new("Zoe\u{308}"), refusal('e', 3, NotNfc));
    assert_eq!(PlayerName::new("a\u{323}\u{302}"), refusal('a', 1, NotNfc));
    assert!(IdentityName::new("Zoë \u{1ead}").is_ok());
}

#[test]
fn a_name_has_single_spaces_between_its_words() {
    for name in [" Ann", "Ann ", "Ann  B", " "] {
        assert_eq!(IdentityName::new(name), Err(InvalidText::Spaces));
        assert_eq!(PlayerName::new(name), Err(InvalidText::Spaces));
    }
    assert_eq!(IdentityName::new(""), Err(InvalidText::Empty));
    assert_eq!(PlayerName::new("").unwrap().as_str(), "");
}

/// Earlier versions allowed everything but control characters.
#[test]
fn recorded_texts_stay_readable() {
    for text in [
        "p\u{430}ypal",
        "\u{202e}nnA",
        "Ann\u{200b}",
        " Zoe\u{308}  🐉 ",
    ] {
        assert!(IdentityName::new(text).is_err());
        assert_eq!(IdentityName::recorded(text).unwrap().as_str(), text);
        assert_eq!(PlayerName::recorded(text).unwrap().as_str(), text);
        assert_eq!(Title::recorded(text).unwrap().as_str(), text);
        assert_eq!(EndReason::recorded(text).unwrap().as_str(), text);
    }
    assert_eq!(EndReason::recorded(""), Err(InvalidText::Empty));
    assert_eq!(IdentityName::recorded(""), Err(InvalidText::Empty));
}

#[test]
fn names_that_look_alike_have_the_same_skeleton() {
    let text = |codes: &str| -> String {
        let code = |code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        codes
            .split_whitespace()
            .map(|text| code(text).unwrap())
            .collect()
    };
    let skeleton = |text: &str| IdentityName::recorded(text).unwrap().skeleton();
    let lines = CONFUSABLES.lines().filter(|line| !line.starts_with('#'));
    let mut seen = 0;
    for line in lines {
        let mut fields = line.split(';');
        let [from, to] = [(); 2].map(|()| text(fields.next().unwrap()));
        assert_eq!(
            skeleton(&format!("x {from}")),
            skeleton(&format!("x {to}")),
            "{line}"
        );
        seen += 1;
    }
    assert_eq!(seen, 26);
    assert_ne!(skeleton("Ann"), skeleton("Anna"));
    assert_ne!(skeleton("Ann"), skeleton("ann"));
}

#[test]
fn a_seat_name_says_who_vouches_for_it() {
    let own = DisplayName::from(PlayerName::new("Ann").unwrap());
    let identity = DisplayName::Identity(IdentityName::new("Ann").unwrap());
    assert_eq!((own.as_str(), own.is_verified()), ("Ann", false));
    assert_eq!((identity.as_str(), identity.is_verified()), ("Ann", true));
    assert_ne!(own, identity);
    assert_eq!(format!("[{identity:<5}]"), "[Ann  ]");
}
