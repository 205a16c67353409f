use std::path::Path;

use anyhow::Result;

use super::{LAYERS, Layer, Needs, check_circles, check_nouns};
use crate::{Finding, Package, Tree, Workspace};

/// The crate of errors without a type, and the only crate that may use it.
const ANYHOW: &str = "anyhow";
const ANYHOW_USER: &str = "xtask";

/// Checks the workspace at `root` against [`LAYERS`].
///
/// # Errors
///
/// Cargo fails to list the dependencies.
pub fn check_repository(root: &Path) -> Result<Vec<Finding>> {
    let packages = Workspace::load(root)?.packages;
    let mut findings = check_direct(&packages, LAYERS);
    let tree = Tree::load(root)?;
    findings.extend(check_circles(&tree, &packages));
    findings.extend(check_nouns(&tree, &packages));
    for layer in LAYERS.iter().filter(|layer| layer.keeps_away()) {
        if packages.iter().any(|package| package.name == layer.name) {
            findings.extend(check_reach(&Needs::load(root, layer.name)?, layer));
        }
    }
    Ok(findings)
}

/// Checks what each crate names in its manifest.
#[must_use]
pub fn check_direct(packages: &[Package], layers: &[Layer]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for layer in layers {
        if !packages.iter().any(|package| package.name == layer.name) {
            findings.push(Finding::whole(
                layer.name,
                "layer",
                "is in the table of arrows but not in the workspace",
            ));
        }
    }
    let ours = |name: &&String| packages.iter().any(|package| package.name == **name);
    for package in packages {
        let Some(layer) = layers.iter().find(|layer| layer.name == package.name) else {
            findings.push(Finding::whole(
                &package.name,
                "layer",
                "has no line in the table of arrows: say there what it may use",
            ));
            continue;
        };
        if package.name != ANYHOW_USER && package.dependencies.iter().any(|name| name == ANYHOW) {
            let message = "must not depend on anyhow: errors that callers meet are typed";
            findings.push(Finding::whole(&package.name, "arrow", message));
        }
        for name in package.dependencies.iter().filter(ours) {
            if !layer.may_use.contains(&name.as_str()) {
                let message = format!("must not depend on {name}; it may use {}", list(layer));
                findings.push(Finding::whole(&package.name, "arrow", message));
            }
        }
    }
    findings
}

/// Checks what a crate reaches over any number of normal dependencies.
#[must_use]
pub fn check_reach(needs: &Needs, layer: &Layer) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = |rule, what: &str, way: &[&str]| {
        let message = format!("must never reach {what}, and does: {}", way.join(" -> "));
        findings.push(Finding::whole(layer.name, rule, message));
    };
    for name in layer.never {
        if let Some(way) = needs.way_to(name) {
            found("reach", name, &way);
        }
    }
    for (name, feature) in layer.never_features {
        if let Some(way) = needs.way_to_feature(name, feature) {
            found("feature", &format!("the feature {feature} of {name}"), &way);
        }
    }
    findings
}

fn list(layer: &Layer) -> String {
    if layer.may_use.is_empty() {
        "none of the workspace".to_owned()
    } else {
        layer.may_use.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: Layer = Layer {
        name: "core",
        may_use: &[],
        never: &["tokio"],
        never_features: &[("net", "io")],
    };
    const SHELL: Layer = Layer {
        name: "shell",
        may_use: &["core"],
        never: &[],
        never_features: &[],
    };

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            ..Package::default()
        }
    }

    #[test]
    fn lets_the_arrows_pass() {
        let packages = [
            package("core", &["thiserror"]),
            package("shell", &["core", "tokio"]),
        ];
        assert_eq!(check_direct(&packages, &[CORE, SHELL]), []);
    }

    #[test]
    fn sees_an_arrow_against_the_table() {
        let packages = [package("core", &["shell"]), package("shell", &[])];
        let findings = check_direct(&packages, &[CORE, SHELL]);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].to_string(),
            "core: must not depend on shell; it may use none of the workspace [arrow]"
        );
    }

    #[test]
    fn wants_a_line_for_each_crate_and_a_crate_for_each_line() {
        let findings = check_direct(&[package("core", &[]), package("new", &[])], &[CORE, SHELL]);
        let places: Vec<_> = findings
            .iter()
            .map(|finding| finding.place.as_str())
            .collect();
        assert_eq!(places, ["shell", "new"]);
    }

    #[test]
    fn names_the_way_to_what_must_not_be_reached() {
        let needs = Needs::parse("0|core v1||\n1|a v1||\n2|tokio v1||\n").unwrap();
        let findings = check_reach(&needs, &CORE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].message,
            "must never reach tokio, and does: core -> a -> tokio"
        );
        assert_eq!(check_reach(&needs, &SHELL), []);
    }

    #[test]
    fn names_the_way_to_a_feature_that_must_not_be_reached() {
        let needs = Needs::parse("0|core v1||\n1|net v1|default,io|\n").unwrap();
        let findings = check_reach(&needs, &CORE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].message,
            "must never reach the feature io of net, and does: core -> net"
        );
    }
}
