//! Reads and writes the messages between a player and a service, for a proxy between the two.
//!
//! A message is the encoded bytes of one API message; the path of its call determines its type.

mod encode;
mod path;
mod raw_codec;
mod request;
mod response;

pub use encode::{play_closing, refusal_status, refused, watch_closing, with_action};
pub use path::{GET_DECISION, PLAY, SUBMIT_ACTION, WATCH_MATCH, WHO_AM_I};
pub use raw_codec::RawCodec;
pub use request::{TappedAnswer, TappedRequest};
pub use response::TappedResponse;
