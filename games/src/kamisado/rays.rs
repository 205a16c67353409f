use super::Rank;
use super::square::Spot;

/// For each rank and spot, the spots within range on an empty board: ahead to the left, straight
/// ahead, ahead to the right.
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

/// For each spot, the two or three spots that are one step away on an empty board.
static NEXT: [u64; 64] = {
    let mut next = [0; 64];
    let mut spot = 0;
    while spot < 64 {
        next[spot] = ray(spot, -1, 1) | ray(spot, 0, 1) | ray(spot, 1, 1);
        spot += 1;
    }
    next
};

/// The empty spots that a tower of `rank` on `spot` can move to, one bit each (rules M1 to M4, S1,
/// DS1, TS1).
#[inline]
pub(super) fn reach(spot: Spot, rank: Rank, occupied: u64) -> u64 {
    let [left, straight, right] = RAYS[rank as usize][spot.index()];
    free_part(left, occupied) | free_part(straight, occupied) | free_part(right, occupied)
}

/// Returns true if a tower on `spot` can move. A tower that can move at all can move one step,
/// whatever its rank, so no ray needs to be followed.
#[inline]
pub(super) fn has_room(spot: Spot, occupied: u64) -> bool {
    NEXT[spot.index()] & !occupied != 0
}

/// The part of a ray before its first tower.
///
/// A ray goes to higher spots, so its first tower is the lowest bit of `towers`, and one less than
/// that bit is a mask of everything below it. With no tower, 0 - 1 wraps to a mask of all ones.
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
