//! Streams as they are promised, when there is much to tell and many to tell it to.

mod far_behind;
mod long_match;
mod many_players;
mod many_watchers;
