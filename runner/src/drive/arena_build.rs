use dragontooth_runner_tournament::Name;
use dragontooth_service_vocabulary::BuildText;

/// The first word of the build by which an arena is present.
const WORD: &str = "arena";
/// The digits of its id after it.
const ID_DIGITS: usize = 12;

/// The build by which an arena with this id, in hexadecimal digits, is present: so others know it from a player.
pub(super) fn arena_build(id: &str, name: &Name) -> BuildText {
    let mut text = format!("{WORD} {} {name}", &id[..ID_DIGITS]);
    text.truncate(BuildText::MAX_BYTES);
    BuildText::new(&text).expect("names and digits are a build")
}

/// Returns true if a build is that of an arena.
pub(super) fn is_arena(build: &BuildText) -> bool {
    let text = build.to_string();
    let mut words = text.splitn(3, ' ');
    let is_id = |word: &str| word.len() == ID_DIGITS && word.bytes().all(|b| b.is_ascii_hexdigit());
    words.next() == Some(WORD) && words.next().is_some_and(is_id) && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_is_known_from_a_player() {
        let id = "0123456789abcdef";
        for name in ["open", &"n".repeat(64)] {
            let build = arena_build(id, &Name::new(name).unwrap());
            assert!(is_arena(&build), "{build}");
        }
        for build in [
            "",
            "v1",
            "arena",
            "arena v2 of mine",
            "arenas 0123456789ab open",
        ] {
            assert!(!is_arena(&BuildText::new(build).unwrap()), "{build}");
        }
    }
}
