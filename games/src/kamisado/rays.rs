use super::Rank;
use super::square::Spot;

/// For each rank and spot the spots in reach on the empty board: left ahead, straight ahead,
/// right ahead.
static RAYS: [[[u64; 3]; 64]; 4] = {
    let mut rays = [[[0; 3]; 64]; 4];
    let mut rank = 0;
    while rank < 4 {
        let mut spot = 0;
        while spot < 64 {
            let range = Rank::ALL[rank].range();
            rays[rank][spot] = [
                ray(spot, -1, range),
                ray(spot, 0, range),
                ray(spot, 1, range),
            ];
            spot += 1;
        }
        rank += 1;
    }
    rays
};

/// For each spot the two or three spots that a tower can step to on the empty board.
static NEXT: [u64; 64] = {
    let mut next = [0; 64];
    let mut spot = 0;
    while spot < 64 {
        next[spot] = ray(spot, -1, 1) | ray(spot, 0, 1) | ray(spot, 1, 1);
        spot += 1;
    }
    next
};

/// The empty spots to which a tower of `rank` on `spot` can move, as bits, where `occupied` are the
/// spots with a tower (rules M1 to M4, S1, DS1, TS1).
#[inline]
pub(super) fn reach(spot: Spot, rank: Rank, occupied: u64) -> u64 {
    let [left, straight, right] = RAYS[rank as usize][spot.index()];
    free_part(left, occupied) | free_part(straight, occupied) | free_part(right, occupied)
}

/// Whether a tower on `spot` has an empty spot to step to. Towers of any rank step there.
#[inline]
pub(super) fn has_room(spot: Spot, occupied: u64) -> bool {
    NEXT[spot.index()] & !occupied != 0
}

/// The part of a ray before its first tower. A ray goes to higher spots, so that tower is its
/// lowest bit; if there is none the mask is all ones.
#[inline]
const fn free_part(ray: u64, occupied: u64) -> u64 {
    let towers = ray & occupied;
    let first = towers & towers.wrapping_neg();
    ray & first.wrapping_sub(1)
}

const fn ray(spot: usize, sideways: isize, range: u8) -> u64 {
    let mut bits = 0;
    let mut column = (spot % 8).cast_signed() + sideways;
    let mut row = spot / 8 + 1;
    let mut steps = 0;
    while steps < range && row < 8 && column >= 0 && column < 8 {
        bits |= 1 << (row * 8 + column.cast_unsigned());
        column += sideways;
        row += 1;
        steps += 1;
    }
    bits
}
