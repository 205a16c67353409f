//! The page of an event, over HTTP, as a browser sees it.

pub(crate) mod browser;
mod parts;
mod port;
mod runs;
