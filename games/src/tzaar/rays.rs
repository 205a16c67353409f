use super::Point;

/// The points in each direction from a point up to the edge or the hole, one bit each. The first
/// three directions lead to points with higher indices, the last three to lower ones.
type Rays = [u64; 6];

/// The directions of [`Rays`] on the lattice.
const DIRECTIONS: [(i8, i8); 6] = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)];

/// The rays of each point. Those of the indices 60 to 63, which are not points, are empty.
static RAYS: [Rays; 64] = {
    let mut rays = [[0; 6]; 64];
    let mut index = 0;
    while let Some(point) = Point::from_index(index) {
        let mut direction = 0;
        while direction < 6 {
            rays[index as usize][direction] = ray(point, DIRECTIONS[direction]);
            direction += 1;
        }
        index += 1;
    }
    rays
};

/// The first unit in each direction from a point.
///
/// Along a ray indices only rise or only fall, so its first unit is the lowest or the highest bit
/// of the occupied points on it.
#[inline]
pub(super) fn neighbours(point: Point, occupied: u64) -> u64 {
    let rays = &RAYS[point.index() & 63];
    let [up, up_x, up_both] = [rays[0], rays[1], rays[2]].map(|ray| lowest(ray & occupied));
    let [down, down_x, down_both] = [rays[3], rays[4], rays[5]].map(|ray| highest(ray & occupied));
    up | up_x | up_both | down | down_x | down_both
}

#[inline]
const fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// The highest set bit. If there is none, bit 63, which is not a point: `wrapping_shr` takes the
/// shift of 64 modulo 64. That saves a branch.
#[inline]
const fn highest(bits: u64) -> u64 {
    (1_u64 << 63).wrapping_shr(bits.leading_zeros())
}

const fn ray(from: Point, direction: (i8, i8)) -> u64 {
    let mut bits = 0;
    let (mut x, mut y) = from.lattice();
    loop {
        x += direction.0;
        y += direction.1;
        match Point::from_lattice(x, y) {
            Some(point) if point.index() != Point::HOLE.index() => bits |= point.bit(),
            _ => return bits,
        }
    }
}
