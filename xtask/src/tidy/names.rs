//! Names of modules, one form of module folders, and a `lib.rs` that only declares.

use super::kind::{Kind, is_test_file};
use crate::rust_text::{code_lines, has_token};
use crate::{File, Finding};

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// Words that begin an item with a body of its own.
const DEFINITIONS: &[&str] = &[
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "type",
    "static",
    "const",
    "macro_rules!",
];

pub(super) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if Kind::of(file) != Kind::Rust {
        return findings;
    }
    let path = &file.path;
    for name in path.split('/').map(|part| part.trim_end_matches(".rs")) {
        if EMPTY_NAMES.contains(&name) {
            findings.push(Finding::whole(path, "empty-name", says_nothing(name)));
        }
    }
    for name in EMPTY_NAMES {
        let module = format!("mod {name}");
        if !file.text.contains(&module) {
            continue;
        }
        for (number, line) in code_lines(&file.text) {
            if has_token(line, &module) {
                findings.push(Finding::at(path, number, "empty-name", says_nothing(name)));
            }
        }
    }
    if path.ends_with("/mod.rs") {
        let folder = path.trim_end_matches("/mod.rs");
        let message = format!("the module of a folder is the file beside it: {folder}.rs");
        findings.push(Finding::whole(path, "mod-file", message));
    }
    if path.ends_with("src/lib.rs") && !is_test_file(path) {
        findings.extend(definitions(path, &file.text));
    }
    findings
}

/// The definitions in a file that should only declare. A constant may include a file.
fn definitions(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut lines = code_lines(text).peekable();
    while let Some((number, line)) = lines.next() {
        let next = lines.peek().map_or("", |(_, next)| next);
        let is_included = line.contains("include_") || next.contains("include_");
        let line = line.replace("'static", "");
        for word in DEFINITIONS {
            if has_token(&line, word) && !(*word == "const" && is_included) {
                let message = format!("defines something ({word}); here modules are only declared");
                findings.push(Finding::at(path, number, "declare", message));
            }
        }
    }
    findings
}

fn says_nothing(name: &str) -> String {
    format!("{name:?} does not say what is inside: name the module after its noun")
}

#[cfg(test)]
mod tests {
    use super::super::broken::broken;
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        broken(check, path, text)
    }

    #[test]
    fn sees_names_that_say_nothing() {
        assert_eq!(rules("a/src/util.rs", ""), ["empty-name"]);
        assert_eq!(rules("a/tests/common/it.rs", ""), ["empty-name"]);
        assert_eq!(rules("a/src/lib.rs", "mod helpers;\n"), ["empty-name"]);
        assert_eq!(rules("a/src/utility.rs", "mod common_case {}\n"), [""; 0]);
    }

    #[test]
    fn knows_one_form_of_module_folders() {
        assert_eq!(rules("a/src/b/mod.rs", "mod c;\n"), ["mod-file"]);
        assert_eq!(rules("a/src/b.rs", "mod c;\n"), [""; 0]);
    }

    #[test]
    fn lets_lib_declare() {
        let text = "//! A fn in the docs.\npub mod a;\nmod b;\npub use a::{C, D};\n\
                    pub mod v1 {\n    tonic::include_proto!(\"v1\");\n}\n\
                    pub const SET: &'static [u8] =\n    tonic::include_file_descriptor_set!(\"x\");\n";
        assert_eq!(rules("a/src/lib.rs", text), [""; 0]);
    }

    #[test]
    fn sees_what_lib_defines() {
        assert_eq!(rules("a/src/lib.rs", "pub fn f() {}\n"), ["declare"]);
        assert_eq!(
            rules("a/src/lib.rs", "struct S;\nimpl S {}\n"),
            ["declare", "declare"]
        );
        assert_eq!(rules("a/src/lib.rs", "const N: u8 = 1;\n"), ["declare"]);
        assert_eq!(rules("a/src/b.rs", "pub fn f() {}\n"), [""; 0]);
    }
}
