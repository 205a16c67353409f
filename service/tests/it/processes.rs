//! The program: kills, stops, and refused starts.

mod crash;
mod database;
mod deployed;
mod full_disk;
mod manual;
mod reconnecting;
mod restoring;
mod rolling_restart;
mod scraping;
mod service_manager;
mod settings;
mod starting;
mod stopping;
mod tracing;
