//! The side port: plain HTTP for those who watch over the service.

mod healthcheck;
mod machine;
mod port;
mod readiness;

pub(crate) use healthcheck::healthcheck;
pub(crate) use port::SidePort;
pub(crate) use readiness::{Phase, Readiness};
