//! The tournament runner of Dragontooth: a round robin of bots from one file.

pub mod config;
pub mod record;
pub mod tournament;
