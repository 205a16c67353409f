use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::command::is_ci;
use super::{Context, Missing};

/// Makes the folder `name` of the target folder a virtual environment with these packages, unless it is
/// one, and returns its path.
///
/// # Errors
///
/// [`Missing`] if Python is missing or the packages cannot be fetched.
pub(crate) fn python_packages(context: &Context, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = context.target.join(name);
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    let mut python3 = context.command("python3");
    Context::fetch(python3.args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = context.command(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(packages);
    Context::fetch(&mut pip)?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(folder)
}

/// Waits for another installation instead of failing: two steps may install something.
const APT_GET: &[&str] = &["-qq", "-o", "DPkg::Lock::Timeout=300"];

/// A program of this machine, under any of several names. In the CI it is installed with Debian's
/// `packages`, separated by spaces, if it is missing. `probe` is an argument with which the program does nothing.
///
/// # Errors
///
/// [`Missing`] if it is not installed.
pub(crate) fn debian_program(
    context: &Context,
    names: &[&'static str],
    probe: &str,
    packages: &str,
) -> Result<&'static str> {
    let find = || {
        let mut names = names.iter().copied();
        names.find(|name| context.command(name).arg(probe).output().is_ok())
    };
    if let Some(program) = find() {
        return Ok(program);
    }
    if is_ci() {
        let apt_get = |arguments: &[&str]| -> Command {
            let mut apt_get = context.command("apt-get");
            apt_get.args(APT_GET).args(arguments);
            apt_get
        };
        Context::fetch(&mut apt_get(&["update"]))?;
        let mut install = apt_get(&["install", "-y"]);
        Context::fetch(install.args(packages.split_whitespace()))?;
    }
    let missing = || Missing(format!("{} is not installed", names[0]));
    Ok(find().ok_or_else(missing)?)
}
