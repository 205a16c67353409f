use std::path::PathBuf;
use std::time::Duration;

use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Client;

use super::bot_under_test::ExaminedBot;
use super::embedded_service::EmbeddedService;

/// Time that a bot has from its start to its first message to the service, and to take its reserved seat.
pub const START_LIMIT: Duration = Duration::from_secs(15);
/// Time that a bot has to reconnect after a lost connection or an outage.
pub const RETURN_LIMIT: Duration = Duration::from_secs(15);
/// Default time that a bot has for a decision in a match without clocks.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The time limits of a bot.
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

/// The parts that all checks of a bot share.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) service: EmbeddedService,
    /// The kit's connection, which creates the matches and watches them.
    pub(super) runner: Client,
    /// The bot under test.
    pub(super) bot: Name,
    pub(super) candidate: ExaminedBot,
    /// The folder for the output of its programs.
    pub(super) logs: PathBuf,
    /// Its time limits.
    pub(super) patience: Patience,
}
