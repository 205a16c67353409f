use std::time::Duration;

/// The longest delay for spectators.
pub const MAX_SPECTATOR_DELAY: Duration = Duration::from_hours(24);

/// The readers of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Its participants: the players, those for whom a seat is reserved, the creator. Operators too.
    Private,
}

/// The readers of a match, and the delay for those who do not take part in it.
///
/// ```
/// use std::time::Duration;
/// use dragontooth_service_vocabulary::{Audience, Sight, Visibility};
///
/// let delay = Duration::from_secs(90);
/// let audience = Audience::new(Visibility::Public, delay)?;
/// assert_eq!(audience.sight(true, false), Sight::Whole);
/// assert_eq!(audience.sight(false, false), Sight::Delayed(delay));
/// assert_eq!(audience.sight(false, true), Sight::Whole);
/// # Ok::<(), dragontooth_service_vocabulary::InvalidSpectatorDelay>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    visibility: Visibility,
    spectator_delay: Duration,
}

/// The error for a delay for spectators that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a delay for spectators is at most {} hours", MAX_SPECTATOR_DELAY.as_secs() / 3600)]
pub struct InvalidSpectatorDelay;

/// The part of a match that a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Everything at once.
    Whole,
    /// The match as it was this long ago; its creation at once.
    Delayed(Duration),
    /// Nothing, not even that the match exists.
    Nothing,
}

impl Audience {
    /// An audience with a delay for spectators; zero means no delay.
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

    /// The readers of the match.
    #[must_use]
    pub const fn visibility(self) -> Visibility {
        self.visibility
    }

    /// The delay after which spectators see an event until the match is over; zero means no delay.
    #[must_use]
    pub const fn spectator_delay(self) -> Duration {
        self.spectator_delay
    }

    /// The part that a reader sees of a match with this audience. `takes_part` is true for
    /// participants and operators.
    #[must_use]
    pub const fn sight(self, takes_part: bool, is_over: bool) -> Sight {
        match self.visibility {
            _ if takes_part => Sight::Whole,
            Visibility::Private => Sight::Nothing,
            Visibility::Public if is_over || self.spectator_delay.is_zero() => Sight::Whole,
            Visibility::Public => Sight::Delayed(self.spectator_delay),
        }
    }
}
