/// The dependencies that a crate may have. Those of its tests and benches are free.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// The crate.
    pub name: &'static str,
    /// The crates of the workspace that it may name.
    pub may_use: &'static [&'static str],
    /// The crates that it must not reach, however long the way.
    pub never: &'static [&'static str],
    /// The features of other crates that it must not reach: crate and feature.
    pub never_features: &'static [(&'static str, &'static str)],
}

const BOARDS: &str = "dragontooth-games-boards";
const BOTS: &str = "dragontooth-bots";
const BUILTIN: &str = "dragontooth-bots-builtin";
const ENGINES: &str = "dragontooth-bots-engines";
const CLI: &str = "dragontooth-cli";
const FUZZ: &str = "dragontooth-fuzz";
const GAMES: &str = "dragontooth-games";
const PROTO: &str = "dragontooth-proto";
const RUNNER: &str = "dragontooth-runner";
const CONFORMANCE: &str = "dragontooth-runner-conformance";
const LIVE: &str = "dragontooth-runner-live";
const PROGRAMS: &str = "dragontooth-runner-programs";
const REPORT: &str = "dragontooth-runner-report";
const TOURNAMENT: &str = "dragontooth-runner-tournament";
const SERVICE: &str = "dragontooth-service";
const CLIENT: &str = "dragontooth-service-client";
const DOMAIN: &str = "dragontooth-service-domain";
const POSTGRES: &str = "dragontooth-service-postgres";
const STORE: &str = "dragontooth-service-store";
const VOCABULARY: &str = "dragontooth-service-vocabulary";
const WIRE: &str = "dragontooth-service-wire";
const XTASK: &str = "xtask";

/// Crates that bring I/O, clocks, randomness, an executor or a wire format: the pure core reaches
/// none of them.
const IMPURE: &[&str] = &[
    "async-std",
    "chrono",
    "fastrand",
    "futures",
    "futures-util",
    "getrandom",
    "h2",
    "hyper",
    "instant",
    "jiff",
    "mio",
    "prost",
    "quanta",
    "rand",
    "rand_chacha",
    "serde",
    "serde_core",
    "serde_json",
    "sled",
    "smol",
    "socket2",
    "tempfile",
    "time",
    "tokio",
    "tokio-stream",
    "tonic",
    "tracing",
    "web-time",
];

/// The arrows: a crate of the workspace that is not here has no place in it yet.
pub const LAYERS: &[Layer] = &[
    Layer {
        name: PROTO,
        ..NONE
    },
    Layer {
        name: GAMES,
        never: IMPURE,
        ..NONE
    },
    Layer {
        name: VOCABULARY,
        may_use: &[GAMES],
        never: IMPURE,
        ..NONE
    },
    Layer {
        name: DOMAIN,
        may_use: &[GAMES, VOCABULARY],
        never: IMPURE,
        ..NONE
    },
    Layer {
        name: STORE,
        may_use: &[GAMES, PROTO, VOCABULARY, DOMAIN],
        never: &["axum", "tonic-health", "tonic-reflection"],
        never_features: &[
            ("tonic", "server"),
            ("tonic", "router"),
            ("tonic", "transport"),
        ],
    },
    Layer {
        name: POSTGRES,
        may_use: &[VOCABULARY, STORE],
        never: &["axum", "tonic-health", "tonic-reflection"],
        ..NONE
    },
    Layer {
        name: WIRE,
        may_use: &[GAMES, PROTO, VOCABULARY],
        never: &[DOMAIN, STORE, SERVICE, CLIENT],
        ..NONE
    },
    Layer {
        name: CLIENT,
        may_use: &[GAMES, PROTO, VOCABULARY, WIRE],
        never: &[SERVICE, DOMAIN, STORE],
        ..NONE
    },
    Layer {
        name: SERVICE,
        // The client for its command line, which asks a service that runs.
        may_use: &[
            GAMES, BOARDS, PROTO, VOCABULARY, WIRE, DOMAIN, STORE, POSTGRES, CLIENT, CLI,
        ],
        never: &[RUNNER, BOTS, ENGINES],
        ..NONE
    },
    Layer {
        name: BOARDS,
        may_use: &[GAMES],
        ..NONE
    },
    Layer {
        name: TOURNAMENT,
        may_use: &[GAMES, VOCABULARY],
        never: IMPURE,
        ..NONE
    },
    Layer {
        name: REPORT,
        may_use: &[GAMES, VOCABULARY, BOARDS, TOURNAMENT],
        never: &[CLIENT, RUNNER, SERVICE, DOMAIN, STORE, BOTS],
        ..NONE
    },
    Layer {
        name: LIVE,
        may_use: &[GAMES, VOCABULARY, TOURNAMENT, REPORT],
        never: &[RUNNER, CLIENT, SERVICE, DOMAIN, STORE, BOTS],
        ..NONE
    },
    Layer {
        name: PROGRAMS,
        may_use: &[TOURNAMENT, CLIENT, ENGINES],
        never: &[RUNNER, BOTS, SERVICE, DOMAIN, STORE],
        ..NONE
    },
    Layer {
        name: CONFORMANCE,
        may_use: &[
            GAMES, VOCABULARY, TOURNAMENT, PROGRAMS, CLIENT, BOTS, SERVICE,
        ],
        never: &[RUNNER],
        ..NONE
    },
    Layer {
        name: RUNNER,
        // The domain for matches that it plays without a service, the store to verify what was played on its own.
        may_use: &[
            GAMES,
            TOURNAMENT,
            REPORT,
            LIVE,
            PROGRAMS,
            CONFORMANCE,
            VOCABULARY,
            CLIENT,
            BOTS,
            ENGINES,
            SERVICE,
            DOMAIN,
            STORE,
            CLI,
        ],
        ..NONE
    },
    Layer {
        name: ENGINES,
        may_use: &[GAMES, VOCABULARY],
        never: &[BOTS, CLIENT, SERVICE, DOMAIN, STORE],
        ..NONE
    },
    Layer {
        name: BUILTIN,
        may_use: &[GAMES, VOCABULARY, ENGINES],
        never: &["futures", "tokio", "tonic"],
        ..NONE
    },
    Layer {
        name: BOTS,
        may_use: &[GAMES, VOCABULARY, CLIENT, ENGINES, BUILTIN, CLI],
        never: &[SERVICE, DOMAIN, STORE],
        ..NONE
    },
    Layer {
        name: CLI,
        never: IMPURE,
        ..NONE
    },
    Layer {
        name: FUZZ,
        may_use: &[GAMES, BOARDS, SERVICE, STORE, ENGINES],
        ..NONE
    },
    Layer {
        name: XTASK,
        ..NONE
    },
];

impl Layer {
    /// Returns true if there is something that the crate must not reach.
    #[must_use]
    pub const fn keeps_away(&self) -> bool {
        !self.never.is_empty() || !self.never_features.is_empty()
    }
}

const NONE: Layer = Layer {
    name: "",
    may_use: &[],
    never: &[],
    never_features: &[],
};
