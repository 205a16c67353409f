use anyhow::Result;

use super::bencher::Bencher;
use super::figures::Figures;
use super::ratio::Ratio;
use super::uci::{C_CHESS_CLI, CUTECHESS, FASTCHESS};
use super::{packages, wildbg};

/// A bench of the table, with the ratios that it gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Runs the bench once, for some seconds.
    pub(super) measure: fn(&Bencher) -> Result<Figures>,
    pub(super) ratios: &'static [Ratio],
}

const fn ratio(of: &'static str, by: &'static str, about: &'static str) -> Ratio {
    Ratio { about, of, by }
}

const PYTHON: &[Ratio] = &[
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
];

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "in-memory",
        about: "the service in memory, of bare tonic with the same messages",
        measure: |bench| bench.service("in_memory", 0.2),
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
                "in_memory/Play/256/service",
                "in_memory/Play/256/peer",
                "256 matches, of bare tonic that sends decisions to the other player",
            ),
            ratio(
                "in_memory/Play/256/service_cpu",
                "in_memory/Play/256/tonic_cpu",
                "processor time of an action on Play, 256 matches",
            ),
            ratio(
                "in_memory/Play/256/service_cpu",
                "in_memory/Play/256/peer_cpu",
                "of bare tonic that sends decisions to the other player",
            ),
            ratio(
                "in_memory/Play/1/thinking",
                "in_memory/Play/1/service",
                "actions with thoughts of 1 match on Play, of those without",
            ),
            ratio(
                "in_memory/Play/16/thinking",
                "in_memory/Play/16/service",
                "16 matches",
            ),
            ratio(
                "in_memory/Play/256/thinking",
                "in_memory/Play/256/service",
                "256 matches",
            ),
            ratio(
                "in_memory/Play/1024/thinking",
                "in_memory/Play/1024/service",
                "1,024 matches",
            ),
            ratio(
                "in_memory/Play/256/thinking_cpu",
                "in_memory/Play/256/service_cpu",
                "processor time of an action with thoughts, 256 matches",
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
        measure: |bench| bench.service("throughput", 0.2),
        ratios: &[
            ratio(
                "throughput/play/1",
                "throughput/bare/1",
                "durable actions of 1 match on Play, of bare appends and syncs",
            ),
            ratio("throughput/unary/1", "throughput/bare/1", "by SubmitAction"),
            ratio(
                "throughput/unary/256",
                "throughput/play/256",
                "durable actions of 256 matches by SubmitAction, of those on Play",
            ),
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
        name: "replicas",
        about: "durable actions on Play with a PostgreSQL database, by one service and by three, of those with a folder",
        measure: |bench| bench.service("replicas", 0.2),
        ratios: &[
            ratio(
                "replicas/database/1/rate",
                "replicas/folder/1/rate",
                "durable actions of 1 match on Play with a database, of those with a folder",
            ),
            ratio(
                "replicas/database/256/rate",
                "replicas/folder/256/rate",
                "256 matches",
            ),
            ratio(
                "replicas/database/1024/rate",
                "replicas/folder/1024/rate",
                "1,024 matches",
            ),
            ratio(
                "replicas/database/1/cpu",
                "replicas/folder/1/cpu",
                "processor time of the service for an action, 1 match",
            ),
            ratio(
                "replicas/database/256/cpu",
                "replicas/folder/256/cpu",
                "256 matches",
            ),
            ratio(
                "replicas/database/1024/cpu",
                "replicas/folder/1024/cpu",
                "1,024 matches",
            ),
            ratio(
                "replicas/database/1/p50",
                "replicas/database/commit/p50",
                "median wait of an action, 1 match, of that of a bare commit",
            ),
            ratio(
                "replicas/standby/1/p50",
                "replicas/standby/commit/p50",
                "with a synchronous standby",
            ),
            ratio(
                "replicas/database-by-three/1/rate",
                "replicas/database/1/rate",
                "actions of 1 match by three services on one machine, of one service",
            ),
            ratio(
                "replicas/database-by-three/1024/rate",
                "replicas/database/1024/rate",
                "1,024 matches",
            ),
            ratio(
                "replicas/standby-by-three/1024/rate",
                "replicas/standby/1024/rate",
                "with a synchronous standby",
            ),
        ],
    },
    Part {
        name: "latency",
        about: "a durable SubmitAction at a fixed rate, from the time at which it was due",
        measure: |bench| bench.service("latency", 0.25),
        ratios: &[
            ratio(
                "latency/1000/p99",
                "latency/1000/p50",
                "99th percentile at 1,000 actions a second, of the median",
            ),
            ratio("latency/5000/p99", "latency/5000/p50", "5,000 a second"),
            ratio("latency/10000/p99", "latency/10000/p50", "10,000 a second"),
        ],
    },
    Part {
        name: "readers",
        about: "a player's SubmitAction beside callers that list and export without pause",
        measure: |bench| bench.service("readers", 0.2),
        ratios: &[
            ratio(
                "readers/elsewhere/p50",
                "readers/alone/p50",
                "median beside 8 readers in a process that gives way, of that alone",
            ),
            ratio(
                "readers/elsewhere/p99",
                "readers/alone/p99",
                "99th percentile",
            ),
            ratio(
                "readers/busy_idle/p99",
                "readers/alone/p99",
                "99th percentile beside 8 threads that only compute, in such a process",
            ),
            ratio(
                "readers/here/p99",
                "readers/alone/p99",
                "99th percentile beside 8 readers in the player's process",
            ),
        ],
    },
    Part {
        name: "spectators",
        about: "a player's SubmitAction, ten a second, with browsers that watch",
        measure: |bench| bench.service("spectators", 0.5),
        ratios: &[
            ratio(
                "spectators/one_match/p99",
                "spectators/none/p99",
                "99th percentile with 500 spectators of its match, of that without",
            ),
            ratio(
                "spectators/many_matches/p99",
                "spectators/none/p99",
                "with 5 spectators of each of 100 matches",
            ),
        ],
    },
    Part {
        name: "attacks",
        about: "calls of an honest client under attack",
        measure: |bench| bench.service("attacks", 0.2),
        ratios: &[
            ratio(
                "attacks/all_of_them",
                "attacks/none",
                "99th percentile under all attacks at once, of that without",
            ),
            ratio(
                "attacks/all_of_them/TLS",
                "attacks/none/TLS",
                "the same with TLS",
            ),
        ],
    },
    Part {
        name: "recovery",
        about: "the start among unfinished matches, which are replayed",
        measure: |bench| bench.service("recovery", 0.1),
        ratios: &[ratio(
            "recovery/100",
            "recovery/20",
            "an event of matches of 100 events, of one of matches of 20",
        )],
    },
    Part {
        name: "ended",
        about: "the start among ended matches, and their lists",
        measure: |bench| bench.service("ended", 0.1),
        ratios: &[
            ratio(
                "ended/start/again",
                "ended/start/first",
                "time for a match of a start with notes, of the start that makes them",
            ),
            ratio(
                "ended/page/game",
                "ended/page/all",
                "median time of a page of a list by game and state, of one of all",
            ),
        ],
    },
    Part {
        name: "footprint",
        about: "memory of what waits",
        measure: |bench| bench.service("footprint", 0.2),
        ratios: &[ratio(
            "footprint/stream",
            "footprint/match",
            "an idle Play stream, of an idle match",
        )],
    },
    Part {
        name: "plies",
        about: "plies of the runner on an embedded service, of those in direct mode",
        measure: |bench| bench.runner("plies", 0.5),
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
        measure: |bench| bench.runner("matches", 0.5),
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
        measure: |bench| bench.runner("pipes", 0.3),
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
            ratio(
                "pipes/long-affinity/1",
                "pipes/long/1",
                "to 15 points one at a time, with a processor for each match",
            ),
            ratio("pipes/long-affinity/2", "pipes/long/2", "two at a time"),
            ratio(
                "pipes/short-affinity/2",
                "pipes/short/2",
                "to 1 point, two at a time",
            ),
        ],
    },
    Part {
        name: "service",
        about: "engines and programs on an embedded service, with the bots' own cost",
        measure: |bench| bench.runner("service", 0.25),
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
        name: "growth",
        about: "processor time of a match in events of any size",
        measure: |bench| bench.runner("growth", 0.1),
        ratios: &[ratio(
            "growth/large",
            "growth/small",
            "a match of an event a hundred times as large",
        )],
    },
    Part {
        name: "resume",
        about: "going on with a finished run, reports included",
        measure: |bench| bench.runner("resume", 0.03),
        ratios: &[
            ratio(
                "resume/1000000",
                "resume/100000",
                "time with a run ten times as large",
            ),
            ratio(
                "resume/1000000-memory",
                "resume/100000-memory",
                "memory with a run ten times as large",
            ),
        ],
    },
    Part {
        name: "arena",
        about: "matches that an arena keeps under way, of those created as fast as they end; starts with many results",
        measure: |bench| bench.runner("arena", 1.0),
        ratios: &[
            ratio(
                "arena/under_way/arena",
                "arena/under_way/service",
                "matches of an arena, of those created without one",
            ),
            ratio(
                "arena/start/1000000",
                "arena/start/100000",
                "start of an arena with ten times as many results",
            ),
        ],
    },
    Part {
        name: "arena-pairing",
        about: "pairing rounds and tables of an arena",
        measure: |bench| bench.arena(),
        ratios: &[
            ratio(
                "arena/pairing/1000",
                "arena/pairing/100",
                "a pairing round of ten times as many entrants",
            ),
            ratio(
                "arena/table/100000",
                "arena/table/10000",
                "the table over ten times as many results",
            ),
        ],
    },
    Part {
        name: "fastchess",
        about: "engines over pipes that answer at once, of fastchess: set FASTCHESS to its program",
        measure: |bench| FASTCHESS.measure(bench),
        ratios: &[
            ratio(
                "pipes/long/1",
                "fastchess/1",
                "plies of our runner, one match at a time, of fastchess",
            ),
            ratio("pipes/long/2", "fastchess/2", "two at a time"),
        ],
    },
    Part {
        name: "cutechess",
        about: "the same, of cutechess: set CUTECHESS to its program cutechess-cli",
        measure: |bench| CUTECHESS.measure(bench),
        ratios: &[
            ratio(
                "pipes/long/1",
                "cutechess/1",
                "plies of our runner, one match at a time, of cutechess",
            ),
            ratio("pipes/long/2", "cutechess/2", "two at a time"),
        ],
    },
    Part {
        name: "c-chess-cli",
        about: "the same, of c-chess-cli: set C_CHESS_CLI to its program",
        measure: |bench| C_CHESS_CLI.measure(bench),
        ratios: &[
            ratio(
                "pipes/long/1",
                "c-chess-cli/1",
                "plies of our runner, one match at a time, of c-chess-cli",
            ),
            ratio("pipes/long/2", "c-chess-cli/2", "two at a time"),
            ratio(
                "pipes/long-affinity/1",
                "c-chess-cli/1",
                "one at a time, ours with a processor for each match",
            ),
            ratio("pipes/long-affinity/2", "c-chess-cli/2", "two at a time"),
        ],
    },
    Part {
        name: "python",
        about: "a decision by the Python package, of a bare loop over grpcio (through python3)",
        measure: |bench| packages::python(bench, "1"),
        ratios: PYTHON,
    },
    Part {
        name: "python-8",
        about: "the same, with eight matches at the same time",
        measure: |bench| packages::python(bench, "8"),
        ratios: PYTHON,
    },
    Part {
        name: "typescript",
        about: "a decision by the TypeScript package, of a bare loop over the same transport (through npm)",
        measure: packages::typescript,
        ratios: &[ratio(
            "decision/package",
            "decision/bare",
            "processor time of a decision with the package, of a bare loop",
        )],
    },
    Part {
        name: "games",
        about: "random play in notation, as a service plays, of typed positions",
        measure: |bench| bench.games(1.0),
        ratios: &[
            ratio(
                "actions/kamisado/notation",
                "actions/kamisado/typed",
                "actions of Kamisado in notation, of typed ones",
            ),
            ratio("actions/linja/notation", "actions/linja/typed", "Linja"),
            ratio("actions/tzaar/notation", "actions/tzaar/typed", "TZAAR"),
            ratio(
                "actions/backgammon/notation",
                "actions/backgammon/typed",
                "Backgammon",
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
