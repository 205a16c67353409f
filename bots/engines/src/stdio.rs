//! Bots that know nothing of gRPC: programs, called engines, that speak a protocol of one JSON object per
//! line on standard input and output. The page `docs/stdio.md` describes the protocol.
//!
//! [`ToEngine`] and [`FromEngine`] are its messages, pure: read from lines and written as lines.
//! [`Engines`] starts as many processes of the program as the matches need, and [`EngineMatch`] plays a
//! match with one of them.
//!
//! ```
//! use dragontooth_bots_engines::stdio::{FromEngine, ToEngine};
//!
//! let mut lines = Vec::new();
//! ToEngine::IsReady.write(&mut lines);
//! assert_eq!(lines, b"{\"type\":\"isready\"}\n");
//!
//! let answer = FromEngine::read(br#"{"type":"readyok"}"#)?;
//! assert_eq!(answer, FromEngine::ReadyOk);
//! # Ok::<(), dragontooth_bots_engines::stdio::UnreadableMessage>(())
//! ```

mod engine;
mod engine_match;
mod engine_thinking;
mod engines;
mod fault;
mod from_engine;
mod history_lines;
mod inbox;
mod launch;
mod match_info;
mod messages;
mod pending_replies;
mod shortened;

pub use engine::{FLOOD_BYTES_MAX, GRACE, READY_LIMIT, REFUSED_MAX, WRITE_LIMIT};
pub use engine_match::{AnswerDeadline, DecisionRequest, EngineMatch};
pub use engine_thinking::{EngineThinking, EngineThinkingFault};
pub use engines::Engines;
pub use fault::EngineFault;
pub use from_engine::{
    AnswerTo, EngineHello, FromEngine, LINE_BYTES_MAX, MATCHES_OF_ENGINE_MAX, SentThinking,
    UnreadableMessage,
};
pub use history_lines::STEPS_MAX;
pub use launch::{Launch, NoteEnd, START_LIMIT};
pub use match_info::{Choice, MatchEnd, MatchInfo};
pub use messages::{
    BySeat, ClockTerms, GameOverMessage, GoMessage, HelloMessage, HistoryStep, MatchOverMessage,
    NewGameMessage, NewMatchMessage, PROTOCOL, PositionMessage, RefusedMessage, SeatName,
    StopMessage, ToEngine,
};
pub use shortened::shortened;
