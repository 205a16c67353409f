/// The weights of the edges of a graph: for each pair of vertices a list of numbers of which the
/// first counts most, or no edge at all.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    vertices: usize,
    /// The numbers in a weight.
    length: usize,
    edges: Vec<bool>,
    numbers: Vec<i32>,
}

impl Weights {
    /// A graph without edges, whose weights have so many numbers.
    pub(super) fn new(vertices: usize, length: usize) -> Self {
        Self {
            vertices,
            length,
            edges: vec![false; vertices * vertices],
            numbers: vec![0; vertices * vertices * length],
        }
    }

    /// The number of vertices.
    pub(super) const fn vertices(&self) -> usize {
        self.vertices
    }

    /// The number of numbers in a weight.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// Sets an edge, with its weight.
    pub(super) fn set(&mut self, one: usize, other: usize, weight: &[i32]) {
        for place in [one * self.vertices + other, other * self.vertices + one] {
            self.edges[place] = true;
            let start = place * self.length;
            self.numbers[start..start + self.length].copy_from_slice(weight);
        }
    }

    /// Whether there is an edge.
    pub(super) fn has(&self, one: usize, other: usize) -> bool {
        self.edges[one * self.vertices + other]
    }

    /// The weight of an edge; zeros where there is none.
    pub(super) fn of(&self, one: usize, other: usize) -> &[i32] {
        let start = (one * self.vertices + other) * self.length;
        &self.numbers[start..start + self.length]
    }
}
