use std::ops::Neg;

/// The value of a position for a seat; the opponent's value is the negative.
///
/// A won game is worth more than any that continues, a win with more gain more than one with less, and of
/// wins with the same gain the earlier one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(i32);

impl Value {
    /// Bound of the values of games that continue.
    pub const STATIC_MAX: i32 = 1_000_000;
    /// Largest gain of a win.
    pub const GAIN_MAX: u16 = 10_000;
    /// A drawn game.
    pub const DRAW: Self = Self(0);
    /// Greater than every other value.
    pub const INFINITY: Self = Self(i32::MAX);

    /// Values between wins of neighbouring gains, for the plies until the end.
    const GAIN_STEP: i32 = 256;
    const WIN_MIN: i32 = Self::STATIC_MAX + 1;

    /// The value of a game that continues, clamped to [`Value::STATIC_MAX`].
    #[must_use]
    pub fn of_position(points: i32) -> Self {
        Self(points.clamp(-Self::STATIC_MAX, Self::STATIC_MAX))
    }

    /// The value of a win in `plies` plies. The gain is clamped to [`Value::GAIN_MAX`].
    #[must_use]
    pub fn win(gain: u16, plies: u8) -> Self {
        let haste = Self::GAIN_STEP - 1 - i32::from(plies);
        Self(Self::WIN_MIN + i32::from(gain.min(Self::GAIN_MAX)) * Self::GAIN_STEP + haste)
    }

    /// Returns the gain if the game is as good as won.
    #[must_use]
    pub fn won_gain(self) -> Option<u16> {
        let above = self
            .0
            .checked_sub(Self::WIN_MIN)
            .filter(|above| *above >= 0)?;
        u16::try_from(above / Self::GAIN_STEP).ok()
    }

    /// The value as a number: see [`Value::of_position`] and [`Value::win`].
    #[must_use]
    pub const fn points(self) -> i32 {
        self.0
    }

    /// The same value seen from some plies earlier: wins and losses are farther away.
    pub(super) const fn seen_from_before(self, plies: u8) -> Self {
        self.hastened(-(plies as i32))
    }

    /// The reverse of [`Value::seen_from_before`].
    pub(super) const fn seen_from_after(self, plies: u8) -> Self {
        self.hastened(plies as i32)
    }

    /// The next greater value.
    pub(super) const fn successor(self) -> Self {
        Self(self.0 + 1)
    }

    pub(super) const fn is_win(self) -> bool {
        self.0 >= Self::WIN_MIN
    }

    pub(super) const fn is_loss(self) -> bool {
        self.0 <= -Self::WIN_MIN
    }

    pub(super) const fn from_points(points: i32) -> Self {
        Self(points)
    }

    const fn hastened(self, plies: i32) -> Self {
        if self.is_win() {
            Self(self.0 + plies)
        } else if self.is_loss() {
            Self(self.0 - plies)
        } else {
            self
        }
    }
}

impl Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}
