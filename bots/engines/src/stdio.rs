//! Bots that know nothing of gRPC: programs, called engines here, that speak a protocol of one JSON
//! object a line on standard input and output. The protocol is on the page `docs/stdio.md`.
//!
//! [`ToEngine`] and [`FromEngine`] are its messages, pure: read from lines and written as lines.
//! [`Engines`] starts the program as often as matches need it, and [`EngineMatch`] plays a match with one
//! of them.

mod choice;
mod desk;
mod engine;
mod engine_match;
mod engines;
mod fault;
mod from_engine;
mod inbox;
mod line;
mod messages;
mod shortened;
mod told;

pub use choice::{Choice, MatchEnd};
pub use engine::{FLOOD_BYTES_MAX, GRACE, READY_LIMIT, REFUSED_MAX, WRITE_LIMIT};
pub use engine_match::{Asked, EngineMatch, Patience, Terms};
pub use engines::{Engines, Launch, MATCHES_OF_ENGINE_MAX, NoteEnd, START_LIMIT};
pub use fault::EngineFault;
pub use from_engine::{AnswerTo, EngineHello, FromEngine, LINE_BYTES_MAX, Unreadable};
pub use messages::{
    Both, Clock, GameOver, Go, Hello, MatchOver, NewGame, NewMatch, PROTOCOL, Place, Refused,
    SeatName, Step, Stop, ToEngine,
};
pub use shortened::shortened;
pub use told::{STEPS_MAX, Told};
