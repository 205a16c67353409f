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
mod analysis_question;
mod backoff;
mod backup_chunks;
mod client;
mod closing;
mod decision;
mod error;
mod event;
mod exported_match;
mod from_proto;
mod game_calls;
mod game_view;
mod invalid_response;
mod limit_quota;
mod match_calls;
mod match_export;
mod match_resignation;
mod match_view;
mod offer_until;
mod page;
mod pem_file;
mod play;
mod play_messages;
mod player_calls;
mod player_view;
mod players_watch;
mod reason;
mod refusal;
mod replicas;
mod resuming_stream;
mod retry;
mod tls;
mod tls_fault;
mod to_proto;
mod token;
mod token_view;
mod transport;
mod watch;
pub mod wire_tap;

pub use address::{InvalidServerAddress, MAX_REPLICAS, ServerAddress};
pub use analysis_question::AnalysisQuestion;
pub use backoff::Backoff;
pub use backup_chunks::BackupChunks;
pub use client::{Client, KEEP_ALIVE_INTERVAL, KEEP_ALIVE_TIMEOUT, MAX_RESPONSE_BYTES};
pub use closing::Closing;
pub use decision::{Decision, DecisionId};
pub use error::{ClientError, InvalidRequest, identity_fault};
pub use event::{EventFacts, WatchedEvent, system_time};
pub use exported_match::ExportedMatch;
pub use game_calls::Submitted;
pub use game_view::{GameView, VariantView};
pub use invalid_response::{FieldFault, InvalidResponse};
pub use limit_quota::LimitQuota;
pub use match_calls::{Joined, Verified};
pub use match_export::{ExportUpdate, MatchExport};
pub use match_resignation::{FAILURE_MAX_BYTES, MatchResignation};
pub use match_view::{MatchView, SeatView};
pub use offer_until::{OfferUntil, PresenceId};
pub use page::{MatchFilter, Page, PageToken};
pub use pem_file::{PemFileError, read_certificates, read_private_key};
pub use play::{PLAY_QUEUE_REQUESTS, PlayReceiver, PlaySender, PlaySession, StreamEnded};
pub use play_messages::{
    Answer, AnswerAccepted, Closed, Invitation, Opened, PlayEvent, PlayOptions, RefusedRequest,
    RefusedThinking,
};
pub use player_view::PlayerView;
pub use players_watch::{MAX_WATCHED_PLAYERS, PlayersUpdate, PlayersWatch};
pub use reason::Reason;
pub use refusal::{FieldViolation, Refusal};
pub use replicas::CONNECT_TIMEOUT;
pub use resuming_stream::Resume;
pub use retry::{random_request_id, retry, retry_reporting};
pub use tls::{Tls, TlsFileError, TlsFiles};
pub use token::{InvalidToken, Token};
pub use token_view::{Identity, IssuedToken, TokenView};
pub use tonic::Code;
pub use transport::CALL_TIMEOUT;
pub use watch::{Watch, WatchUpdate};
