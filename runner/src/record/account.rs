use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;

use super::played::Fault;

/// What a line tells of a match beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id in the service.
    pub match_id: String,
    /// When it was created.
    pub started: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
    /// The time between.
    pub duration: Duration,
    /// What the bots did wrong, in order.
    pub faults: Vec<Fault>,
}

impl Account {
    /// The faults of the bot in `seat`.
    pub fn faults_of(&self, seat: Seat) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| fault.seat == seat)
    }
}
