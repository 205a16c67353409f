//! The matches and the players, in domain terms: no protobuf here.

mod actor;
mod create_requests;
mod decision;
mod found;
mod index;
mod message;
mod outlet;
mod players;
mod presence;
mod refusal;
mod registry;
mod shared;
mod states;

pub(crate) use decision::DecisionView;
pub(crate) use found::Found;
pub(crate) use index::{Filter, Stage};
pub(crate) use message::{Accepted, Reply};
pub(crate) use outlet::{CloseReason, HEARTBEAT_INTERVAL, Notice, Outlet, RequestRef, Sink};
pub(crate) use players::Players;
pub(crate) use refusal::Refusal;
pub(crate) use registry::Matches;
pub(crate) use shared::{Shared, is_shown};
pub(crate) use states::States;
