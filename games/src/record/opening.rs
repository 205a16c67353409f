/// The separator of entries that have spaces.
const SEPARATOR: char = ';';

/// Writes the entries of an opening as one text: with spaces between them or, where an entry has a space itself,
/// with `;`, which then stands behind a single entry too.
#[must_use]
pub fn opening_text(entries: &[String]) -> String {
    if !entries
        .iter()
        .any(|entry| entry.contains(char::is_whitespace))
    {
        return entries.join(" ");
    }
    let mut text = entries.join("; ");
    if entries.len() == 1 {
        text.push(SEPARATOR);
    }
    text
}

/// Reads the entries of an opening from a text as [`opening_text`] writes it.
///
/// ```
/// use dragontooth_games::record::{opening_entries, opening_text};
///
/// assert_eq!(opening_entries("a1a7  f8f4"), ["a1a7", "f8f4"]);
/// let backgammon = opening_entries("31; 8/5 6/5; 64; 24/14");
/// assert_eq!(backgammon, ["31", "8/5 6/5", "64", "24/14"]);
/// assert_eq!(opening_text(&backgammon), "31; 8/5 6/5; 64; 24/14");
/// ```
#[must_use]
pub fn opening_entries(text: &str) -> Vec<String> {
    if text.contains(SEPARATOR) {
        let entries = text.split(SEPARATOR).map(str::trim);
        return (entries.filter(|entry| !entry.is_empty()))
            .map(str::to_owned)
            .collect();
    }
    text.split_whitespace().map(str::to_owned).collect()
}
