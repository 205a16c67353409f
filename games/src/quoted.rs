/// Maximum number of characters of a text that an error quotes. Every name and action is shorter.
const LETTERS_MAX: usize = 120;

/// Quotes a text from outside and cuts it to a readable length.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LETTERS_MAX) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(quoted("a1\n"), r#""a1\n""#);
        let most = "é".repeat(LETTERS_MAX);
        assert_eq!(quoted(&most), format!("\"{most}\""));
        assert_eq!(quoted(&format!("{most}é")), format!("\"{most}\"…"));
    }
}
