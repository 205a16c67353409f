//! The program: killed, stopped, and started where it cannot.

mod crash;
mod deployed;
mod full_disk;
mod reconnecting;
mod restoring;
mod scraping;
mod service_manager;
mod settings;
mod starting;
mod stopping;
mod tracing;
