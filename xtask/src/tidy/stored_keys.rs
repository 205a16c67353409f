//! The keys of what is kept: stored messages, the files of a run directory, and the service's settings. Each that ever was in a
//! release must stay, so that old data and old files can be read.

use std::collections::BTreeSet;

use crate::rust_text::{code_lines, has_token, without_comment};
use crate::{Finding, Tree};

/// The list of all keys. A change of the code that takes one away breaks old data.
const LIST: &str = "xtask/stored_keys.txt";

/// The folder of the stored messages.
const STORED: &str = "proto/dragontooth/store/";

/// The code of the files of a run directory: a folder, and the file with what the reports cover.
const RUN_FILES: &[&str] = &["runner/src/record/", "runner/src/reports/covered"];

/// The page with the table of the settings, which a test compares with the code.
const SETTINGS: &str = "docs/operations.md";
const SETTINGS_BEGIN: &str = "<!-- settings: begin -->";
const SETTINGS_END: &str = "<!-- settings: end -->";

/// The attributes of a type on which the form of its keys depends.
const FORMS: &[&str] = &["rename_all", "tag", "content", "untagged", "transparent"];

/// Compares the keys in the code with the list.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let list = tree.text(LIST).unwrap_or_default();
    let keys = keys(tree);
    let listed = list.lines().enumerate();
    let listed: Vec<(usize, &str)> = listed
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let gone = listed.iter().filter(|(_, line)| !keys.contains(*line));
    let gone = gone.map(|(index, line)| {
        let message =
            format!("{line:?} is gone or has changed: what has it cannot be read any more");
        Finding::at(LIST, index + 1, "stored-key", message)
    });
    let known: BTreeSet<&str> = listed.iter().map(|(_, line)| *line).collect();
    let new = keys.iter().filter(|key| !known.contains(key.as_str()));
    let new = new.map(|key| {
        let message =
            format!("a new key, which has to stay from its release on: add the line `{key}`");
        Finding::at(LIST, list.lines().count(), "stored-key", message)
    });
    gone.chain(new).collect()
}

fn keys(tree: &Tree) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for path in tree.paths(STORED, ".proto") {
        let fields = message_keys(tree.text(path).unwrap_or_default());
        keys.extend(fields.into_iter().map(|key| format!("store: {key}")));
    }
    let run_files = RUN_FILES.iter().flat_map(|begin| tree.paths(begin, ".rs"));
    for path in run_files {
        let fields = serde_keys(tree.text(path).unwrap_or_default());
        keys.extend(fields.into_iter().map(|key| format!("run: {key}")));
    }
    let settings = setting_keys(tree.text(SETTINGS).unwrap_or_default());
    keys.extend(settings.into_iter().map(|key| format!("settings: {key}")));
    keys
}

/// The fields and values of a protobuf file with their types and numbers: `Created.game: string = 2`.
fn message_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    // Of a message or an enum its name; of a `oneof`, whose fields are those of its message, nothing.
    let mut within: Vec<Option<&str>> = Vec::new();
    for line in text.lines() {
        let line = without_comment(line).trim();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("message" | "enum") => within.push(words.next()),
            Some("oneof") => within.push(None),
            Some("}") => drop(within.pop()),
            Some(_) if !within.is_empty() && line.ends_with(';') => {
                let Some((declared, number)) = line.split_once('=') else {
                    continue;
                };
                let number = number.split(|c: char| !c.is_ascii_digit() && c != ' ');
                let number = number.map(str::trim).next().unwrap_or_default();
                let names: Vec<&str> = within.iter().flatten().copied().collect();
                let (kind, name) = declared.trim().rsplit_once(' ').unwrap_or(("", declared));
                let kind = if kind.is_empty() {
                    String::new()
                } else {
                    format!(": {kind}")
                };
                let name = name.trim();
                keys.push(format!("{}.{name}{kind} = {number}", names.join(".")));
            }
            Some(_) | None => {}
        }
    }
    keys
}

/// The fields and variants of the types of a Rust file that serde reads or writes, as they are called in JSON before a form such
/// as `rename_all`, which is a line of its own.
fn serde_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut attributes = String::new();
    let mut lines = code_lines(text).map(|(_, line)| line);
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with("#[") || !attributes.is_empty() && !attributes.ends_with(']') {
            attributes.push_str(line);
            continue;
        }
        let is_of_serde = ["Serialize", "Deserialize"]
            .iter()
            .any(|word| has_token(&attributes, word));
        let attributes = std::mem::take(&mut attributes);
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let kind = words.find(|word| ["struct", "enum"].contains(word));
        let (Some(kind), Some(name), true) = (kind, words.next(), is_of_serde) else {
            continue;
        };
        for form in FORMS.iter().filter(|form| has_token(&attributes, form)) {
            let value =
                value_of(&attributes, form).map_or_else(String::new, |value| format!(" = {value}"));
            keys.push(format!("{name} ({form}{value})"));
        }
        if line.ends_with('{') {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            keys.extend(members(name, kind == "enum", &body));
        }
    }
    keys
}

/// The fields or variants in the body of a type.
fn members(name: &str, is_enum: bool, body: &[&str]) -> Vec<String> {
    let mut keys = Vec::new();
    let mut attributes = String::new();
    let mut variant: Option<String> = None;
    for line in body {
        let line = line.trim();
        if line.starts_with("#[") || !attributes.is_empty() && !attributes.ends_with(']') {
            attributes.push_str(line);
            continue;
        }
        let attributes = std::mem::take(&mut attributes);
        if line.starts_with('}') {
            variant = None;
            continue;
        }
        if line.is_empty() || has_token(&attributes, "skip") {
            continue;
        }
        let renamed = value_of(&attributes, "rename");
        if is_enum && variant.is_none() {
            let end = line.find(|c: char| !c.is_alphanumeric() && c != '_');
            let (own, rest) = line.split_at(end.unwrap_or(line.len()));
            let own = format!("{name}.{}", renamed.unwrap_or(own));
            keys.push(own.clone());
            match rest.trim().strip_prefix('{') {
                Some("") => variant = Some(own),
                Some(fields) => {
                    let fields = fields.trim_end_matches([',', '}', ' ']).split(',');
                    keys.extend(
                        fields
                            .filter_map(field)
                            .map(|field| format!("{own}.{field}")),
                    );
                }
                None => {}
            }
        } else if let Some(field) = field(line) {
            let owner = variant.as_deref().unwrap_or(name);
            keys.push(format!("{owner}.{}", renamed.unwrap_or(field)));
        }
    }
    keys
}

/// The name of a field that a line declares.
fn field(line: &str) -> Option<&str> {
    let (declared, _) = line.split_once(": ")?;
    declared.rsplit(' ').next()
}

/// The text that an attribute sets a key to.
fn value_of<'a>(attributes: &'a str, key: &str) -> Option<&'a str> {
    let begin = format!("{key} = \"");
    let at = attributes.find(&begin)? + begin.len();
    attributes[at..].split('"').next()
}

/// The keys of the settings with their flags.
fn setting_keys(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != SETTINGS_BEGIN);
    let lines = lines.take_while(|line| *line != SETTINGS_END);
    let keys = lines.filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('`');
        let (key, flag) = (cells.next()?, cells.nth(1)?);
        Some(format!("{key} {flag}"))
    });
    keys.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_messages() {
        let text = "syntax = \"proto3\";\n// A = 1;\nmessage A {\n  uint32 b = 1; // c = 2;\n  oneof d {\n    \
                    E e = 3 [deprecated = true];\n  }\n  message F {\n    repeated string g = 4;\n  }\n  \
                    reserved 7;\n}\nenum H {\n  H_UNKNOWN = 0;\n}\n";
        let expected = [
            "A.b: uint32 = 1",
            "A.e: E = 3",
            "A.F.g: repeated string = 4",
            "H.H_UNKNOWN = 0",
        ];
        assert_eq!(message_keys(text), expected);
    }

    #[test]
    fn reads_what_serde_does() {
        let text = "#[derive(Debug)]\nstruct Other {\n    a: u32,\n}\n\n#[derive(Debug, Serialize)]\n\
                    #[serde(tag = \"kind\", rename_all = \"snake_case\")]\npub(super) enum Line {\n    One,\n    \
                    #[serde(rename = \"zwei\")]\n    Two(u32),\n    Three { a: u64, b: u64 },\n    Four {\n        \
                    #[serde(\n            default,\n            skip_serializing_if = \"Option::is_none\"\n        )]\n        \
                    c: Option<u32>,\n    },\n}\n\n#[derive(Deserialize)]\nstruct Five<T> {\n    pub(super) d: T,\n    \
                    #[serde(skip)]\n    e: u32,\n    #[serde(rename = \"g\")]\n    f: BTreeMap<String, u32>,\n}\n\
                    #[derive(Serialize)]\n#[serde(transparent)]\nstruct Six(f64);\n#[cfg(test)]\nmod tests {}\n";
        let expected = [
            "Line (rename_all = snake_case)",
            "Line (tag = kind)",
            "Line.One",
            "Line.zwei",
            "Line.Three",
            "Line.Three.a",
            "Line.Three.b",
            "Line.Four",
            "Line.Four.c",
            "Five.d",
            "Five.g",
            "Six (transparent)",
        ];
        assert_eq!(serde_keys(text), expected);
    }

    #[test]
    fn names_what_is_gone_and_what_is_new() {
        let code = "#[derive(Serialize)]\nstruct Line {\n    a: u32,\n    b: u32,\n}\n";
        let page = "<!-- settings: begin -->\n| key | flag |\n|---|---|\n| `data` | `--data` | x |\n\
                    <!-- settings: end -->\n| `no` | `--no` |\n";
        let list = "# Keys.\nrun: Line.a\nrun: Line.c\nsettings: data --data\n";
        let tree = Tree::of(&[
            ("runner/src/record/line.rs", code),
            (SETTINGS, page),
            (LIST, list),
        ]);
        let found: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("\"run: Line.c\" is gone"), "{found:?}");
        assert!(found[1].contains("add the line `run: Line.b`"), "{found:?}");
    }
}
