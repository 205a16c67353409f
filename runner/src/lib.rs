//! The tournament runner of Dragontooth: tournaments of bots, each from one file.
//!
//! [`config`] reads the file, [`record`] keeps the results in the run directory, [`reports`] renders them,
//! [`verify`] checks them, and [`drive`] plays the matches while [`progress`] shows them. Crates below this one compute pairings,
//! standings and ratings (`tournament`), render the tables (`report`), start the programs of bots
//! (`programs`) and check the protocol of a bot (`conformance`).

mod adjudicator;
pub mod cli;
pub mod config;
pub mod draw_secret;
pub mod drive;
pub mod exit_code;
pub mod openings;
pub mod progress;
pub mod record;
pub mod reports;
pub mod verify;
