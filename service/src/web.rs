//! The port for browsers: a page to watch and play matches, pictures of positions, and the API by gRPC-Web.

mod answer;
mod board;
mod files;
mod layer;
mod polite_body;
mod query;
mod threads;

pub(crate) use layer::WebLayer;
pub(crate) use threads::WebThreads;
