//! Bills of materials of the programs, in the form of `CycloneDX`.
//!
//! `cargo-cyclonedx` writes them as well, but the registry has only its source: compiling its 119 crates takes 145 seconds
//! of processor time, a sixth of all checks together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::exec::dependency_tree;

/// The fields of each crate in the tree of a package.
const FIELDS: &str = "|{p}|{l}|{r}|";

/// The bill of materials of a package of the workspace at `root`: every crate that is in its program on this
/// platform, with its licence, the checksum of its source, and its dependencies. The same sources give the
/// same bill.
///
/// # Errors
///
/// Cargo fails, or there is no such package.
pub fn bill_of_materials(root: &Path, package: &str) -> Result<String> {
    let tree = dependency_tree(root, package, FIELDS)?;
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let tree = Tree::parse(&tree)?;
    let bill = tree.bill(&checksums(&lock))?;
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// A crate by its name and version.
type Id = (String, String);

/// The crates of a program.
#[derive(Debug, Default)]
struct Tree {
    root: Option<Id>,
    /// Licence and repository of each crate.
    crates: BTreeMap<Id, (String, String)>,
    /// The direct dependencies of each crate.
    needs: BTreeMap<Id, BTreeSet<Id>>,
}

impl Tree {
    /// Reads the lines of `cargo tree`, which lists the dependencies of a crate once.
    fn parse(text: &str) -> Result<Self> {
        let mut tree = Self::default();
        let mut way: Vec<Id> = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('|').collect();
            let [depth, name, licence, repository, _] = fields[..] else {
                anyhow::bail!("not a line of a tree: {line:?}");
            };
            let mut words = name.split(' ');
            let (name, version) = (words.next(), words.next());
            let version = version.and_then(|version| version.strip_prefix('v'));
            let (name, version) = name
                .zip(version)
                .with_context(|| format!("no version: {line:?}"))?;
            let id = (name.to_owned(), version.to_owned());
            way.truncate(depth.parse()?);
            match way.last() {
                Some(parent) => {
                    tree.needs
                        .entry(parent.clone())
                        .or_default()
                        .insert(id.clone());
                }
                None => tree.root = Some(id.clone()),
            }
            tree.crates
                .insert(id.clone(), (licence.to_owned(), repository.to_owned()));
            way.push(id);
        }
        Ok(tree)
    }

    fn bill(&self, checksums: &BTreeMap<Id, &str>) -> Result<Value> {
        let root = self.root.as_ref().context("the tree is empty")?;
        let components = self.crates.iter().filter(|(id, _)| *id != root);
        let components: Vec<Value> = components
            .map(|(id, about)| component(id, about, checksums.get(id).copied(), "library"))
            .collect();
        let dependencies: Vec<Value> = self
            .crates
            .keys()
            .map(|id| {
                let needs = self.needs.get(id).into_iter().flatten();
                json!({"ref": reference(id), "dependsOn": needs.map(reference).collect::<Vec<_>>()})
            })
            .collect();
        Ok(json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {"component": component(root, &self.crates[root], None, "application")},
            "components": components,
            "dependencies": dependencies,
        }))
    }
}

fn component(id: &Id, about: &(String, String), checksum: Option<&str>, kind: &str) -> Value {
    let ((name, version), (licence, repository)) = (id, about);
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(id),
        "name": name,
        "version": version,
    });
    if !licence.is_empty() {
        // An older way to write a choice.
        let expression = licence.replace('/', " OR ");
        component["licenses"] = json!([{"expression": expression}]);
    }
    if let Some(checksum) = checksum {
        // The crate comes from the registry, where this checksum is that of its archive.
        component["purl"] = json!(reference(id));
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
        if !repository.is_empty() {
            component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
        }
    }
    component
}

fn reference((name, version): &Id) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// The checksums in `Cargo.lock` of the crates that are not in this repository.
fn checksums(lock: &str) -> BTreeMap<Id, &str> {
    let packages = lock.split("[[package]]").filter_map(|package| {
        let value = |key: &str| {
            let mut lines = package.lines();
            let text = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            text?.strip_suffix('"')
        };
        let id = (value("name")?.to_owned(), value("version")?.to_owned());
        Some((id, value("checksum")?))
    });
    packages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
0|app v0.1.0 (/x/app)|Apache-2.0||
1|a v1.0.0|MIT/Apache-2.0|https://example.org/a|
2|b v2.0.0+meta|MIT||
1|b v2.0.0+meta|MIT|| (*)
";

    const LOCK: &str = "\
[[package]]
name = \"a\"
version = \"1.0.0\"
checksum = \"00ff\"

[[package]]
name = \"app\"
version = \"0.1.0\"
";

    #[test]
    fn lists_the_crates_of_a_program() {
        let bill = Tree::parse(TREE).unwrap().bill(&checksums(LOCK)).unwrap();
        assert_eq!(bill["metadata"]["component"]["name"], "app");
        let names: Vec<&Value> = bill["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| &each["name"])
            .collect();
        assert_eq!(names, ["a", "b"]);
        let a = &bill["components"][0];
        assert_eq!(a["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(a["hashes"][0]["content"], "00ff");
        assert_eq!(a["externalReferences"][0]["url"], "https://example.org/a");
        assert_eq!(bill["components"][1]["hashes"], Value::Null);
        let needs = json!({"ref": "pkg:cargo/app@0.1.0", "dependsOn": ["pkg:cargo/a@1.0.0", "pkg:cargo/b@2.0.0%2Bmeta"]});
        assert_eq!(bill["dependencies"][1], needs);
    }

    #[test]
    fn refuses_another_form() {
        Tree::parse("0|app v0.1.0|MIT|\n").unwrap_err();
        Tree::parse("0|app|MIT||\n").unwrap_err();
        Tree::default().bill(&BTreeMap::new()).unwrap_err();
    }
}
