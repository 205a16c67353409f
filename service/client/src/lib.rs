//! A typed client of the Dragontooth service.
//!
//! The runner, the bots and the service's tests talk to a service through [`Client`]. The
//! generated types of the API stop here: what comes in is converted to plain types, or to an
//! [`InvalidResponse`] that names the field, and a refusal is a [`Refusal`] with its [`Reason`]
//! instead of a status code and a text.
//!
//! Nothing here panics on what a service sends, and every buffer has a limit: see
//! [`MAX_RESPONSE_BYTES`] and [`PLAY_QUEUE_REQUESTS`].

mod address;
mod admin_calls;
mod analysis;
mod backoff;
mod backup_chunks;
mod budget;
mod client;
mod clocks;
mod closing;
mod decision;
mod error;
mod event;
mod from_proto;
mod game;
mod game_calls;
mod invalid_response;
mod match_calls;
mod match_view;
mod new_match;
mod page;
mod play;
mod play_messages;
mod reason;
mod refusal;
mod resignation;
mod retry;
mod score;
mod tls;
mod tls_fault;
mod to_proto;
mod token;
mod token_view;
mod watch;
pub mod wire_tap;

pub use address::{InvalidServerAddress, ServerAddress};
pub use analysis::{Analysis, AnalysisQuestion};
pub use backoff::Backoff;
pub use backup_chunks::BackupChunks;
pub use budget::Budget;
pub use client::{
    CALL_TIMEOUT, CONNECT_TIMEOUT, Client, KEEP_ALIVE_INTERVAL, KEEP_ALIVE_TIMEOUT,
    MAX_RESPONSE_BYTES,
};
pub use clocks::Clocks;
pub use closing::Closing;
pub use decision::{Decision, DecisionId};
pub use error::{ClientError, InvalidRequest};
pub use event::{EventFacts, GameOutcome, WatchedEvent, system_time};
pub use game::{GameInfo, VariantInfo};
pub use game_calls::Submitted;
pub use invalid_response::{FieldFault, InvalidResponse};
pub use match_calls::{Joined, Record, Verified};
pub use match_view::{MatchOutcome, MatchView, SeatView};
pub use new_match::NewMatch;
pub use page::{MatchFilter, Page, PageToken};
pub use play::{PLAY_QUEUE_REQUESTS, PlayReceiver, PlaySender, PlaySession, StreamEnded};
pub use play_messages::{
    Answer, AnswerAccepted, Invitation, Opened, PlayEvent, PlayOptions, RefusedRequest,
};
pub use reason::Reason;
pub use refusal::{FieldViolation, Refusal};
pub use resignation::{FAILURE_MAX_BYTES, Resignation};
pub use retry::{random_request_id, retry, retry_reporting};
pub use score::Score;
pub use tls::{Tls, TlsFileError, TlsFiles};
pub use token::{InvalidToken, Token};
pub use token_view::{Identity, IssuedToken, NewToken, TokenView};
pub use tonic::Code;
pub use watch::{Resume, Watch, WatchUpdate};
