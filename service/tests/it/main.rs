//! The service over the wire, from the views of its clients and of an operator.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test prints, and fails by panicking, as the test does"
)]

mod access;
mod attacks;
mod backups;
mod bad_input;
mod chained;
mod clocks;
mod damaged_matches;
#[expect(dead_code, reason = "the tests of the log itself use the rest")]
#[path = "../../postgres/tests/it/server.rs"]
mod database_server;
mod discovery;
mod every_game;
mod exports;
mod failover;
mod faults;
mod idempotency;
mod illegal_actions;
#[path = "../../store/tests/it/image.rs"]
mod image;
mod invitations;
mod limits;
mod listing;
mod long_run;
#[expect(dead_code, reason = "the tests of the folder's log use the rest")]
#[path = "../../store/tests/it/mount.rs"]
mod mount;
mod open_matches;
mod pair;
mod play_streams;
mod player;
mod presence;
mod processes;
mod program;
mod random_player;
mod raw;
mod rematch;
mod replayed;
mod scrape;
mod served;
mod shared_seeds;
mod small_disk;
mod still_clock;

mod refusals;
#[expect(dead_code, reason = "the tests of the log itself use the rest")]
#[path = "../../postgres/tests/it/relay.rs"]
mod relay;
mod replicas;
mod streams_under_load;
mod summaries;
mod thinking;
mod watched;
mod watched_lists;
mod watching;
mod web;
mod who_is_there;
mod whole_matches;
