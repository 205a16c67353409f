use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{Context, empty_folder};

/// The folder of the Python package.
pub(crate) const PYTHON_PACKAGE: &str = "bots/python/";

/// The package with the packages that its checks need.
const REQUIREMENT: &str = "./bots/python[dev]";

/// The lists of other packages in its manifest: to build it, to use it, to check it.
const LISTS: &[&str] = &["requires", "dependencies", "dev"];

/// Brings the package as it is now into a virtual environment and returns its folder.
///
/// # Errors
///
/// [`super::Missing`] if Python is missing or other packages cannot be fetched; or ours cannot be installed.
pub(crate) fn python_package(context: &Context) -> Result<PathBuf> {
    let folder = context.target.join("python");
    if !folder.join("bin/python").is_file() {
        let mut python3 = context.command("python3");
        Context::fetch(python3.args(["-m", "venv", "--clear"]).arg(&folder))?;
    }
    let wheels = wheels(context, &folder)?;
    let mut install = pip(context, &folder, "install");
    install.args(["--no-index", "--find-links"]).arg(wheels);
    ensure!(
        context.passes(install.arg(REQUIREMENT))?,
        "{REQUIREMENT} cannot be installed"
    );
    Ok(folder)
}

/// Fetches the packages that ours names, unless they are there, and returns their folder.
fn wheels(context: &Context, environment: &Path) -> Result<PathBuf> {
    let folder = environment.join("wheels");
    let stamp = folder.join("fetched");
    let manifest = context.root.join(PYTHON_PACKAGE).join("pyproject.toml");
    let manifest = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    let wanted = requirements(&manifest)?;
    let list = wanted.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|fetched| fetched == list) {
        return Ok(folder);
    }
    empty_folder(&folder)?;
    let mut download = pip(context, environment, "download");
    download.args(["--only-binary", ":all:", "--dest"]);
    Context::fetch(download.arg(&folder).args(wanted))?;
    fs::write(&stamp, list).with_context(|| stamp.display().to_string())?;
    Ok(folder)
}

/// The requirements in the lists of a manifest.
fn requirements(manifest: &str) -> Result<Vec<&str>> {
    let mut requirements = Vec::new();
    for list in LISTS {
        let inside = manifest
            .split_once(&format!("\n{list} = ["))
            .and_then(|(_, rest)| rest.split_once("]\n"));
        let (inside, _) = inside.with_context(|| format!("no list {list}"))?;
        requirements.extend(inside.split('"').skip(1).step_by(2));
    }
    Ok(requirements)
}

fn pip(context: &Context, environment: &Path, what: &str) -> Command {
    let mut pip = python_in(context, environment);
    pip.current_dir(&context.root)
        .args(["-m", "pip", what, "--quiet"])
        .arg("--disable-pip-version-check");
    pip
}

/// Python in the environment `folder`, run in the folder of the package.
pub(crate) fn python_in(context: &Context, folder: &Path) -> Command {
    let mut python = context.command(folder.join("bin/python"));
    python.current_dir(context.root.join(PYTHON_PACKAGE));
    python
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_manifest_requires() {
        let manifest = "[build-system]\nrequires = [\"a>=1\", \"b[c]==2\"]\n[project]\nname = \"n\"\n\
                        dependencies = [\n    \"d>=1,<2\",\n]\n[x]\ndev = [\n    \"e\",\n    \"f\",\n]\n";
        let expected = ["a>=1", "b[c]==2", "d>=1,<2", "e", "f"];
        assert_eq!(requirements(manifest).unwrap(), expected);
        requirements("[project]\n").unwrap_err();
    }
}
