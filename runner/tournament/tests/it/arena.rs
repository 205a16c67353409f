//! Arenas.

mod entries;
mod simulation;
