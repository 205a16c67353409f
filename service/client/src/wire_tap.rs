//! What passes between a player and a service, for whoever stands between the two and carries
//! their messages: reads those that matter, and writes what a service could say.
//!
//! A message is the bytes of one message of the API, and belongs to the path of its call.

mod encode;
mod path;
mod request;
mod response;

pub use encode::{play_closing, refusal_status, refused, watch_closing, with_action};
pub use path::{GET_DECISION, PLAY, SUBMIT_ACTION, WATCH_MATCH};
pub use request::{TappedAnswer, TappedRequest};
pub use response::TappedResponse;
