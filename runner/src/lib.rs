//! The tournament runner of Dragontooth: tournaments of bots, each from one file.
//!
//! [`config`] reads the file, [`record`] keeps the results in the folder of the run, [`verify`] checks
//! them, and [`drive`] plays the matches while [`progress`] shows how far it has come. Crates of their own
//! say who meets whom and how strong the bots are (`tournament`), show the tables (`report`), start the
//! programs of bots (`programs`) and check what a bot does (`conformance`).

pub mod cli;
pub mod config;
pub mod drive;
pub mod exit_code;
pub mod progress;
pub mod record;
pub mod verify;
