//! Length, spaces and line ends.

use super::kind::Kind;
use crate::{File, Finding};

/// The most lines of a file that people write.
const MAX_LINES: usize = 800;

/// The most lines of a program's `main.rs`.
const MAX_MAIN_LINES: usize = 50;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let kind = Kind::of(file);
    let mut findings = Vec::new();
    if kind == Kind::Foreign || file.text.is_empty() {
        return findings;
    }
    let path = &file.path;
    if !file.text.ends_with('\n') {
        findings.push(Finding::whole(
            path,
            "final-newline",
            "the last line has no line end",
        ));
    }
    if file.text.contains('\r') {
        findings.push(Finding::whole(
            path,
            "line-end",
            "lines end with a line feed alone",
        ));
    }
    if !kind.is_written() {
        return findings;
    }
    if file.text.ends_with("\n\n") {
        findings.push(Finding::whole(
            path,
            "final-newline",
            "ends with empty lines",
        ));
    }
    for (index, line) in file.text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            findings.push(Finding::at(
                path,
                index + 1,
                "trailing-space",
                "ends with a space",
            ));
        }
    }
    let most = if is_main(path) {
        MAX_MAIN_LINES
    } else {
        MAX_LINES
    };
    let lines = file.text.lines().count();
    if lines > most {
        let message = format!("{lines} lines, at most {most}: give each noun a file of its own");
        findings.push(Finding::whole(path, "length", message));
    }
    findings
}

fn is_main(path: &str) -> bool {
    path.ends_with("src/main.rs") || path.contains("/src/bin/")
}

#[cfg(test)]
mod tests {
    use super::super::broken::broken;
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        broken(check, path, text)
    }

    #[test]
    fn sees_length() {
        let long = "x\n".repeat(MAX_LINES + 1);
        assert_eq!(rules("a/src/b.rs", &long), ["length"]);
        assert_eq!(rules("a/src/b.rs", &long[2..]), [""; 0]);
        assert_eq!(rules("a/tests/data.csv", &long), [""; 0]);
        assert_eq!(
            rules("a/src/main.rs", &"x\n".repeat(MAX_MAIN_LINES + 1)),
            ["length"]
        );
        let generated = format!("// @generated\n{long}");
        assert_eq!(rules("a/src/b.rs", &generated), [""; 0]);
    }

    #[test]
    fn sees_spaces_and_line_ends() {
        assert_eq!(rules("a.md", "x \ny\n"), ["trailing-space"]);
        assert_eq!(rules("a.md", "x"), ["final-newline"]);
        assert_eq!(rules("a.md", "x\n\n"), ["final-newline"]);
        assert_eq!(rules("a.csv", "x"), ["final-newline"]);
        assert_eq!(rules("a.csv", "x \n"), [""; 0]);
        assert_eq!(rules("a.toml", "x\r\n"), ["line-end"]);
    }
}
