//! Streams under load: many events and many readers.

mod far_behind;
mod long_match;
mod many_players;
mod many_watchers;
