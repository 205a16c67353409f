//! The settings in docs/operations.md are those of the table.

use std::fmt::Write;

use super::table::SETTINGS;
use super::values::Values;

const PAGE: &str = include_str!("../../../docs/operations.md");
const BEGIN: &str = "<!-- settings: begin -->\n";
const END: &str = "<!-- settings: end -->\n";

#[test]
fn the_documentation_has_every_setting() {
    let (_, rest) = PAGE.split_once(BEGIN).unwrap();
    let (written, _) = rest.split_once(END).unwrap();
    let table = table();
    assert_eq!(
        written, table,
        "the page should have this (settings):\n{table}"
    );
}

fn table() -> String {
    let mut text =
        "| key in the file | flag | values | default | effect |\n|---|---|---|---|---|\n"
            .to_owned();
    for setting in SETTINGS {
        let default = setting.kind.show(&mut Values::default());
        let default = default.map_or_else(|| "none".to_owned(), |value| format!("`{value}`"));
        let shared = setting
            .usual_variable
            .map_or_else(String::new, |name| format!(" Also `{name}`."));
        writeln!(
            text,
            "| `{}` | `--{}` | {} | {default} | {}{shared} |",
            setting.key,
            setting.flag,
            setting.kind.expects(),
            setting.doc,
        )
        .unwrap();
    }
    text
}
