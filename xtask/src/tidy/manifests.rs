//! The entries of every crate's manifest.

use crate::{File, Finding, Tree};

/// The beginning of the name of every package but [`OWN_NAMES`]. The folders follow.
const PREFIX: &str = "dragontooth";

/// Packages that have the name of their folder.
const OWN_NAMES: &[&str] = &["xtask"];

/// Folders of packages outside of the workspace, which take nothing from it.
const OWN_WORKSPACES: &[&str] = &["fuzz/libfuzzer"];

/// The keys that a package inherits from the workspace.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "publish"];

pub(super) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(folder) = file.path.strip_suffix("/Cargo.toml") else {
        return findings;
    };
    if OWN_WORKSPACES.contains(&folder) {
        return findings;
    }
    let entries = entries(&file.text);
    let has = |table: &str, key: &str, value: &str| {
        entries
            .iter()
            .any(|entry| (entry.table, entry.key, entry.value) == (table, key, value))
    };
    let mut missing = |what: String| {
        findings.push(Finding::whole(
            &file.path,
            "manifest",
            format!("lacks {what}"),
        ));
    };
    let name = format!("\"{}\"", package_name(folder));
    if !has("package", "name", &name) {
        missing(format!("name = {name}, which follows from its folder"));
    }
    for key in INHERITED {
        if !has("package", &format!("{key}.workspace"), "true") {
            missing(format!("{key}.workspace = true under [package]"));
        }
    }
    if !has("lints", "workspace", "true") {
        missing("workspace = true under [lints]".to_owned());
    }
    for entry in entries
        .iter()
        .filter(|entry| entry.table.ends_with("dependencies"))
    {
        let inherited = entry.key.ends_with(".workspace") && entry.value == "true"
            || entry.value.contains("workspace = true");
        if !inherited {
            let message = format!("{} does not take its version from the workspace", entry.key);
            findings.push(Finding::at(&file.path, entry.line, "manifest", message));
        }
    }
    findings
}

/// Checks that Cargo builds the tests of a library where there are any, and only there, and never those of a program:
/// for its tests it compiles a library a second time.
pub(super) fn check_tests(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in &tree.files {
        let Some(folder) = manifest.path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        if OWN_WORKSPACES.contains(&folder) {
            continue;
        }
        let source = format!("{folder}/src/");
        let (mut programs, mut has_library, mut has_tests) = (0, false, false);
        for file in &tree.files {
            let Some(path) = file.path.strip_prefix(&source) else {
                continue;
            };
            let is_tested = file.text.contains("#[cfg(test)]");
            if path == "main.rs" || path.starts_with("bin/") {
                programs += 1;
                if is_tested {
                    let message = "tests in a program are not built: move them to the library";
                    findings.push(Finding::whole(&file.path, "manifest", message.to_owned()));
                }
            } else {
                has_library |= path == "lib.rs";
                has_tests |= is_tested;
            }
        }
        let untested = |target: &str| {
            let entries = entries(&manifest.text);
            entries
                .iter()
                .filter(|entry| (entry.table, entry.key, entry.value) == (target, "test", "false"))
                .count()
        };
        let mut found = |message: &str| {
            findings.push(Finding::whole(
                &manifest.path,
                "manifest",
                message.to_owned(),
            ));
        };
        match (has_tests, untested("lib")) {
            (true, 1..) => found("test = false under [lib], and there are tests in src"),
            (false, 0) if has_library => {
                found("lacks test = false under [lib]: there are no tests in src");
            }
            _ => {}
        }
        if untested("[bin") != programs {
            found("lacks test = false under each [[bin]]");
        }
    }
    findings
}

fn package_name(folder: &str) -> String {
    if OWN_NAMES.contains(&folder) {
        folder.to_owned()
    } else {
        format!("{PREFIX}-{}", folder.replace('/', "-"))
    }
}

struct Entry<'a> {
    table: &'a str,
    key: &'a str,
    value: &'a str,
    line: usize,
}

/// The lines `key = value` of a manifest, with their tables. Of a value over several lines it has the first.
fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut table = "";
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix('[') {
            table = name.trim_end_matches(']');
        } else if let Some((key, value)) = line.split_once(" = ")
            && !line.starts_with([' ', '#'])
        {
            entries.push(Entry {
                table,
                key,
                value,
                line: index + 1,
            });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"dragontooth-service-store\"\n\
        version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
        license.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n\n\
        [dependencies]\nsled.workspace = true\n\
        tokio = { workspace = true, features = [\"sync\"] }\n";

    fn messages(path: &str, text: &str) -> Vec<String> {
        let file = File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&file)
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn lets_a_good_manifest_pass() {
        assert_eq!(messages("service/store/Cargo.toml", GOOD), [""; 0]);
        assert_eq!(messages("Cargo.toml", "[workspace]\n"), [""; 0]);
    }

    #[test]
    fn wants_the_name_of_the_folder() {
        let found = messages("service/log/Cargo.toml", GOOD);
        assert_eq!(
            found,
            ["lacks name = \"dragontooth-service-log\", which follows from its folder"]
        );
    }

    #[test]
    fn wants_the_lints_of_the_workspace() {
        let text = GOOD.replace("[lints]\nworkspace = true\n", "");
        let found = messages("service/store/Cargo.toml", &text);
        assert_eq!(found, ["lacks workspace = true under [lints]"]);
    }

    #[test]
    fn wants_versions_of_the_workspace() {
        let text = GOOD.replace("sled.workspace = true", "sled = \"0.34\"");
        let found = messages("service/store/Cargo.toml", &text);
        assert_eq!(found, ["sled does not take its version from the workspace"]);
        let text = GOOD.replace("edition.workspace = true", "edition = \"2021\"");
        let found = messages("service/store/Cargo.toml", &text);
        assert_eq!(found, ["lacks edition.workspace = true under [package]"]);
    }

    #[test]
    fn wants_tests_built_where_there_are_any() {
        let found = |manifest: &str, library: &str, program: &str| -> Vec<String> {
            let tree = Tree::of(&[
                ("a/Cargo.toml", manifest),
                ("a/src/lib.rs", library),
                ("a/src/main.rs", program),
            ]);
            let findings = check_tests(&tree).into_iter();
            findings.map(|finding| finding.message).collect()
        };
        let (tested, plain) = ("#[cfg(test)]\nmod tests {}\n", "fn main() {}\n");
        let program = "[[bin]]\ntest = false\n";
        let both = "[lib]\ntest = false\n[[bin]]\ntest = false\n";
        assert_eq!(found(both, plain, plain), [""; 0]);
        assert_eq!(found(program, tested, plain), [""; 0]);
        assert_eq!(
            found(program, plain, plain),
            ["lacks test = false under [lib]: there are no tests in src"]
        );
        assert_eq!(
            found(both, tested, plain),
            ["test = false under [lib], and there are tests in src"]
        );
        assert_eq!(
            found("", tested, plain),
            ["lacks test = false under each [[bin]]"]
        );
        assert_eq!(
            found(both, plain, tested),
            ["tests in a program are not built: move them to the library"]
        );
    }
}
