//! Marks that a change leaves behind: unfinished work, muted tests, sleeps, paths of the machine that it
//! was made on, and references to a tracker.

use super::kind::{Kind, is_test_file};
use crate::rust_text::{has_token, lines_with, tests_begin, without_comment};
use crate::{File, Finding};

/// Mutes a test. (Lints hold the other marks: `allow_attributes`, `dbg_macro`, `todo`, `unimplemented`.)
const MUTED_TEST: &str = "#[ignore";

/// Words in capitals that promise a later change, in any file that people write.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// Calls that wait for time to pass instead of for what the test is about.
const SLEEPS: &[&str] = &["sleep(", "sleep_until(", "sleep_ms(", "waitForTimeout("];

/// The sleep in disguise: a timeout of a future that never ends.
const NEVER: &[&str] = &[", pending", "future::pending"];

/// Files whose task is to take time: a slow bot, a slow network, and the measuring of a load.
const TAKE_TIME: &[&str] = &[
    "runner/benches/figures/arena.rs",
    "runner/tests/it/conformance/scripted.rs",
    "service/tests/it/faults/proxy.rs",
    "service/benches/figures/measure.rs",
];

/// Beginnings of paths that exist on one person's machine.
const HOMES: &[&str] = &["/home/", "/root/", "/Users/", "/tmp/", "C:\\Users\\"];

/// Words before a number that refer to a tracker, which readers of the code do not have.
const TRACKERS: &[&str] = &["issue", "issues", "ticket", "tickets"];

/// The folder of these rules, which have to name what they look for.
const RULES_FOLDER: &str = "xtask/src/tidy/";

pub(super) fn check(file: &File) -> Vec<Finding> {
    let kind = Kind::of(file);
    if !kind.is_written() || file.path.starts_with(RULES_FOLDER) {
        return Vec::new();
    }
    let mut findings = muted_tests(file);
    findings.extend(sleeps(file, kind));
    // A code span in prose names something; it does not leave it behind.
    let text = if kind == Kind::Markdown {
        without_code(&file.text)
    } else {
        file.text.clone()
    };
    for word in UNFINISHED {
        for line in lines_with(&text, word) {
            let message = format!("{word}: finish it, or leave it to the tracker");
            findings.push(Finding::at(&file.path, line, "unfinished", message));
        }
    }
    let mut homes = HOMES.to_vec();
    homes.retain(|home| file.text.contains(home));
    let mut prose = text.lines();
    for (index, line) in file.text.lines().enumerate() {
        let comment = match kind {
            Kind::Rust if !line.contains('#') => "",
            Kind::Rust => &line[without_comment(line).len()..],
            Kind::Markdown => prose.next().unwrap_or_default(),
            Kind::Source | Kind::Data | Kind::Foreign => "",
        };
        if names_tracker(line) || has_bare_number(comment) {
            let message = "refers to a tracker by number: say what it was about";
            findings.push(Finding::at(&file.path, index + 1, "tracker", message));
        }
        for home in homes.iter().filter(|home| begins_path(line, home)) {
            let message = format!("{home} is a place on one machine: use a relative path");
            findings.push(Finding::at(&file.path, index + 1, "machine-path", message));
        }
    }
    findings
}

/// The lines that hold `root`, the folder in which this repository happens to be.
pub(super) fn path_of_this_machine(file: &File, root: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        if line.contains(root) && begins_path(line, root) {
            let message = "holds the path of this very copy: use a relative path";
            findings.push(Finding::at(&file.path, index + 1, "machine-path", message));
        }
    }
    findings
}

/// `text` with its code spans and code blocks blanked, line by line.
pub(super) fn without_code(text: &str) -> String {
    let mut in_block = false;
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            for (index, part) in line.split('`').enumerate() {
                plain.push_str(if index % 2 == 0 { part } else { "`" });
            }
        }
        plain.push('\n');
    }
    plain
}

fn muted_tests(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().enumerate();
    let muted = lines.filter(|(_, line)| line.trim_start().starts_with(MUTED_TEST));
    let finding = |(index, _)| {
        let message = "#[ignore]: fix the test or delete it";
        Finding::at(&file.path, index + 1, "muted-test", message)
    };
    muted.map(finding).collect()
}

/// The sleeps in a test file, or in the tests at the end of a Rust file.
fn sleeps(file: &File, kind: Kind) -> Vec<Finding> {
    let first = if is_test_file(&file.path) {
        Some(1)
    } else {
        tests_begin(&file.text).filter(|_| kind == Kind::Rust)
    };
    let Some(first) = first.filter(|_| !TAKE_TIME.contains(&&*file.path)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate().skip(first - 1) {
        if !line.contains('(') {
            continue;
        }
        let line = without_comment(line);
        let waits_for_nothing =
            has_token(line, "timeout(") && NEVER.iter().any(|never| line.contains(never));
        if waits_for_nothing || SLEEPS.iter().any(|call| has_token(line, call)) {
            let message = "sleeps in a test: wait for the event itself";
            findings.push(Finding::at(&file.path, index + 1, "sleep", message));
        }
    }
    findings
}

/// Returns true if `line` says something like "issue 7".
fn names_tracker(line: &str) -> bool {
    let line = line.to_lowercase();
    if !TRACKERS.iter().any(|word| line.contains(word)) {
        return false;
    }
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "()[]".contains(c))
        .collect();
    words.windows(2).any(|pair| {
        let number = pair[1].trim_start_matches('#');
        TRACKERS.contains(&pair[0]) && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Returns true if `line` holds a number sign and a number with spaces around them.
fn has_bare_number(line: &str) -> bool {
    line.match_indices('#').any(|(at, _)| {
        let after = line[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - at - 1 - after.len();
        let free_before = line[..at]
            .chars()
            .next_back()
            .is_none_or(|c| " (".contains(c));
        let free_after = !after.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        digits > 0 && free_before && free_after
    })
}

/// Returns true if a path in `line` begins with `start`.
fn begins_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~/}*".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::super::broken::broken;
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        broken(check, path, text)
    }

    #[test]
    fn sees_unfinished_work() {
        assert_eq!(rules("a.rs", "// TODO: more\n"), ["unfinished"]);
        assert_eq!(rules("a.py", "x = 1  # FIXME\n"), ["unfinished"]);
        assert_eq!(rules("a.md", "We leave no `TODO` behind.\n"), [""; 0]);
        assert_eq!(rules("a.md", "TODO: the rest\n"), ["unfinished"]);
    }

    #[test]
    fn sees_muted_tests() {
        assert_eq!(rules("a.rs", "#[ignore]\nfn f() {}\n"), ["muted-test"]);
        assert_eq!(rules("a.rs", "#[ignore = \"slow\"]\n"), ["muted-test"]);
    }

    #[test]
    fn sees_sleeps_in_tests_alone() {
        let sleep = "std::thread::sleep(pause);\n";
        assert_eq!(rules("a/src/b.rs", sleep), [""; 0]);
        assert_eq!(rules("a/tests/b.rs", sleep), ["sleep"]);
        assert_eq!(rules("a/tests/b.py", "time.sleep(1)\n"), ["sleep"]);
        let disguised = "let _ = timeout(pause, pending::<()>()).await;\n";
        assert_eq!(rules("a/tests/b.rs", disguised), ["sleep"]);
        let proxy = TAKE_TIME[1];
        assert_eq!(rules(proxy, "sleep(delay).await;\n"), [""; 0]);
        let inside = format!("{sleep}#[cfg(test)]\nmod tests {{\n{sleep}}}\n");
        assert_eq!(rules("a/src/b.rs", &inside), ["sleep"]);
    }

    #[test]
    fn sees_where_and_when_it_was_made() {
        assert_eq!(
            rules("a.toml", "data = \"/home/me/data\"\n"),
            ["machine-path"]
        );
        assert_eq!(
            rules("a.md", "See https://example.org/home/page.\n"),
            [""; 0]
        );
        assert_eq!(rules("a.rs", "// as issue #12 asks\n"), ["tracker"]);
        assert_eq!(rules("a.md", "Fixed (#12).\n"), ["tracker"]);
        assert_eq!(rules("a.md", "The issues 2 and 3.\n"), ["tracker"]);
        assert_eq!(
            rules(
                "a.md",
                "# 1. First\n[x](#1-first), https://example.org/a#2\n"
            ),
            [""; 0]
        );
        assert_eq!(
            rules("a.rs", "// 3 issues at most\nlet a = \"#1\";\n"),
            [""; 0]
        );
    }

    #[test]
    fn sees_the_path_of_the_copy() {
        let file = File {
            path: "a.csv".to_owned(),
            text: "x\n/srv/copy/a\n".to_owned(),
        };
        assert_eq!(path_of_this_machine(&file, "/srv/copy").len(), 1);
        assert_eq!(path_of_this_machine(&file, "/srv/other"), []);
    }
}
