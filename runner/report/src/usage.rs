use serde::Serialize;

/// The resources that the runner used in all sessions of a run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunnerUsage {
    /// The matches that ended in them.
    pub matches: u64,
    /// The actions in these matches.
    pub actions: u64,
    /// Their duration in milliseconds.
    pub wall_ms: u64,
    /// The time of processors that the runner itself used, in milliseconds: with the embedded
    /// service and the built-in bots in it, without the programs.
    pub cpu_ms: u64,
}

impl RunnerUsage {
    /// The share of one processor that the runner used, from 0.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share is shown in percent")]
    pub fn cpu_share(&self) -> f64 {
        self.cpu_ms as f64 / (self.wall_ms as f64).max(1.0)
    }
}
