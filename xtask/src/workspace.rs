use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::exec::{cargo_path, command};

/// The folder that holds the workspace.
///
/// # Panics
///
/// If this program was built outside the workspace.
#[must_use]
pub fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this package is a folder of the workspace")
        .to_owned()
}

/// The workspace as Cargo describes it.
#[derive(Debug)]
pub struct Workspace {
    /// The folder that Cargo builds into.
    pub target: PathBuf,
    /// The packages of the workspace, by name.
    pub packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the repository, without a final slash.
    pub folder: String,
    /// The names of its normal and build dependencies, sorted.
    pub dependencies: Vec<String>,
    /// The names of the dependencies of its tests and benches, sorted.
    pub dev_dependencies: Vec<String>,
    /// Dependencies that it declares and its code does not name. The manifest gives the reasons, at
    /// `package.metadata.cargo-machete.ignored`.
    pub unnamed: Vec<String>,
}

impl Workspace {
    /// Asks Cargo about the workspace at `root`.
    ///
    /// # Errors
    ///
    /// Cargo fails, or its answer has another form.
    pub fn load(root: &Path) -> Result<Self> {
        let output = command(cargo_path(), root)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .context("cargo metadata")?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo metadata: {error}");
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let packages = metadata["packages"].as_array().context("no packages")?;
        let root = Path::new(text(&metadata, "workspace_root")?);
        let mut packages: Vec<Package> = packages
            .iter()
            .map(|package| read(package, root))
            .collect::<Result<_>>()?;
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            target: PathBuf::from(text(&metadata, "target_directory")?),
            packages,
        })
    }
}

/// Reads a package as `cargo metadata` describes it.
fn read(package: &Value, root: &Path) -> Result<Package> {
    let manifest = Path::new(text(package, "manifest_path")?);
    let folder = manifest.parent().context("a manifest is in a folder")?;
    let folder = folder.strip_prefix(root)?;
    let folder = folder.to_str().context("the path is not UTF-8")?;
    let declared = package["dependencies"].as_array();
    let of_kinds = |kinds: &[Option<&str>]| -> Vec<String> {
        let names: BTreeSet<&str> = declared
            .into_iter()
            .flatten()
            .filter(|dependency| kinds.contains(&dependency["kind"].as_str()))
            .filter_map(|dependency| {
                let rename = dependency["rename"].as_str();
                rename.or_else(|| dependency["name"].as_str())
            })
            .collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let unnamed = package["metadata"]["cargo-machete"]["ignored"].as_array();
    Ok(Package {
        name: text(package, "name")?.to_owned(),
        folder: folder.replace('\\', "/"),
        dependencies: of_kinds(&[None, Some("build")]),
        dev_dependencies: of_kinds(&[Some("dev")]),
        unnamed: unnamed
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
    })
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    let text = value[key].as_str();
    text.with_context(|| format!("cargo metadata has no {key}"))
}
