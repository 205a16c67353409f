use std::path::Path;

use anyhow::Result;

use crate::exec::dependency_tree;

/// The dependencies that one crate needs at run time, with the features that it enables itself. Those of
/// builds, tests and procedural macros are not among them.
///
/// `cargo metadata` does not list this: its features are those of the whole workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs(Vec<Need>);

/// A line of the tree of dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Need {
    /// The steps from the crate, 0 for itself.
    depth: usize,
    name: String,
    features: Vec<String>,
}

impl Needs {
    /// Asks Cargo what `package` of the workspace at `root` needs.
    ///
    /// # Errors
    ///
    /// Cargo fails.
    pub fn load(root: &Path, package: &str) -> Result<Self> {
        Self::parse(&dependency_tree(root, package, "|{p}|{f}|")?)
    }

    /// Reads the lines `depth|name version|features with commas|` of a tree in which a crate that
    /// comes again is without what it needs.
    ///
    /// # Errors
    ///
    /// A line is different.
    pub fn parse(text: &str) -> Result<Self> {
        let needs = text.lines().map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            let [depth, package, features, _] = fields[..] else {
                anyhow::bail!("not a line of a tree: {line:?}");
            };
            Ok(Need {
                depth: depth.parse()?,
                name: package.split(' ').next().unwrap_or_default().to_owned(),
                features: features.split(',').map(str::to_owned).collect(),
            })
        });
        Ok(Self(needs.collect::<Result<_>>()?))
    }

    /// A way to the crate `name`, both ends included.
    #[must_use]
    pub fn way_to(&self, name: &str) -> Option<Vec<&str>> {
        self.way(|need| need.depth > 0 && need.name == name)
    }

    /// A way to the crate `name` with its feature `feature`, both ends included.
    #[must_use]
    pub fn way_to_feature(&self, name: &str, feature: &str) -> Option<Vec<&str>> {
        self.way(|need| need.name == name && need.features.iter().any(|one| one == feature))
    }

    fn way(&self, is_end: impl Fn(&Need) -> bool) -> Option<Vec<&str>> {
        let mut way: Vec<&str> = Vec::new();
        for need in &self.0 {
            way.truncate(need.depth);
            way.push(&need.name);
            if is_end(need) {
                return Some(way);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "0|core v1.0.0 (/x/core)||\n1|a v1.0.0|std|\n2|b v2.0.0||\n1|c v1.0.0||\n\
                        2|net v1.0.0|default,io|\n1|a v1.0.0|std| (*)\n";

    #[test]
    fn finds_the_way() {
        let needs = Needs::parse(TREE).unwrap();
        assert_eq!(needs.way_to("net").unwrap(), ["core", "c", "net"]);
        assert_eq!(needs.way_to("b").unwrap(), ["core", "a", "b"]);
        assert_eq!(needs.way_to("core"), None);
        assert_eq!(needs.way_to("d"), None);
    }

    #[test]
    fn finds_the_way_to_a_feature() {
        let needs = Needs::parse(TREE).unwrap();
        assert_eq!(
            needs.way_to_feature("net", "io").unwrap(),
            ["core", "c", "net"]
        );
        assert_eq!(needs.way_to_feature("net", "i"), None);
        assert_eq!(needs.way_to_feature("a", "io"), None);
    }

    #[test]
    fn refuses_another_form() {
        assert!(Needs::parse("core v1.0.0\n").is_err());
        assert!(Needs::parse("x|core v1.0.0||\n").is_err());
    }
}
