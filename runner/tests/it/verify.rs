//! `verify`: any change in the folder of a run is found.

mod calls;
mod command;
mod earlier;
mod files;
mod forged;
mod records;
mod results;
mod run;
mod sound;
