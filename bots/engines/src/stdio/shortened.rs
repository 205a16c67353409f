/// Largest number of characters quoted from a line.
const QUOTED_CHARS: usize = 120;

/// Returns a line as messages quote it: without control characters and at most 120 characters long.
#[must_use]
pub fn shortened(line: &[u8]) -> String {
    // A character has at most four bytes.
    let part = &line[..line.len().min(4 * QUOTED_CHARS)];
    let text = String::from_utf8_lossy(part);
    let mut quoted: String = text
        .chars()
        .take(QUOTED_CHARS)
        .map(|letter| {
            if letter.is_control() {
                '\u{b7}'
            } else {
                letter
            }
        })
        .collect();
    if part.len() < line.len() || text.chars().nth(QUOTED_CHARS).is_some() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_and_control_characters_are_shortened() {
        assert_eq!(shortened(b"abc"), "abc");
        assert_eq!(shortened(b"a\x1b[2Jb\xff"), "a·[2Jb\u{fffd}");
        let long = shortened(&vec![b'x'; 1 << 20]);
        assert_eq!(long.chars().count(), QUOTED_CHARS + 1);
        assert!(long.ends_with("x…"));
    }
}
