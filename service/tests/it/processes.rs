//! The program: killed, stopped, and started where it cannot.

mod crash;
mod reconnecting;
mod starting;
mod stopping;
