use anyhow::Result;

use super::bencher::Bencher;
use super::figures::Figures;
use super::ratio::Ratio;
use super::wildbg;
use crate::exec::{PROGRAMS, programs, python_in, python_package};

/// A bench of the table, with the ratios that it gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Runs the bench once.
    pub(super) measure: fn(&Bencher) -> Result<Figures>,
    pub(super) ratios: &'static [Ratio],
}

const fn ratio(of: &'static str, by: &'static str, about: &'static str) -> Ratio {
    Ratio { about, of, by }
}

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "in-memory",
        about: "the service in memory, of bare tonic with the same messages",
        measure: |bench| bench.service("in_memory"),
        ratios: &[
            ratio(
                "in_memory/Play/1/service",
                "in_memory/Play/1/tonic",
                "actions of 1 match on Play, of bare tonic",
            ),
            ratio(
                "in_memory/Play/16/service",
                "in_memory/Play/16/tonic",
                "16 matches",
            ),
            ratio(
                "in_memory/Play/256/service",
                "in_memory/Play/256/tonic",
                "256 matches",
            ),
            ratio(
                "in_memory/Play/1024/service",
                "in_memory/Play/1024/tonic",
                "1,024 matches",
            ),
            ratio(
                "in_memory/Play/256/service_cpu",
                "in_memory/Play/256/tonic_cpu",
                "processor time of an action on Play, 256 matches",
            ),
            ratio(
                "in_memory/SubmitAction/1/service",
                "in_memory/SubmitAction/1/tonic",
                "actions of 1 match by SubmitAction, of bare tonic",
            ),
            ratio(
                "in_memory/SubmitAction/256/service",
                "in_memory/SubmitAction/256/tonic",
                "256 matches",
            ),
            ratio(
                "in_memory/SubmitAction/256/service_cpu",
                "in_memory/SubmitAction/256/tonic_cpu",
                "processor time of a SubmitAction, 256 matches",
            ),
        ],
    },
    Part {
        name: "throughput",
        about: "durable actions, of the same in memory and of a bare append + fdatasync loop",
        measure: |bench| bench.service("throughput"),
        ratios: &[
            ratio(
                "throughput/play/1",
                "throughput/bare/1",
                "durable actions of 1 match on Play, of bare appends and syncs",
            ),
            ratio("throughput/unary/1", "throughput/bare/1", "by SubmitAction"),
            ratio(
                "throughput/play/16",
                "throughput/play_in_memory/16",
                "durable actions of 16 matches on Play, of those in memory",
            ),
            ratio(
                "throughput/play/256",
                "throughput/play_in_memory/256",
                "256 matches",
            ),
            ratio(
                "throughput/play/1024",
                "throughput/play_in_memory/1024",
                "1,024 matches",
            ),
        ],
    },
    Part {
        name: "plies",
        about: "plies of the runner on an embedded service, of those in direct mode",
        measure: |bench| bench.runner("plies"),
        ratios: &[
            ratio(
                "plies/embedded_service/built-in",
                "plies/direct",
                "built-in bots on a service, of direct mode",
            ),
            ratio(
                "plies/embedded_service/engines",
                "plies/direct/engines",
                "engines on a service, of direct mode",
            ),
            ratio(
                "plies/embedded_service/programs",
                "plies/embedded_service/built-in",
                "programs over gRPC, of built-in bots",
            ),
        ],
    },
    Part {
        name: "matches",
        about: "short matches of the runner, with programs kept and restarted",
        measure: |bench| bench.runner("matches"),
        ratios: &[
            ratio(
                "matches/direct/engines",
                "matches/direct",
                "engines, of built-in bots, both in direct mode",
            ),
            ratio(
                "matches/direct/engines_restarted",
                "matches/direct/engines",
                "engines restarted for every match, of engines kept",
            ),
            ratio(
                "matches/programs_restarted",
                "matches/embedded_service/programs",
                "programs restarted for every match, of programs kept",
            ),
        ],
    },
    Part {
        name: "pipes",
        about: "two matches at once between engines over pipes, of one",
        measure: |bench| bench.runner("pipes"),
        ratios: &[
            ratio(
                "pipes/long/2",
                "pipes/long/1",
                "plies of matches to 15 points",
            ),
            ratio(
                "pipes/short/2",
                "pipes/short/1",
                "plies of matches to 1 point",
            ),
        ],
    },
    Part {
        name: "service",
        about: "engines and programs on an embedded service, with the bots' own cost",
        measure: |bench| bench.runner("service"),
        ratios: &[
            ratio(
                "service/engines-cpu",
                "service/programs-cpu",
                "processor time of a ply by engines, of programs over gRPC",
            ),
            ratio(
                "service/programs-cpu",
                "service/built-in-cpu",
                "by programs over gRPC, of built-in bots",
            ),
        ],
    },
    Part {
        name: "python",
        about: "a decision by the Python package, of a bare loop over grpcio (through python3)",
        measure: python,
        ratios: &[
            ratio(
                "decision/package-sync",
                "decision/bare-sync",
                "processor time of a decision with the package, of a bare loop",
            ),
            ratio(
                "decision/package-async",
                "decision/bare-async",
                "the same with asyncio",
            ),
        ],
    },
    Part {
        name: "wildbg",
        about: "legal plays of backgammon, of wildbg's: set WILDBG to a checkout of github.com/carsten-wenderdel/wildbg",
        measure: wildbg::measure,
        ratios: &[
            ratio(
                "plays/counted/ours",
                "plays/counted/wildbg",
                "positions whose plays are counted, of wildbg's speed",
            ),
            ratio(
                "plays/boards/ours",
                "plays/boards/wildbg",
                "boards after all plays",
            ),
            ratio(
                "plays/positions/ours",
                "plays/boards/wildbg",
                "plays with whole positions, of wildbg's boards",
            ),
            ratio(
                "plays/games/ours",
                "plays/games/wildbg",
                "plays of random games",
            ),
        ],
    },
];

fn python(bench: &Bencher) -> Result<Figures> {
    let context = bench.context;
    let folder = python_package(context)?;
    let built = if bench.quick {
        programs(context)?
    } else {
        let mut cargo = context.cargo();
        cargo.args(["build", "--quiet", "--locked", "--release", "--bins"]);
        context.stdout_of(cargo.args(["-p", "dragontooth-service", "-p", "dragontooth-bots"]))?;
        context.target.join("release")
    };
    let mut python = python_in(context, &folder);
    python.arg("benches/decision_cost.py").env(PROGRAMS, built);
    python.args(["--rounds", "1"]);
    if bench.quick {
        python.args(["--matches", "1", "--target", "1"]);
    }
    bench.figures(&mut python)
}
