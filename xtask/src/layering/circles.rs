//! No circle between the files and folders of a crate: of two modules beside each other, at most one
//! names the other, over any number of steps.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{ModulePath, Modules};
use crate::{Finding, Package, Tree};

/// Finds the circles in the crates of the workspace.
#[must_use]
pub fn check_circles(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let source = format!("{}/src/", package.folder);
        let modules = Modules::read(tree, &source);
        let edges = modules.edges();
        for (parent, children) in modules.children() {
            for circle in circles(&parent, &children, &edges) {
                let message = format!("a circle of modules: {circle}");
                findings.push(Finding::whole(&package.name, "circle", message));
            }
        }
    }
    findings
}

/// The circles between the children of a module, each described by the names that close it.
fn circles(
    parent: &[String],
    children: &BTreeSet<String>,
    edges: &BTreeSet<(ModulePath, ModulePath)>,
) -> Vec<String> {
    let child = |path: &ModulePath| -> Option<String> {
        let inside = path.strip_prefix(parent)?.first()?;
        children.contains(inside).then(|| inside.clone())
    };
    let mut named: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (from, to) in edges {
        if let (Some(a), Some(b)) = (child(from), child(to))
            && a != b
        {
            let example = format!("{} names {}", from.join("::"), to.join("::"));
            named.entry(a).or_default().entry(b).or_insert(example);
        }
    }
    let mut found = Vec::new();
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    for start in named.keys() {
        let Some(way) = way_back(start, &named).filter(|_| !seen.contains(start)) else {
            continue;
        };
        let steps: Vec<&str> = way
            .iter()
            .map(|(from, to)| named[from][to].as_str())
            .collect();
        let others = reached(start, &named);
        let with: Vec<&String> = others
            .iter()
            .filter(|other| reached(other, &named).contains(start))
            .copied()
            .collect();
        found.push(steps.join(", "));
        seen.extend(with);
    }
    found
}

/// The modules that `start` names over any number of steps.
fn reached<'a>(
    start: &'a String,
    named: &'a BTreeMap<String, BTreeMap<String, String>>,
) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(from) = open.pop() {
        for to in named.get(from).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// The shortest way from `start` back to it, as steps.
fn way_back(
    start: &String,
    named: &BTreeMap<String, BTreeMap<String, String>>,
) -> Option<Vec<(String, String)>> {
    let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
    let mut front = vec![start];
    while !front.is_empty() {
        let mut next = Vec::new();
        for from in front {
            for to in named.get(from).into_iter().flat_map(BTreeMap::keys) {
                if came_from.contains_key(to) {
                    continue;
                }
                came_from.insert(to, from);
                if to == start {
                    let mut steps = vec![(from.clone(), to.clone())];
                    let mut at = from;
                    while at != start {
                        steps.push((came_from[at].clone(), at.clone()));
                        at = came_from[at];
                    }
                    steps.reverse();
                    return Some(steps);
                }
                next.push(to);
            }
        }
        front = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let package = Package {
            name: "p".to_owned(),
            folder: "p".to_owned(),
            ..Package::default()
        };
        let findings = check_circles(&Tree::of(files), &[package]);
        findings.into_iter().map(|found| found.message).collect()
    }

    const LIB: (&str, &str) = ("p/src/lib.rs", "mod a;\nmod b;\npub use a::A;\n");

    #[test]
    fn sees_a_circle_between_files() {
        let circle = found(&[
            LIB,
            ("p/src/a.rs", "use crate::b::B;\npub struct A(B);\n"),
            ("p/src/b.rs", "pub struct B;\nfn f(_: &super::a::A) {}\n"),
        ]);
        assert_eq!(circle, ["a circle of modules: a names b, b names a"]);
    }

    #[test]
    fn reads_raw_identifiers_in_a_list() {
        let circle = found(&[
            LIB,
            ("p/src/a.rs", "use crate::{r#b::B};\npub struct A(B);\n"),
            ("p/src/b.rs", "pub struct B;\nfn f(_: &super::a::A) {}\n"),
        ]);
        assert_eq!(circle, ["a circle of modules: a names b, b names a"]);
    }

    #[test]
    fn sees_a_circle_between_folders() {
        let circle = found(&[
            LIB,
            ("p/src/a.rs", "mod c;\nmod d;\npub use c::A;\n"),
            (
                "p/src/a/c.rs",
                "use crate::{b::{B, Other}, Something as S};\n",
            ),
            ("p/src/a/d.rs", "pub struct D;\n"),
            ("p/src/b.rs", "use crate::A;\n"),
        ]);
        assert_eq!(circle, ["a circle of modules: a::c names b, b names a::c"]);
    }

    #[test]
    fn lets_one_direction_and_re_exports_pass() {
        let none = found(&[
            LIB,
            ("p/src/a.rs", "mod c;\npub use c::C;\nuse super::b::B;\n"),
            ("p/src/a/c.rs", "use super::super::b;\npub struct C;\n"),
            (
                "p/src/b.rs",
                "use std::fmt;\n// crate::a\nconst T: &str = \"crate::a\";\n",
            ),
        ]);
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn lets_tests_name_anything() {
        let none = found(&[
            LIB,
            (
                "p/src/a.rs",
                "use crate::b::B;\n#[cfg(test)]\nmod tests {\n use crate::b;\n}\n",
            ),
            (
                "p/src/b.rs",
                "#[cfg(test)]\nmod tests {\n    use crate::A;\n}\n#[cfg(test)]\nmod c;\n",
            ),
            ("p/src/b/c.rs", "use crate::A;\n"),
        ]);
        assert_eq!(none, [""; 0]);
    }
}
