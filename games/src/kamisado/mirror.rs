use super::{Colour, Demand, Position};

impl Position {
    /// The position mirrored left to right. The colours of the board then swap in pairs, and so do the towers.
    pub(super) fn mirrored(&self) -> Self {
        let spots = self
            .spots
            .map(|spots| Colour::ALL.map(|colour| spots[colour.mirrored().index()].mirrored()));
        let (seat, promoted) = self.promoted;
        Self {
            spots,
            occupied: self.occupied.map(mirrored_rows),
            teeth: self.teeth.map(mirrored_pairs),
            passed: mirrored_bytes(self.passed),
            to_move: self.to_move,
            demand: match self.demand {
                Demand::Tower(colour) => Demand::Tower(colour.mirrored()),
                demand @ (Demand::Any | Demand::Refill) => demand,
            },
            won: self.won,
            promoted: (seat, promoted.mirrored()),
        }
    }
}

/// Reverses the bits of each row.
const fn mirrored_rows(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Reverses the order of the two bits of each colour.
const fn mirrored_pairs(teeth: u16) -> u16 {
    let reversed = teeth.reverse_bits();
    (reversed & 0x5555) << 1 | (reversed >> 1) & 0x5555
}

/// Reverses the bits of each seat.
const fn mirrored_bytes(passed: u16) -> u16 {
    passed.reverse_bits().swap_bytes()
}
