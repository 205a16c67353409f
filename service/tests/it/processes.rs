//! The program: killed, stopped, and started where it cannot.

mod crash;
mod reconnecting;
mod settings;
mod starting;
mod stopping;
