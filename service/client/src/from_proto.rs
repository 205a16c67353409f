//! Conversions from generated types; an error names the field.

mod events;
mod export;
mod fields;
mod games;
mod history;
mod matches;
mod play;
mod players;
mod quotas;
mod tokens;

pub(crate) use events::{closing, event};
pub(crate) use export::exported_match;
pub(crate) use fields::{Field, filled, match_id, page_token, player_id, seat, time};
pub(crate) use games::{analysis, decision, game_view};
pub(crate) use matches::match_view;
pub(crate) use play::{play_event, refusal, refused_thinking};
pub(crate) use players::{gone_player_id, offer_until, present_player};
pub(crate) use quotas::quotas;
pub(crate) use tokens::{identity, issued_token, token_view};
