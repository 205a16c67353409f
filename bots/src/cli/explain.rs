//! What the reasons of refusals mean.

mod reason_info;
mod reasons;
mod run;

use reason_info::ReasonInfo;
pub(super) use run::run;
