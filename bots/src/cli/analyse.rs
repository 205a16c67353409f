//! Answering questions about positions, a line each.

mod answer;
mod lines;
mod question;
mod serve;

pub(super) use serve::run;
