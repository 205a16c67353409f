use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::copies::COPIES;
use super::{Reason, read};
use crate::Finding;

/// The file that describes the reasons.
const SOURCE: &str = "proto/dragontooth/v1/error_reason.proto";

/// Finds the copies of the reasons of refusals that differ from the API.
///
/// # Errors
///
/// A file cannot be read, or the comments of the API have another form.
pub fn check_repository(root: &Path) -> Result<Vec<Finding>> {
    let reasons = load(root)?;
    let mut findings = Vec::new();
    for copy in COPIES {
        let now = text(root, copy.path)?;
        if copy.written(&reasons, &now)? != now {
            let message = format!("is not what {SOURCE} says: cargo xtask reasons writes it");
            findings.push(Finding::whole(copy.path, "reasons", message));
        }
    }
    Ok(findings)
}

/// Writes the reasons of refusals into all copies.
///
/// # Errors
///
/// A file cannot be read or written, or the comments of the API have another form.
pub fn write_repository(root: &Path) -> Result<()> {
    let reasons = load(root)?;
    for copy in COPIES {
        let now = text(root, copy.path)?;
        let written = copy.written(&reasons, &now)?;
        fs::write(root.join(copy.path), written).context(copy.path)?;
    }
    Ok(())
}

fn load(root: &Path) -> Result<Vec<Reason>> {
    read(&text(root, SOURCE)?).context(SOURCE)
}

fn text(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| path.to_owned())
}
