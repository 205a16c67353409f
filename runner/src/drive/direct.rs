//! Matches of built-in bots and engines that the runner plays by itself, by the rules and the clocks of the service, without one.

mod bots;
mod direct_match;
mod direct_player;
mod lanes;
mod venue;

pub(super) use bots::{DirectBot, close_bots, direct_bots, plays_directly};
pub(super) use lanes::Lanes;
pub(super) use venue::DirectVenue;
