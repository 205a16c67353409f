//! The runner from outside: its schedule, tables, file and folder.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod arena;
mod berger;
mod check;
mod command_line;
mod config;
mod conformance;
mod contrast;
mod direct;
mod dispatch;
mod documented;
mod draws;
mod engines;
mod environment;
mod event_keys;
mod extends;
mod faults;
mod fixture;
mod folder;
mod formats;
mod issued_tokens;
mod journal;
mod killed;
mod killed_anywhere;
mod longer_event;
mod luck;
mod markup;
mod match_pages;
mod openings;
mod outages;
mod pages;
mod policies;
mod programs;
mod record;
mod recorded;
mod replay;
mod report;
mod report_formats;
mod runs;
mod schedule;
mod statistics;
mod stats_command;
mod tables;
mod transcript;
mod verify;
mod web;
mod without_a_file;
