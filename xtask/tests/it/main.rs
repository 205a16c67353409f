//! The repository against its own rules, and the rules against a repository with other files in it.

mod beside;
mod repository;
