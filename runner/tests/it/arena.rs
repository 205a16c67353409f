//! Arenas: their journal on disk, and small ones on a service.

mod journal;
mod on_a_service;
mod page;
mod restarted_anchor;
mod two_at_once;
mod verified;
