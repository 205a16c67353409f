/// The edge weights of a graph. A weight is a list of numbers, compared in order; a pair of
/// vertices without a weight has no edge.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    vertices: usize,
    /// Length of a weight.
    length: usize,
    edges: Vec<bool>,
    numbers: Vec<i32>,
}

impl Weights {
    /// Creates a graph without edges, with weights of this length.
    pub(super) fn new(vertices: usize, length: usize) -> Self {
        Self {
            vertices,
            length,
            edges: vec![false; vertices * vertices],
            numbers: vec![0; vertices * vertices * length],
        }
    }

    /// Number of vertices.
    pub(super) const fn vertices(&self) -> usize {
        self.vertices
    }

    /// Length of a weight.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// Sets the weight of an edge.
    pub(super) fn set(&mut self, one: usize, other: usize, weight: &[i32]) {
        for place in [one * self.vertices + other, other * self.vertices + one] {
            self.edges[place] = true;
            let start = place * self.length;
            self.numbers[start..start + self.length].copy_from_slice(weight);
        }
    }

    /// Returns true if there is an edge.
    pub(super) fn has(&self, one: usize, other: usize) -> bool {
        self.edges[one * self.vertices + other]
    }

    /// Returns the weight of an edge; zeros if there is none.
    pub(super) fn of(&self, one: usize, other: usize) -> &[i32] {
        let start = (one * self.vertices + other) * self.length;
        &self.numbers[start..start + self.length]
    }
}
