/// The chances of the side that has just played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Chances {
    /// To win at all.
    pub(super) win: f32,
    /// To win a gammon or more.
    pub(super) gammon: f32,
    /// To lose one.
    pub(super) gammon_lost: f32,
    /// In a race the rolls that the side still needs, else 0: of plays that win as often the
    /// shorter is better.
    pub(super) haste: f32,
}

impl Chances {
    /// The chances of the opponent.
    pub(super) fn turned(self) -> Self {
        Self {
            win: 1.0 - self.win,
            gammon: self.gammon_lost,
            gammon_lost: self.gammon,
            haste: -self.haste,
        }
    }

    /// Adds the chances of a case that has a part in all cases.
    pub(super) fn add(&mut self, part: f32, case: Self) {
        self.win += part * case.win;
        self.gammon += part * case.gammon;
        self.gammon_lost += part * case.gammon_lost;
        self.haste += part * case.haste;
    }
}
