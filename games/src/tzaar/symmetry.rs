use super::{Point, Position};

/// A symmetry of the board: the image of each point, by index.
type Images = [Point; 60];

/// The twelve symmetries of the hexagon, first the one that moves nothing.
fn symmetries() -> impl Iterator<Item = Images> {
    [false, true].into_iter().flat_map(|is_reflected| {
        (0..6).map(move |sixths| {
            let mut images = [Point::HOLE; 60];
            for point in Point::all() {
                images[point.index()] = image(point, sixths, is_reflected);
            }
            images
        })
    })
}

/// The image of a point after a reflection, if there is one, and this many sixths of a turn.
fn image(point: Point, sixths: u8, is_reflected: bool) -> Point {
    let (hole_x, hole_y) = Point::HOLE.lattice();
    let (x, y) = point.lattice();
    let (mut x, mut y) = (x - hole_x, y - hole_y);
    if is_reflected {
        (x, y) = (y, x);
    }
    for _ in 0..sixths {
        (x, y) = (x - y, x);
    }
    Point::from_lattice(x + hole_x, y + hole_y).expect("a symmetry keeps the board")
}

impl Position {
    /// The images of the position under the symmetries of the board, itself first.
    pub(super) fn symmetric(&self) -> Vec<Self> {
        symmetries().map(|images| self.moved(&images)).collect()
    }

    fn moved(&self, images: &Images) -> Self {
        let moved = |bits: u64| {
            let points = Point::all().filter(|point| bits & point.bit() != 0);
            points.fold(0, |bits, point| bits | images[point.index()].bit())
        };
        let mut heights = [0; 64];
        for point in Point::all() {
            heights[images[point.index()].index()] = self.height(point);
        }
        Self {
            seats: self.seats.map(moved),
            kinds: self.kinds.map(moved),
            stacks: moved(self.stacks),
            heights,
            to_move: self.to_move,
            due: self.due,
        }
    }
}
