//! What passes between a player and a service, for whoever stands between the two and carries
//! their messages: reads those that matter, and writes what a service could say.
//!
//! A message is the bytes of one message of the API, and belongs to the path of its call.

mod asked;
mod path;
mod speak;
mod told;

pub use asked::{Asked, AskedAnswer};
pub use path::{GET_DECISION, PLAY, SUBMIT_ACTION, WATCH_MATCH};
pub use speak::{play_closing, refusal_status, refused, watch_closing, with_action};
pub use told::Told;
