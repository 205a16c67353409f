//! No noun twice: a public type's name is declared in one crate only.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::Modules;
use crate::{Finding, Package, Tree};

/// Crates about the workspace itself, whose public names are for their own tests and targets.
const TOOLS: &[&str] = &["dragontooth-fuzz", "xtask"];

/// Finds the names of public types that two crates of the workspace declare. Within a crate, modules may
/// share names, as the games do.
#[must_use]
pub fn check_nouns(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        if TOOLS.contains(&package.name.as_str()) {
            continue;
        }
        let modules = Modules::read(tree, &format!("{}/src/", package.folder));
        for (module, noun) in modules.types() {
            let place = match module.as_slice() {
                [] => package.name.clone(),
                path => format!("{} ({})", package.name, path.join("::")),
            };
            declared.entry(noun.to_owned()).or_default().insert(place);
        }
    }
    let crates = |places: &BTreeSet<String>| -> usize {
        let names = places.iter().filter_map(|place| place.split(' ').next());
        names.collect::<BTreeSet<_>>().len()
    };
    let twice = declared.iter().filter(|(_, places)| crates(places) > 1);
    twice
        .map(|(noun, places)| {
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            let message = format!(
                "is declared in {}: share one type, or give the narrower one a longer name",
                places.join(" and ")
            );
            Finding::whole(noun, "noun", message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the nouns that are declared twice in the packages `a`, `b` and `xtask`.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let packages = ["a", "b", "xtask"].map(|name| Package {
            name: name.to_owned(),
            folder: name.to_owned(),
            ..Package::default()
        });
        let findings = check_nouns(&Tree::of(files), &packages);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sees_a_noun_in_two_crates() {
        let twice = found(&[
            ("a/src/lib.rs", "mod score;\npub use score::Score;\n"),
            ("a/src/score.rs", "pub struct Score(u32);\n"),
            (
                "b/src/lib.rs",
                "pub enum Score { Won }\npub trait Clock {}\n",
            ),
        ]);
        assert_eq!(
            twice,
            [
                "Score: is declared in a (score) and b: share one type, or give the narrower one a \
                 longer name [noun]"
            ]
        );
    }

    #[test]
    fn sees_every_kind_of_type() {
        let twice = found(&[
            (
                "a/src/lib.rs",
                "pub struct A;\npub enum B {}\npub trait C {}\npub type D = u8;\npub union E {}\n",
            ),
            (
                "b/src/lib.rs",
                "pub struct D;\npub struct C;\npub struct B;\npub struct A;\npub struct E;\n",
            ),
        ]);
        let nouns: Vec<&str> = twice.iter().map(|line| &line[..1]).collect();
        assert_eq!(nouns, ["A", "B", "C", "D", "E"]);
    }

    #[test]
    fn sees_a_noun_in_a_module_between_braces() {
        let twice = found(&[
            ("a/src/lib.rs", "pub mod inner {\n    pub struct A;\n}\n"),
            ("b/src/lib.rs", "pub struct A;\n"),
        ]);
        assert_eq!(twice.len(), 1, "{twice:?}");
    }

    #[test]
    fn lets_modules_of_one_crate_share_a_noun() {
        let none = found(&[
            ("a/src/lib.rs", "pub mod go;\npub mod chess;\n"),
            ("a/src/go.rs", "pub struct Position;\n"),
            ("a/src/chess.rs", "pub struct Position;\n"),
        ]);
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn lets_names_pass_that_no_other_crate_sees() {
        let none = found(&[
            ("a/src/lib.rs", "pub struct A;\npub struct B;\n"),
            (
                "b/src/lib.rs",
                "struct A;\npub(crate) struct B;\npub fn a(_: A) {}\n// pub struct A;\n",
            ),
        ]);
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn lets_tests_programs_and_tools_declare_anything() {
        let none = found(&[
            ("a/src/lib.rs", "pub struct A;\n#[cfg(test)]\nmod tests;\n"),
            ("a/src/tests.rs", "pub struct B;\n"),
            (
                "b/src/lib.rs",
                "pub struct B;\n#[cfg(test)]\nmod tests {\n    pub struct A;\n}\n",
            ),
            ("b/src/main.rs", "pub struct A;\n"),
            ("b/tests/it.rs", "pub struct A;\n"),
            ("xtask/src/lib.rs", "pub struct A;\npub struct B;\n"),
        ]);
        assert_eq!(none, [""; 0]);
    }
}
