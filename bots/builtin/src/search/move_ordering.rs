use std::hash::Hash;

use dragontooth_games::Seat;

use super::evaluation::LEARNT_MAX;
use super::key::key_of;
use super::limits::DEPTH_MAX;

/// Move ordering learnt during a search: the actions that refuted their siblings at the same ply (killers)
/// and the number of refutations by each action (history).
#[derive(Debug)]
pub(super) struct MoveOrdering<A> {
    killers: Vec<[Option<A>; 2]>,
    history: Vec<u16>,
}

/// Slots of the history for each seat; actions that share one share their history.
const SLOTS: u16 = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 12;
const KILLER: i32 = LEARNT_MAX - 1;
const SECOND_KILLER: i32 = LEARNT_MAX - 2;
const HISTORY_MAX: u16 = 16_000;
const _: () = assert!((HISTORY_MAX as i32) < SECOND_KILLER);

impl<A: Copy + Eq + Hash> MoveOrdering<A> {
    pub(super) fn new() -> Self {
        Self {
            killers: vec![[None; 2]; DEPTH_MAX as usize + 1],
            history: vec![0; 2 * usize::from(SLOTS)],
        }
    }

    pub(super) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    /// The slot in which the history of an action of `seat` is kept.
    #[inline]
    pub(super) fn slot(seat: Seat, action: &A) -> u16 {
        let slot = (key_of(action) >> (u64::BITS - SLOT_BITS)) as u16;
        match seat {
            Seat::First => slot,
            Seat::Second => SLOTS + slot,
        }
    }

    #[inline]
    pub(super) fn priority(&self, ply: u8, action: A, slot: u16) -> i32 {
        match self.killers[usize::from(ply)] {
            [Some(killer), _] if killer == action => KILLER,
            [_, Some(killer)] if killer == action => SECOND_KILLER,
            _ => self.history[usize::from(slot)].into(),
        }
    }

    /// Learns that `action` refuted its siblings by a search of `depth` plies.
    #[inline]
    pub(super) fn refuted(&mut self, ply: u8, depth: u8, action: A, slot: u16) {
        let killers = &mut self.killers[usize::from(ply)];
        if killers[0] != Some(action) {
            *killers = [Some(action), killers[0]];
        }
        let weight = u16::from(depth) * u16::from(depth);
        let count = &mut self.history[usize::from(slot)];
        *count += weight;
        if *count > HISTORY_MAX {
            self.history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}
