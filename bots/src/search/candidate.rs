/// A legal action that is to be searched.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<A> {
    pub(super) action: A,
    /// Its place in the order of the rules.
    pub(super) index: u16,
    /// Its slot in the history.
    pub(super) slot: u16,
    /// The higher, the earlier it is searched.
    pub(super) priority: i32,
}

impl<A: Copy> Candidate<A> {
    /// The action.
    #[must_use]
    pub const fn action(&self) -> A {
        self.action
    }

    /// Has it searched before all candidates with a lower hint. Without one the hint is 0.
    pub fn hint(&mut self, hint: i16) {
        self.priority += i32::from(hint) << HINT_SHIFT;
    }
}

/// Hints weigh more than what a search learns on its way.
const HINT_SHIFT: u32 = 14;
/// A priority below that of the next hint.
pub(super) const LEARNT_MAX: i32 = (1 << HINT_SHIFT) - 1;
/// Above the priority of every hint.
pub(super) const BEST_KNOWN: i32 = i32::MAX;
