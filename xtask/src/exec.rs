//! Runs other programs: commands in their surroundings, tools that are fetched, and our own programs.

mod command;
mod context;
mod dependency_tree;
mod effort;
mod folder;
mod programs;
mod python;
mod tools;
mod typescript;

pub(crate) use command::{Missing, Unreachable, cargo_path, command, is_ci};
pub(crate) use context::Context;
pub(crate) use dependency_tree::dependency_tree;
pub use effort::Effort;
pub(crate) use folder::empty_folder;
pub(crate) use programs::{PROGRAMS, programs};
pub(crate) use python::{PYTHON_PACKAGE, python_in, python_package};
pub(crate) use tools::{debian_program, python_packages};
pub(crate) use typescript::{npm_in, typescript_package, web_package};
