use std::time::Duration;

/// The longest delay for spectators.
pub const MAX_SPECTATOR_DELAY: Duration = Duration::from_hours(24);

/// Who may see a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Those whom it concerns: its players, those for whom a seat is kept, its creator, and operators.
    Private,
}

/// Who may see a match, and how soon those see it whom it does not concern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    visibility: Visibility,
    spectator_delay: Duration,
}

/// A delay for spectators that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a delay for spectators is at most {} hours", MAX_SPECTATOR_DELAY.as_secs() / 3600)]
pub struct InvalidSpectatorDelay;

/// How much of a match somebody sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Everything at once.
    Whole,
    /// The match as it was so long ago; its creation at once.
    Delayed(Duration),
    /// Nothing, not even that there is such a match.
    Nothing,
}

impl Audience {
    /// Who may see a match, and how soon spectators do.
    ///
    /// # Errors
    ///
    /// The delay is longer than [`MAX_SPECTATOR_DELAY`].
    pub fn new(
        visibility: Visibility,
        spectator_delay: Duration,
    ) -> Result<Self, InvalidSpectatorDelay> {
        if spectator_delay > MAX_SPECTATOR_DELAY {
            return Err(InvalidSpectatorDelay);
        }
        Ok(Self {
            visibility,
            spectator_delay,
        })
    }

    /// Who may see the match.
    #[must_use]
    pub const fn visibility(self) -> Visibility {
        self.visibility
    }

    /// How much later than it happens spectators see what happens, until the match is over; zero for at
    /// once.
    #[must_use]
    pub const fn spectator_delay(self) -> Duration {
        self.spectator_delay
    }

    /// How much somebody sees of a match of this audience; `is_over` tells whether the match is.
    #[must_use]
    pub const fn sight(self, is_concerned: bool, is_over: bool) -> Sight {
        match self.visibility {
            _ if is_concerned => Sight::Whole,
            Visibility::Private => Sight::Nothing,
            Visibility::Public if is_over || self.spectator_delay.is_zero() => Sight::Whole,
            Visibility::Public => Sight::Delayed(self.spectator_delay),
        }
    }
}
