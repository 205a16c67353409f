//! Arenas.

mod entries;
mod few_players;
mod simulation;
