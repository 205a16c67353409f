use std::time::Duration;

use super::Usage;

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// How, for people.
    pub status: String,
    /// What it took more of than it may, for people.
    pub exceeded: Option<String>,
    /// What it took.
    pub usage: Usage,
    /// How long it ran.
    pub ran: Duration,
}
