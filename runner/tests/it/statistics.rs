//! The statistics: external vectors, laws, and simulations with a known truth.

mod distributions;
mod laws;
mod ratings;
mod simulation;
mod vectors;
