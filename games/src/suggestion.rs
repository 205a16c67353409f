//! The name that a misspelt one was probably meant to be.

use strsim::damerau_levenshtein;

/// The most letters in which a name may differ from the one that was meant.
const DISTANCE_MAX: usize = 3;
/// A name may differ in one letter of as many as these.
const LETTERS_PER_SLIP: usize = 3;
/// The most bytes of a name that is compared: no known name has as many.
const BYTES_MAX: usize = 120;

/// The known name that is most like `name`, if one is like it at all: up to a third of the letters may
/// differ, at most three, and upper and lower case are the same. Of two that are equally near the first one
/// wins.
///
/// ```
/// use dragontooth_games::suggestion::suggestion;
///
/// assert_eq!(suggestion("Kamisdao", ["linja", "kamisado"]), Some("kamisado"));
/// assert_eq!(suggestion("chess", ["linja", "kamisado"]), None);
/// ```
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > BYTES_MAX {
        return None;
    }
    let lower = name.to_lowercase();
    let most = (name.chars().count() / LETTERS_PER_SLIP).min(DISTANCE_MAX);
    known
        .into_iter()
        .map(|known| (damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The end of an error about an unknown name: `; did you mean "kamisado"?`, or nothing if no known name
/// is like it.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(name, known).map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = ["seed", "cycles", "time_control", "nodes", "depth"];

    #[test]
    fn slips_are_found() {
        for (name, meant) in [
            ("seeds", "seed"),
            ("Seed", "seed"),
            ("cycels", "cycles"),
            ("timecontrol", "time_control"),
            ("time-contrl", "time_control"),
            ("depht", "depth"),
        ] {
            assert_eq!(suggestion(name, KEYS), Some(meant), "{name}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for name in ["", "x", "to", "colour", "width", "time", &"seed".repeat(99)] {
            assert_eq!(suggestion(name, KEYS), None, "{name}");
            assert_eq!(did_you_mean(name, KEYS), "");
        }
    }

    #[test]
    fn the_nearest_comes_first() {
        assert_eq!(suggestion("nodess", ["modes", "nodes"]), Some("nodes"));
        assert_eq!(suggestion("bodes", ["modes", "nodes"]), Some("modes"));
        assert_eq!(did_you_mean("node", KEYS), "; did you mean \"nodes\"?");
    }
}
