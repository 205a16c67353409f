//! Arenas: their journal on disk, and a small one on a service.

mod journal;
mod on_a_service;
mod verified;
