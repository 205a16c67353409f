use std::path::PathBuf;
use std::time::Duration;

use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Client;

use super::bot_under_test::Candidate;
use super::embedded_service::EmbeddedService;

/// How long a bot may take from its start to its first word to the service, and to take the seat that
/// is kept for it.
pub const START_LIMIT: Duration = Duration::from_secs(15);
/// How long a bot may take to come back after its connection was lost or the service is there again.
pub const RETURN_LIMIT: Duration = Duration::from_secs(15);
/// How long a bot may take for a decision in a match without clocks, unless another limit is asked for.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// How long a bot may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// To its first word after its start, and to take a seat.
    pub start: Duration,
    /// To come back after its connection was lost or the service is there again.
    pub back: Duration,
    /// For a decision in a match without clocks.
    pub answer: Duration,
}

impl Patience {
    /// The usual one.
    pub const USUAL: Self = Self {
        start: START_LIMIT,
        back: RETURN_LIMIT,
        answer: ANSWER_LIMIT,
    };
}

/// What all checks of a bot have in common.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) service: EmbeddedService,
    /// The kit's connection, which creates the matches and watches them.
    pub(super) runner: Client,
    /// The bot under test.
    pub(super) bot: Name,
    pub(super) candidate: Candidate,
    /// The folder for what its programs write.
    pub(super) logs: PathBuf,
    /// How long it may take.
    pub(super) patience: Patience,
}
