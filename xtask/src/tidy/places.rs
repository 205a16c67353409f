//! Names that are allowed only in certain places: the pure core is pure, wire types stop at the edge.

use super::kind::{Kind, is_test_file};
use crate::layering::imports;
use crate::rust_text::{code_lines, has_token};
use crate::{File, Finding};

/// Folders of code that is a function of its arguments.
const PURE: &[&str] = &[
    "games/src/",
    "service/vocabulary/src/",
    "service/domain/src/",
    "runner/tournament/src/",
];

/// Names that pure code does not use: I/O, clocks, threads, executors.
const IMPURE: &[&str] = &[
    "async",
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "Instant",
    "SystemTime",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
];

/// A name and the only places for it, tests aside, as beginnings or endings of paths.
struct Place {
    name: &'static str,
    only_in: &'static [&'static str],
    why: &'static str,
}

const PLACES: &[Place] = &[Place {
    name: "dragontooth_proto",
    only_in: &[
        "proto/",
        "service/src/grpc/",
        "service/store/src/",
        "service/client/src/",
        "service/wire/src/",
        // It names the crate as a text.
        "xtask/src/tidy/",
    ],
    why: "wire types stop at the edge",
}];

pub(super) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if Kind::of(file) != Kind::Rust || is_test_file(&file.path) {
        return findings;
    }
    let path = &file.path;
    if PURE.iter().any(|folder| path.starts_with(folder)) {
        findings.extend(check_purity(file));
    }
    for (number, line) in code_lines(&file.text) {
        for place in PLACES.iter().filter(|place| has_token(line, place.name)) {
            let fits = |part: &&str| path.starts_with(*part) || path.ends_with(*part);
            if !place.only_in.iter().any(fits) {
                let message = format!(
                    "{} is allowed only in {}: {}",
                    place.name,
                    place.only_in.join(", "),
                    place.why
                );
                findings.push(Finding::at(path, number, "place", message));
            }
        }
    }
    findings
}

fn check_purity(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let imported: Vec<String> = imports(&file.text).collect();
    for name in IMPURE {
        let message = format!("{name} in pure code: take it as an argument");
        let lines = code_lines(&file.text).filter(|(_, line)| has_token(line, name));
        let on_lines: Vec<Finding> = lines
            .map(|(number, _)| Finding::at(&file.path, number, "pure", &*message))
            .collect();
        // No line of a group has the whole path.
        if on_lines.is_empty() && imported.iter().any(|path| has_token(path, name)) {
            findings.push(Finding::whole(&file.path, "pure", message));
        }
        findings.extend(on_lines);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::broken::broken;
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        broken(check, path, text)
    }

    #[test]
    fn keeps_the_core_pure() {
        assert_eq!(
            rules("games/src/a.rs", "use std::time::Instant;\n"),
            ["pure"]
        );
        assert_eq!(
            rules("service/domain/src/a.rs", "async fn f() {}\n"),
            ["pure"]
        );
        assert_eq!(
            rules("runner/tournament/src/a.rs", "std::fs::read(p)\n"),
            ["pure"]
        );
        assert_eq!(
            rules(
                "runner/tournament/src/statistics/a.rs",
                "use std::thread;\n"
            ),
            ["pure"]
        );
        assert_eq!(
            rules(
                "games/src/a.rs",
                "use std::{fmt, fs::File, io::{self, Read}};\n"
            ),
            ["pure", "pure"]
        );
        assert_eq!(
            rules("games/src/a.rs", "use std::{\n    env,\n};\n"),
            ["pure"]
        );
        assert_eq!(
            rules("games/src/a.rs", "use std::time::Duration; // no Instant\n"),
            [""; 0]
        );
        assert_eq!(rules("runner/src/drive/a.rs", "async fn f() {}\n"), [""; 0]);
        let tests = "#[cfg(test)]\nmod tests {\n    use std::{fs, io};\n}\n";
        assert_eq!(rules("games/src/a.rs", tests), [""; 0]);
        assert_eq!(rules("games/tests/a.rs", "use std::fs;\n"), [""; 0]);
    }

    #[test]
    fn keeps_names_in_their_places() {
        let wire = "use dragontooth_proto::v1;\n";
        assert_eq!(rules("service/src/actor.rs", wire), ["place"]);
        assert_eq!(rules("service/src/grpc/to_proto.rs", wire), [""; 0]);
        assert_eq!(rules("service/tests/it.rs", wire), [""; 0]);
    }
}
