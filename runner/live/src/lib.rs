//! The page of an event in progress: anybody who can reach it may look, and nobody can do anything.
//!
//! [`EventPage`] gets the progress of a run, and paints the page on a thread of its own, at a bounded rate and only
//! while somebody looks. [`PagePort`] serves what is painted: the page, and the parts of it that change as
//! server-sent events.

mod connection;
mod event_page;
mod inbox;
mod match_feed;
mod painter;
mod port;
mod shared;
mod snapshot;
mod spectator;

pub use event_page::EventPage;
pub use match_feed::MatchFeed;
pub use port::{MAX_SPECTATORS, PagePort, UnsafeAddress, WebAddress};
