use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

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

/// What Cargo knows about the workspace.
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
    /// What it depends on to be built and to run: the names, sorted.
    pub dependencies: Vec<String>,
    /// What its tests and benches depend on besides: the names, sorted.
    pub dev_dependencies: Vec<String>,
    /// Dependencies that it declares without naming them in its own code, each for a reason that
    /// stands in its manifest: `package.metadata.cargo-machete.ignored`.
    pub unnamed: Vec<String>,
}

impl Workspace {
    /// Asks Cargo about the workspace at `root`.
    ///
    /// # Errors
    ///
    /// Cargo cannot tell.
    pub fn load(root: &Path) -> Result<Self> {
        let metadata: Metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .no_deps()
            .exec()
            .context("cargo metadata")?;
        let mut packages: Vec<Package> = metadata
            .workspace_packages()
            .into_iter()
            .map(|package| read(package, metadata.workspace_root.as_std_path()))
            .collect::<Result<_>>()?;
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            target: metadata.target_directory.into_std_path_buf(),
            packages,
        })
    }
}

fn read(package: &cargo_metadata::Package, root: &Path) -> Result<Package> {
    let folder = package
        .manifest_path
        .parent()
        .context("a manifest is in a folder")?;
    let folder = folder.strip_prefix(root.to_str().context("the path is no UTF-8")?)?;
    let of_kinds = |kinds: &[DependencyKind]| -> Vec<String> {
        let names: BTreeSet<_> = package
            .dependencies
            .iter()
            .filter(|dependency| kinds.contains(&dependency.kind))
            .map(|dependency| {
                dependency
                    .rename
                    .as_ref()
                    .unwrap_or(&dependency.name)
                    .clone()
            })
            .collect();
        names.into_iter().collect()
    };
    let unnamed = package.metadata["cargo-machete"]["ignored"].as_array();
    Ok(Package {
        name: package.name.to_string(),
        folder: folder.as_str().replace('\\', "/"),
        dependencies: of_kinds(&[DependencyKind::Normal, DependencyKind::Build]),
        dev_dependencies: of_kinds(&[DependencyKind::Development]),
        unnamed: unnamed
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
    })
}
