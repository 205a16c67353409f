//! Matches of built-in bots and engines that the runner plays by itself, by the rules and the clocks of the service, without one.

mod arena;
mod bots;
mod direct_match;
mod direct_player;

pub(super) use arena::DirectArena;
pub(super) use bots::{DirectBot, close_bots, direct_bots, plays_directly};
