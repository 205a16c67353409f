use std::process::Command;

use anyhow::Result;

use super::figures::Figures;
use crate::exec::Context;

/// Runs benches.
#[derive(Debug)]
pub(super) struct Bencher<'a> {
    pub(super) context: &'a Context,
    /// True if they are only to show that they can be measured: with little to measure, in a build without
    /// optimisation, which the tests share.
    pub(super) quick: bool,
}

/// The size of a quick run, relative to the usual one.
const QUICK_SCALE: f64 = 0.01;

impl Bencher<'_> {
    /// Runs a section of the service's bench `figures` at a size relative to the usual one.
    pub(super) fn service(&self, section: &str, scale: f64) -> Result<Figures> {
        self.figures_of("dragontooth-service", &[section], scale)
    }

    /// Runs a section of the runner's bench `figures` at a size relative to the usual one.
    pub(super) fn runner(&self, section: &str, scale: f64) -> Result<Figures> {
        self.figures_of("dragontooth-runner", &[section], scale)
    }

    /// Runs the games' bench `figures`, which measures all of them, at a size relative to the usual one.
    pub(super) fn games(&self, scale: f64) -> Result<Figures> {
        self.figures_of("dragontooth-games", &[], scale)
    }

    /// Runs the bench `arena` of the tournaments.
    pub(super) fn arena(&self) -> Result<Figures> {
        self.bench("dragontooth-runner-tournament", "arena", &[], 1.0)
    }

    /// Runs sections of the bench `figures` of a package.
    fn figures_of(&self, package: &str, sections: &[&str], scale: f64) -> Result<Figures> {
        self.bench(package, "figures", sections, scale)
    }

    fn bench(&self, package: &str, name: &str, sections: &[&str], scale: f64) -> Result<Figures> {
        let mut cargo = self.context.cargo();
        cargo.args(["bench", "--quiet", "--locked", "-p", package]);
        cargo.args(["--bench", name]);
        if self.quick {
            cargo.args(["--profile", "dev"]);
        }
        let scale = if self.quick { QUICK_SCALE } else { scale };
        cargo.env("BENCH_SCALE", scale.to_string());
        self.figures(cargo.arg("--").args(sections))
    }

    /// Runs a command and reads its figures.
    pub(super) fn figures(&self, command: &mut Command) -> Result<Figures> {
        Figures::read(&self.context.stdout_of(command)?)
    }
}
