//! No crate declares a dependency that it does not name.

use super::kind::extension;
use crate::rust_text::tokens;
use crate::{File, Finding, Package, Tree};

/// The code of a package in its folder. Other folders there may be other packages.
const CODE: &[&str] = &["src/", "tests/", "benches/", "examples/", "build.rs"];

pub(super) fn check(tree: &Tree, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let files = tree.files.iter().filter(|file| belongs(file, package));
        let texts: Vec<&str> = files.map(|file| file.text.as_str()).collect();
        for name in package.dependencies.iter().chain(&package.dev_dependencies) {
            let own = &*name.replace('-', "_");
            let mut texts = texts.iter().filter(|text| text.contains(own));
            let is_named = texts.any(|text| tokens(text).contains(&own));
            if !is_named && !package.unnamed.contains(name) {
                let message = format!(
                    "never names {name}: take it out, or give the reason beside \
                     package.metadata.cargo-machete.ignored"
                );
                findings.push(Finding::whole(&package.name, "unused", message));
            }
        }
    }
    findings
}

fn belongs(file: &File, package: &Package) -> bool {
    let inside = file
        .path
        .strip_prefix(&package.folder)
        .and_then(|path| path.strip_prefix('/'));
    extension(&file.path) == "rs"
        && inside.is_some_and(|path| CODE.iter().any(|part| path.starts_with(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(text: &str, unnamed: &[&str]) -> usize {
        let package = Package {
            name: "a".to_owned(),
            folder: "a".to_owned(),
            dependencies: vec!["tokio-stream".to_owned()],
            unnamed: unnamed.iter().map(|&name| name.to_owned()).collect(),
            ..Package::default()
        };
        let nested = "use tokio_stream::StreamExt;\n";
        check(
            &Tree::of(&[("a/src/b.rs", text), ("a/b/src/lib.rs", nested)]),
            &[package],
        )
        .len()
    }

    #[test]
    fn sees_a_dependency_that_nothing_names() {
        assert_eq!(unused("use tokio_stream::StreamExt;\n", &[]), 0);
        assert_eq!(unused("// tokio_stream\n", &[]), 1);
        assert_eq!(unused("", &["tokio-stream"]), 0);
    }
}
