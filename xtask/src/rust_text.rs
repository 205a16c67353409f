//! Telling the code of a Rust file from its comments and strings.

/// A Rust file taken apart. Both texts have the lines of the file; what is in neither is blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RustText {
    /// What is neither comment nor string.
    pub(crate) code: String,
    /// The comments, documentation among them.
    pub(crate) comments: String,
}

impl RustText {
    pub(crate) fn of(text: &str) -> Self {
        let mut scanner = Scanner {
            rest: text,
            code: String::with_capacity(text.len()),
            comments: String::with_capacity(text.len()),
        };
        scanner.run();
        Self {
            code: scanner.code,
            comments: scanner.comments,
        }
    }

    /// The number of lines before the file's tests: those before `#[cfg(test)]` on a module.
    pub(crate) fn lines_before_tests(&self) -> usize {
        let lines: Vec<&str> = self.code.lines().map(str::trim).collect();
        let starts_tests = |at: usize| {
            lines[at] == "#[cfg(test)]"
                && lines
                    .get(at + 1)
                    .is_some_and(|next| next.starts_with("mod "))
        };
        (0..lines.len())
            .find(|&at| starts_tests(at))
            .unwrap_or(lines.len())
    }
}

/// The lines of `text`, numbered from 1, in which `token` stands as a whole word or path.
pub(crate) fn lines_with<'a>(text: &'a str, token: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.lines()
        .enumerate()
        .filter(move |(_, line)| has_token(line, token))
        .map(|(index, _)| index + 1)
}

/// Whether `token` stands in `line` with no letter, digit or underscore touching it.
pub(crate) fn has_token(line: &str, token: &str) -> bool {
    line.match_indices(token).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + token.len()..].chars().next();
        let free = |neighbour: Option<char>, own: Option<char>| {
            !own.is_some_and(is_word) || !neighbour.is_some_and(is_word)
        };
        free(before, token.chars().next()) && free(after, token.chars().next_back())
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[derive(Clone, Copy)]
enum Target {
    Code,
    Comment,
    Neither,
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
    comments: String,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(first) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(end, Target::Comment);
            } else if self.rest.starts_with("/*") {
                self.take(block_comment(self.rest), Target::Comment);
            } else if let Some(end) = raw_string(self.rest) {
                self.take(end, Target::Neither);
            } else if first == '"' {
                self.take(quoted(self.rest, '"'), Target::Neither);
            } else if let Some(end) = character(self.rest) {
                self.take(end, Target::Neither);
            } else if is_word(first) {
                let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
                // `br"…"` and `cr"…"`: leave the prefix to be seen with its string.
                let second = first.len_utf8();
                let end = if raw_string(&self.rest[second..]).is_some() {
                    second
                } else {
                    end
                };
                self.take(end, Target::Code);
            } else {
                self.take(first.len_utf8(), Target::Code);
            }
        }
    }

    fn take(&mut self, length: usize, target: Target) {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        let blank: String = taken
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        let (code, comments) = match target {
            Target::Code => (taken, blank.as_str()),
            Target::Comment => (blank.as_str(), taken),
            Target::Neither => (blank.as_str(), blank.as_str()),
        };
        self.code.push_str(code);
        self.comments.push_str(comments);
    }
}

/// The length of the block comment that `text` begins with; block comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of the raw string that `text` begins with.
fn raw_string(text: &str) -> Option<usize> {
    let after_r = text.strip_prefix('r')?;
    let opened = after_r.trim_start_matches('#');
    let hashes = after_r.len() - opened.len();
    let body = opened.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(
        body.find(&close)
            .map_or(text.len(), |at| start + at + close.len()),
    )
}

/// The length of the literal that `text` begins with, up to the closing `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the character literal that `text` begins with; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    let mut chars = body.chars();
    let first = chars.next()?;
    (first == '\\' || chars.next() == Some('\'')).then(|| quoted(text, '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_code_from_comments_and_strings() {
        let text = "let a = \"x // y\"; // z\nlet b = r#\"q\"w\"#; /* m /* n */ o */ c\n";
        let split = RustText::of(text);
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            words(&split.code),
            ["let", "a", "=", ";", "let", "b", "=", ";", "c"]
        );
        assert_eq!(
            words(&split.comments),
            ["//", "z", "/*", "m", "/*", "n", "*/", "o", "*/"]
        );
        assert_eq!(split.code.lines().count(), text.lines().count());
    }

    #[test]
    fn takes_no_lifetime_for_a_character() {
        let split = RustText::of("fn f<'a>(x: &'a str) -> char { '\"' } // end\nlet q = '\\'';\n");
        assert!(split.code.contains("fn f<'a>(x: &'a str) -> char {"));
        assert_eq!(split.comments.trim(), "// end");
        assert!(split.code.contains("let q ="));
    }

    #[test]
    fn takes_a_byte_string_apart() {
        let split = RustText::of("f(b\"sleep\", br#\"sleep\"#, bar, r#type);");
        assert!(!split.code.contains("sleep"));
        assert!(split.code.contains("bar, r#type"));
    }

    #[test]
    fn finds_where_the_tests_begin() {
        let split = RustText::of("fn f() {}\n\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(split.lines_before_tests(), 2);
        assert_eq!(RustText::of("fn f() {}\n").lines_before_tests(), 1);
    }

    #[test]
    fn finds_whole_tokens_only() {
        assert!(has_token("use std::fs;", "std::fs"));
        assert!(!has_token("use std::fsx;", "std::fs"));
        assert!(has_token("x = dbg!(y)", "dbg!"));
        assert!(!has_token("asleep(1)", "sleep("));
        assert_eq!(lines_with("a\nb a\nab\n", "a").collect::<Vec<_>>(), [1, 2]);
    }
}
