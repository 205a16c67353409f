use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The phase of the service, shared with all who need it.
#[derive(Clone, Debug)]
pub(crate) struct Readiness(Arc<Mutex<Phase>>);

/// The phases of a service, in order; it may skip one, and goes back only from [`Phase::LogAway`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// It reads its event log.
    Recovering,
    /// It takes calls.
    Ready,
    /// Its event log is away for a while: it takes no calls that change or read it.
    LogAway,
    /// Its event log has failed: it takes calls that change nothing.
    LogFailed,
    /// It shuts down.
    Draining,
}

impl Readiness {
    /// Creates the readiness of a service that has just started.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Phase::Recovering)))
    }

    /// Goes on to `phase`; where the service is further than that, nothing changes.
    pub(crate) fn reach(&self, phase: Phase) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *current = phase.max(*current);
    }

    /// Goes back to [`Phase::Ready`] from [`Phase::LogAway`]; in any other phase nothing changes.
    pub(crate) fn log_is_back(&self) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *current == Phase::LogAway {
            *current = Phase::Ready;
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Phase {
    /// All of them, in their order.
    pub(super) const ALL: [Self; 5] = [
        Self::Recovering,
        Self::Ready,
        Self::LogAway,
        Self::LogFailed,
        Self::Draining,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Recovering => "recovering",
            Self::Ready => "ready",
            Self::LogAway => "log away",
            Self::LogFailed => "log failed",
            Self::Draining => "draining",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drains_does_not_become_ready() {
        let readiness = Readiness::new();
        assert_eq!(readiness.phase(), Phase::Recovering);
        readiness.reach(Phase::Ready);
        assert_eq!(readiness.phase(), Phase::Ready);
        readiness.reach(Phase::Draining);
        readiness.reach(Phase::LogFailed);
        readiness.log_is_back();
        assert_eq!(readiness.phase(), Phase::Draining);
    }
}
