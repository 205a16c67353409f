//! The matches and the players, in domain terms: no protobuf here.

mod actor;
mod common_matches;
mod create_requests;
mod decision;
mod filter;
mod found_match;
mod lobby;
mod match_facts;
mod match_news;
mod message;
mod player_stream;
mod players;
mod presence;
mod refusal;
mod registry;
mod replay_pool;
mod shared_match;
#[cfg(test)]
mod simulation;
mod spent_seeds;
mod state_cache;
mod thinking_note;

pub(crate) use decision::{DecisionView, Notations};
pub(crate) use filter::Filter;
pub(crate) use found_match::FoundMatch;
pub(crate) use lobby::{Change, LobbyReader, PlayerNews, PresentPlayer};
pub(crate) use match_facts::MatchFacts;
pub(crate) use match_news::{ListChange, MatchNews, MissedNews, NewsPlace};
pub(crate) use message::{Accepted, Reply};
pub(crate) use player_stream::{HEARTBEAT_INTERVAL, Notice, PlayerStream, RequestRef, Sink};
pub(crate) use players::Players;
pub(crate) use refusal::Refusal;
pub(crate) use registry::{ListedChange, LiveMatches, MatchList, Matches, Reader};
pub(crate) use shared_match::{SharedMatch, is_shown};
pub(crate) use spent_seeds::SpentSeeds;
pub(crate) use state_cache::StateCache;
pub(crate) use thinking_note::ThinkingNote;
