//! The tournament runner of Dragontooth: tournaments of bots, each from one file.
//!
//! [`config`] reads the file, [`tournament`] says who meets whom and what follows from the
//! results, [`statistics`] how strong the bots are by them, [`record`] keeps the results in the
//! folder of the run, [`report`] shows them, [`verify`] checks them, and [`drive`] plays the matches.

pub mod cli;
pub mod config;
pub mod conformance;
pub mod drive;
pub mod exit_code;
pub mod record;
pub mod report;
pub mod statistics;
pub mod tournament;
pub mod verify;
