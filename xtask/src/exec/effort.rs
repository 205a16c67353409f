/// The time that the checks may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Minutes: what every commit has to pass.
    Commit,
    /// Hours: the same checks with longer runs, and those that are too long for every commit.
    Night,
}

/// The variables that tests read to run longer, and what they are set to at night.
const LONG_RUNS: &[(&str, &str)] = &[
    ("ARENA_TEST_SIMULATIONS", "20"),
    ("POSTGRES_TEST_KILLS", "20"),
    ("SERVICE_TEST_CUT_SECONDS", "30"),
    ("SERVICE_TEST_EVENTS", "50000"),
    ("SERVICE_TEST_FAILOVERS", "20"),
    ("SERVICE_TEST_FAULT_VARIANTS", "99"),
    ("SERVICE_TEST_KILLS", "200"),
    ("SERVICE_TEST_PAIRS", "500"),
    ("SERVICE_TEST_POWER_LOSSES", "20"),
    ("SERVICE_TEST_RACES", "10000"),
    ("SERVICE_TEST_REPLICA_KILLS", "100"),
    ("SERVICE_TEST_ROLLING_PAIRS", "500"),
    ("SERVICE_TEST_SIMULATIONS", "100000"),
    ("SERVICE_TEST_WATCHERS", "1000"),
    ("STORE_TEST_FLIPS", "1500"),
    ("STORE_TEST_KILLS", "60"),
    ("STORE_TEST_POWER_LOSSES", "60"),
    ("WEB_TEST_TARGET", "7"),
];

impl Effort {
    /// The variables for the tests. Those that a person has set stay as they are.
    pub(crate) fn variables(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Commit => Vec::new(),
            Self::Night => LONG_RUNS
                .iter()
                .copied()
                .filter(|(name, _)| std::env::var_os(name).is_none())
                .collect(),
        }
    }

    /// One of two values.
    pub(crate) const fn pick<T: Copy>(self, commit: T, night: T) -> T {
        match self {
            Self::Commit => commit,
            Self::Night => night,
        }
    }
}
