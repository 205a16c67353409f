//! The command `analyze`: answers questions about positions, one per line.

mod answer;
mod lines;
mod question;
mod serve;

pub(super) use serve::run;
