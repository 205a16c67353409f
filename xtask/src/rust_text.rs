//! Rust as lines of code and as tokens. Neither needs a compiler, and neither expands macros.

/// The lines of code in `text`, numbered from 1: without comments to the end of the line and without the
/// tests at the end, which begin with `#[cfg(test)]` on a module.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let tests = tests_begin(text);
    let lines = text.lines().enumerate();
    lines
        .map(|(index, line)| (index + 1, without_comment(line)))
        .take_while(move |(number, _)| tests.is_none_or(|first| *number < first))
}

/// The line, from 1, on which the tests of a file begin. A module in a file of its own is none of its tests.
pub(crate) fn tests_begin(text: &str) -> Option<usize> {
    let mut lines = text.lines().map(str::trim).enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let next = lines.peek().map_or("", |(_, next)| next);
        if line == "#[cfg(test)]" && next.starts_with("mod ") && !next.ends_with(';') {
            return Some(index + 1);
        }
    }
    None
}

/// The part of a line before `//`, unless that is within a text in quotes.
pub(crate) fn without_comment(line: &str) -> &str {
    let starts = line.match_indices("//").map(|(at, _)| at);
    let mut starts = starts.filter(|at| line[..*at].matches('"').count().is_multiple_of(2));
    starts.next().map_or(line, |at| &line[..at])
}

/// The lines of `text`, numbered from 1, in which `token` is a whole word or path.
pub(crate) fn lines_with<'a>(text: &'a str, token: &'a str) -> impl Iterator<Item = usize> + 'a {
    let text = if text.contains(token) { text } else { "" };
    text.lines()
        .enumerate()
        .filter(move |(_, line)| has_token(line, token))
        .map(|(index, _)| index + 1)
}

/// Returns true if `token` is in `line` and no letter, digit or underscore touches it.
pub(crate) fn has_token(line: &str, token: &str) -> bool {
    if !line.contains(token) {
        return false;
    }
    line.match_indices(token).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + token.len()..].chars().next();
        let free = |neighbour: Option<char>, own: Option<char>| {
            !own.is_some_and(is_word) || !neighbour.is_some_and(is_word)
        };
        free(before, token.chars().next()) && free(after, token.chars().next_back())
    })
}

/// Returns true if a token is a word: a name or a keyword.
pub(crate) fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words and signs of `text` without comments and texts in quotes. `::` is one token.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            quoted(rest)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else if let Some(length) = raw(rest) {
            length
        } else if first == '\'' {
            character(rest)
        } else {
            let length = if is_word(first) {
                rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            tokens.push(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the text in quotes that `text` begins with.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the raw text that `text` begins with, if it does.
fn raw(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r').or_else(|| text.strip_prefix("br"))?;
    let opened = after.trim_start_matches('#');
    let body = opened.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(after.len() - opened.len()));
    let start = text.len() - body.len();
    let end = body.find(&close).map(|at| start + at + close.len());
    Some(end.unwrap_or(text.len()))
}

/// The length of the character that `text` begins with, or of the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let after = at + escaped.len_utf8();
            text[after..]
                .find('\'')
                .map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_code_into_tokens() {
        let text = "let a = \"x // y\"; // z\nlet b = r#\"q\"w\"#; std::fs::read('\\'', '\"')\n";
        let expected = [
            "let", "a", "=", ";", "let", "b", "=", ";", "std", "::", "fs", "::", "read", "(", ",",
            ")",
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn takes_no_lifetime_for_a_character() {
        let found = tokens("fn f<'a>(x: &'a str) -> char { '\"' } b\"sleep\" r#type");
        assert!(found.contains(&"str"), "{found:?}");
        assert!(found.ends_with(&["b", "r", "#", "type"]), "{found:?}");
    }

    #[test]
    fn cuts_comments_and_tests() {
        let text = "fn f() {} // a\n// b\nlet u = \"x://y\";\n#[cfg(test)]\nmod tests {\n}\n";
        let lines: Vec<_> = code_lines(text).collect();
        assert_eq!(
            lines,
            [(1, "fn f() {} "), (2, ""), (3, "let u = \"x://y\";")]
        );
        assert_eq!(tests_begin(text), Some(4));
        assert_eq!(tests_begin("fn f() {}\n"), None);
        assert_eq!(tests_begin("#[cfg(test)]\nmod tests;\nuse a;\n"), None);
    }

    #[test]
    fn finds_whole_tokens_only() {
        assert!(has_token("use std::fs;", "std::fs"));
        assert!(!has_token("use std::fsx;", "std::fs"));
        assert!(!has_token("asbuild(1)", "build("));
        assert_eq!(lines_with("a\nb a\nab\n", "a").collect::<Vec<_>>(), [1, 2]);
    }
}
