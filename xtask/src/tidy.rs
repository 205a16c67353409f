//! The rules about files.

#[cfg(test)]
mod broken;
mod check;
mod dependencies;
mod form;
mod kind;
mod links;
mod manifests;
mod marks;
mod names;
mod places;
mod stored_keys;

pub use check::{check, check_repository};
