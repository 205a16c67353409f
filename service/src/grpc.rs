//! The edge that speaks protobuf: requests into domain terms, and answers and refusals back.

mod admin_api;
mod admission;
mod analysis;
mod backend;
mod backup_stream;
mod call_cost;
mod encoded;
mod export_matches;
mod fault;
mod from_proto;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod game_api;
mod match_api;
mod measure;
mod page_tokens;
mod play;
mod play_body;
mod player_api;
mod record;
mod relays;
mod routes;
mod stream_ends;
mod thinking_reader;
mod to_proto;
mod watch;
mod watch_matches;
mod watch_players;

pub(crate) use admission::{Admission, AdmissionLayer};
pub(crate) use measure::{Measure, MeasureLayer};
pub(crate) use record::audit;
pub(crate) use routes::{end_health, not_serving, routes, serving};
