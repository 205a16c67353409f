/// A square matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// Creates a zero matrix.
    pub(super) fn zero(size: usize) -> Self {
        Self {
            size,
            cells: vec![0.0; size * size],
        }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// Adds `weight` times the outer product of a sparse vector, given by indices and values, with
    /// itself.
    pub(super) fn add_square(&mut self, vector: &[(usize, f64)], weight: f64) {
        for (row, one) in vector {
            for (column, other) in vector {
                self.add(*row, *column, weight * one * other);
            }
        }
    }

    /// Multiplies by another matrix of the same size.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for row in 0..self.size {
            for middle in 0..self.size {
                let factor = self.at(row, middle);
                for column in 0..self.size {
                    product.add(row, column, factor * other.at(middle, column));
                }
            }
        }
        product
    }

    /// Computes c' M c for a vector given by indices and values.
    pub(super) fn form(&self, vector: &[(usize, f64)]) -> f64 {
        let pairs = vector
            .iter()
            .flat_map(|one| vector.iter().map(move |other| (one, other)));
        pairs
            .map(|(one, other)| one.1 * other.1 * self.at(one.0, other.0))
            .sum()
    }

    /// Returns the lower triangle L with L L' = M (Cholesky); `None` if M is not positive definite.
    pub(super) fn cholesky(&self) -> Option<Triangle> {
        let mut lower = Self::zero(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let done: f64 = (0..column)
                    .map(|at| lower.at(row, at) * lower.at(column, at))
                    .sum();
                let left = self.at(row, column) - done;
                if row == column {
                    if left.is_nan() || left <= 0.0 {
                        return None;
                    }
                    lower.add(row, column, left.sqrt());
                } else {
                    let pivot = lower.at(column, column);
                    lower.add(row, column, left / pivot);
                }
            }
        }
        Some(Triangle(lower))
    }
}

/// The lower triangle of a positive definite matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Triangle(Matrix);

impl Triangle {
    /// Solves M x = `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (lower, size) = (&self.0, self.0.size);
        let mut x = right.to_vec();
        for row in 0..size {
            let done: f64 = (0..row).map(|at| lower.at(row, at) * x[at]).sum();
            x[row] = (x[row] - done) / lower.at(row, row);
        }
        for row in (0..size).rev() {
            let done: f64 = (row + 1..size).map(|at| lower.at(at, row) * x[at]).sum();
            x[row] = (x[row] - done) / lower.at(row, row);
        }
        x
    }

    /// Returns the inverse of M.
    pub(super) fn inverse(&self) -> Matrix {
        let size = self.0.size;
        let mut inverse = Matrix::zero(size);
        for column in 0..size {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse.add(row, column, value);
            }
        }
        inverse
    }
}
