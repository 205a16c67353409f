//! The statistics: vectors from elsewhere, laws, and simulations with known truth.

mod distributions;
mod laws;
mod ratings;
mod simulation;
mod vectors;
