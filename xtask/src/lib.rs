//! The project's own checks, for rules that a compiler, a linter and the tests of one crate cannot hold.
//!
//! [`tidy`] holds the rules about files, [`layering`] those about crates and their modules. [`oracle`]
//! compares backgammon with programs that were written elsewhere, [`reasons`] copies the reasons of
//! refusals from the API into documents and packages, [`deploy`] checks the files for operators, [`mod@bench`]
//! prints the table of figures, and [`ci`] runs every check. The checks are functions over text and lists, so the tests here also feed
//! them broken input.

pub mod bench;
pub mod ci;
pub mod command_line;
pub mod deploy;
mod exec;
mod finding;
pub mod layering;
pub mod oracle;
pub mod reasons;
mod rust_text;
pub mod sbom;
pub mod selection;
pub mod tidy;
mod tree;
mod workspace;

pub use exec::Effort;
pub use finding::Finding;
pub use tree::{File, Tree};
pub use workspace::{Package, Workspace, repository_root};
