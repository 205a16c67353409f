#![expect(clippy::print_stdout, reason = "the report is the product")]

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::command::{cargo_path, command, shown};
use super::{Effort, Missing};

/// The builds of a whole run. Nothing is debugged there, and nothing is built twice: Clippy's driver, which is the
/// compiler with more lints, compiles our crates, so that lints need no pass of their own. A crate in one piece costs less
/// of the processor than in many, which each compile the generic functions that they share.
const RUN_BUILD: &[(&str, &str)] = &[
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_PROFILE_DEV_BUILD_OVERRIDE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
];

/// The surroundings of a check: where it works, how long it may take, and where its output goes.
#[derive(Debug)]
pub(crate) struct Context {
    /// The repository.
    pub(crate) root: PathBuf,
    /// The folder that Cargo builds into. Checks keep their tools in folders of their own there.
    pub(crate) target: PathBuf,
    pub(crate) effort: Effort,
    /// True if this is one of the checks of a whole run.
    pub(crate) is_run: bool,
    /// The output so far of a check that runs beside others; `None` prints at once.
    kept: Option<RefCell<Vec<u8>>>,
}

impl Context {
    pub(crate) fn new(root: &Path, target: &Path, effort: Effort, is_run: bool) -> Self {
        Self {
            root: root.to_owned(),
            target: target.to_owned(),
            effort,
            is_run,
            kept: None,
        }
    }

    /// The same surroundings for a check whose output is kept until it is over.
    pub(crate) fn keeping_output(&self) -> Self {
        Self {
            kept: Some(RefCell::default()),
            ..self.printing()
        }
    }

    /// The same surroundings for a check whose output is printed at once.
    pub(crate) fn printing(&self) -> Self {
        Self::new(&self.root, &self.target, self.effort, self.is_run)
    }

    /// The output that was kept.
    pub(crate) fn into_output(self) -> Vec<u8> {
        self.kept.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Prints a line.
    pub(crate) fn say(&self, line: impl Display) {
        match &self.kept {
            Some(kept) => kept.borrow_mut().extend(format!("{line}\n").bytes()),
            None => println!("{line}"),
        }
    }

    /// A command that runs `program` in the repository, without input.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = command(program, &self.root);
        if self.is_run {
            command.envs(RUN_BUILD.iter().copied());
        }
        command
    }

    /// The Cargo that runs this program.
    pub(crate) fn cargo(&self) -> Command {
        self.command(cargo_path())
    }

    /// The Cargo that runs this program, in whatever processor time the checks beside it leave: they
    /// have deadlines, and compiling has none.
    pub(crate) fn cargo_in_background(&self) -> Command {
        let mut nice = self.command("nice");
        nice.args(["-n", "19"]).arg(cargo_path());
        nice
    }

    /// Runs a command and returns true if it succeeds.
    ///
    /// # Errors
    ///
    /// The command cannot be run.
    pub(crate) fn passes(&self, command: &mut Command) -> Result<bool> {
        Ok(self.exit_code(command)? == Some(0))
    }

    /// Runs a Cargo command and returns true if it succeeds and gives no warning. What it says is said again.
    ///
    /// # Errors
    ///
    /// The command cannot be run.
    pub(crate) fn passes_without_warning(&self, command: &mut Command) -> Result<bool> {
        self.say(format_args!("    $ {}", shown(command, &self.root)));
        let output = command.output().with_context(|| format!("{command:?}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        self.say(said.trim_end());
        let is_warned = said.lines().any(|line| line.starts_with("warning"));
        Ok(output.status.success() && !is_warned)
    }

    /// Runs a command and returns its exit code; `None` if a signal ended it.
    ///
    /// # Errors
    ///
    /// The command cannot be run.
    pub(crate) fn exit_code(&self, command: &mut Command) -> Result<Option<i32>> {
        self.say(format_args!("    $ {}", shown(command, &self.root)));
        let status = match &self.kept {
            Some(kept) => {
                let output = command.output().with_context(|| format!("{command:?}"))?;
                let mut kept = kept.borrow_mut();
                kept.extend(output.stdout);
                kept.extend(output.stderr);
                output.status
            }
            None => command.status().with_context(|| format!("{command:?}"))?,
        };
        Ok(status.code())
    }

    /// Runs a command and returns what it prints. What it says of errors is printed at once.
    ///
    /// # Errors
    ///
    /// The command cannot be run, or fails.
    pub(crate) fn stdout_of(&self, command: &mut Command) -> Result<String> {
        self.say(format_args!("    $ {}", shown(command, &self.root)));
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("{command:?}"))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            self.say(&printed);
            bail!("{} from {command:?}", output.status);
        }
        Ok(printed)
    }

    /// Runs a command that fetches or finds a tool.
    ///
    /// # Errors
    ///
    /// [`Missing`] with the last line of its output, if it fails.
    pub(crate) fn fetch(command: &mut Command) -> Result<()> {
        let program = command.get_program().to_string_lossy().into_owned();
        let output = command
            .output()
            .map_err(|error| Missing(format!("{program} cannot be run: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let last = last.unwrap_or("no message").trim();
        Err(Missing(format!("{program} failed: {last}")).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_no_pass() {
        let context = Context::new(Path::new("."), Path::new("target"), Effort::Commit, false)
            .keeping_output();
        let passes = |script: &str| {
            let mut sh = context.command("sh");
            context
                .passes_without_warning(sh.args(["-c", script]))
                .unwrap()
        };
        assert!(passes("echo '   Compiling a-warning v1.0.0' >&2"));
        assert!(!passes("echo 'warning: unused variable: `x`' >&2"));
        assert!(!passes("exit 1"));
        let said = String::from_utf8(context.into_output()).unwrap();
        assert!(said.contains("\nwarning: unused variable"), "{said}");
    }
}
