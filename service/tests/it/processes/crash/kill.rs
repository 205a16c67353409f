use std::fmt;
use std::time::Duration;

use crate::random_player::Draws;

/// The state of the service when it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kill {
    /// It serves players.
    UnderLoad,
    /// It is opening its log or resuming its matches, or has just done so.
    WhileStarting,
    /// It is stopping.
    WhileStopping,
}

/// The number of kills in each state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kills([u64; 3]);

impl Kill {
    /// Picks the state for the next kill.
    pub(super) fn draw(draws: &mut Draws) -> Self {
        *draws.one_of(&[Self::UnderLoad, Self::UnderLoad, Self::WhileStopping])
    }

    /// A moment during something that takes this long, or shortly after it.
    pub(super) fn moment_of(whole: Duration, draws: &mut Draws) -> Duration {
        let micros = u64::try_from(whole.as_micros()).unwrap();
        Duration::from_micros(draws.below(micros * 5 / 4 + 1))
    }
}

impl Kills {
    pub(super) fn count(&mut self, kill: Kill) {
        self.0[kill as usize] += 1;
    }

    pub(super) fn all(self) -> u64 {
        self.0.iter().sum()
    }
}

impl fmt::Display for Kills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [load, starting, stopping] = self.0;
        let all = self.all();
        write!(
            f,
            "{all} ({load} under load, {starting} while starting, {stopping} while stopping)"
        )
    }
}
