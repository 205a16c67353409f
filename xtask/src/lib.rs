//! The project's own checks: what a compiler, a linter and a test of one crate cannot see.
//!
//! [`tidy`] holds rules about files, [`layering`] rules about which crate may reach which, [`oracle`]
//! compares rules with those of programs that no one here wrote, [`reasons`] holds the documents and
//! packages to what the API says of refusals, [`deploy`] looks at what operators get, and [`ci`] runs
//! every check there is in order. All of them are plain functions over text and lists,
//! so the tests here feed them broken input too.

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
pub mod tidy;
mod tree;
mod workspace;

pub use exec::Effort;
pub use finding::Finding;
pub use tree::{File, Tree};
pub use workspace::{Package, Workspace, repository_root};
