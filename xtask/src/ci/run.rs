#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::command::{cargo_path, command, is_ci, shown};
use super::step::{STEPS, Step, Verdict, Work};
use super::tools::Missing;
use crate::{Finding, Workspace};

/// Runs every check on the repository at `root`, whatever becomes of the ones before it, and tells
/// whether all is well. Without `CI` in the environment a check whose tool cannot be had is
/// skipped, and the report says so; with it, that is a failure.
///
/// # Errors
///
/// Cargo cannot say where it builds.
pub fn run(root: &Path) -> Result<bool> {
    let target = Workspace::load(root)?.target;
    let start = Instant::now();
    let mut results = Vec::new();
    for (index, step) in STEPS.iter().enumerate() {
        println!("\n==> {}/{} {}", index + 1, STEPS.len(), step.name);
        let step_start = Instant::now();
        let verdict = attempt(step, root, &target).unwrap_or_else(|error| {
            println!("{error:#}");
            Verdict::Failed
        });
        let duration = step_start.elapsed();
        println!("<== {}", line(step, &verdict, duration));
        results.push((step, verdict, duration));
    }
    println!("\nSummary");
    for (step, verdict, duration) in &results {
        println!("  {}", line(step, verdict, *duration));
    }
    let failed = results
        .iter()
        .filter(|(_, verdict, _)| *verdict == Verdict::Failed)
        .count();
    println!(
        "  {failed} failed of {}, {:.1} s",
        results.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(failed == 0)
}

/// Runs one check that needs programs from elsewhere. Without `CI` in the environment it is skipped
/// if they cannot be had.
///
/// # Errors
///
/// Cargo cannot say where it builds, or a program cannot be run.
pub(crate) fn run_alone(
    root: &Path,
    check: fn(&Path, &Path) -> Result<Result<bool, Missing>>,
) -> Result<bool> {
    let target = Workspace::load(root)?.target;
    Ok(match check(root, &target)? {
        Ok(well) => well,
        Err(missing) => without_tool(missing.0, is_ci()) != Verdict::Failed,
    })
}

fn attempt(step: &Step, root: &Path, target: &Path) -> Result<Verdict> {
    let mut command = match step.work {
        Work::Own(alone, check) => {
            println!("    $ {alone}");
            return Ok(verdict_of(&check(root)?));
        }
        Work::Cargo(arguments, variables) => {
            let mut cargo = command(cargo_path(), root);
            cargo.args(arguments).envs(variables.iter().copied());
            let names = variables
                .iter()
                .map(|(name, value)| format!("{name}={value:?} "));
            println!(
                "    $ {}cargo {}",
                names.collect::<String>(),
                arguments.join(" ")
            );
            cargo
        }
        Work::Foreign(alone, check) => {
            println!("    $ {alone}");
            return Ok(match check(root, target)? {
                Ok(true) => Verdict::Passed,
                Ok(false) => Verdict::Failed,
                Err(missing) => without_tool(missing.0, is_ci()),
            });
        }
        Work::Tool(tool) => match tool.prepare(root, target)? {
            Ok(command) => {
                println!("    $ {}", shown(&command, root));
                command
            }
            Err(missing) => return Ok(without_tool(missing.0, is_ci())),
        },
    };
    let status = command.status().with_context(|| format!("{command:?}"))?;
    Ok(if status.success() {
        Verdict::Passed
    } else {
        Verdict::Failed
    })
}

fn verdict_of(findings: &[Finding]) -> Verdict {
    for finding in findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        Verdict::Passed
    } else {
        Verdict::Failed
    }
}

fn without_tool(reason: String, ci: bool) -> Verdict {
    if ci {
        println!("the tool for this check cannot be had: {reason}");
        return Verdict::Failed;
    }
    println!("WARNING: this check is SKIPPED, its tool cannot be had: {reason}");
    Verdict::Skipped(reason)
}

fn line(step: &Step, verdict: &Verdict, duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let word = match verdict {
        Verdict::Passed => "ok".to_owned(),
        Verdict::Failed => "FAILED".to_owned(),
        Verdict::Skipped(reason) => format!("SKIPPED ({reason})"),
    };
    format!("{:<14}{seconds:>7.1} s  {word}", step.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_a_missing_tool_pass_by_hand_alone() {
        let reason = || "python3 cannot be run".to_owned();
        assert_eq!(without_tool(reason(), true), Verdict::Failed);
        assert_eq!(without_tool(reason(), false), Verdict::Skipped(reason()));
    }

    #[test]
    fn fails_on_any_finding() {
        assert_eq!(verdict_of(&[]), Verdict::Passed);
        assert_eq!(
            verdict_of(&[Finding::whole("a", "b", "c")]),
            Verdict::Failed
        );
    }
}
