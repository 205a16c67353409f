//! Every refusal reason is provoked and compared with `docs/errors.md` and the comments of
//! the enum.

mod damaged_log;
mod documented;
mod full_log;
mod provoke;
mod tokens;

use dragontooth_proto::v1::ErrorReason;
use tonic_types::StatusExt;

use documented::{Documented, code_in_proto};
pub(crate) use provoke::fact;
use provoke::provoke;

#[tokio::test]
async fn every_reason_is_sent_as_documented() {
    let documented = Documented::read();
    for reason in reasons() {
        let promise = documented.promise(reason);
        let provoked = provoke(reason).await;
        assert!(!provoked.is_empty(), "{reason:?}");
        for (situation, status) in provoked {
            println!("{reason:?}, {situation}: {status}");
            promise.check(reason, &status);
        }
    }
}

#[test]
fn every_reason_is_documented_once() {
    let documented = Documented::read();
    let names: Vec<String> = reasons().map(name).collect();
    assert_eq!(documented.names(), names, "in the order of the enum");
    for reason in reasons() {
        let promise = documented.promise(reason);
        assert_eq!(promise.code, code_in_proto(reason), "{reason:?}");
    }
}

/// Above every number of the enum, which may have gaps.
const GREATEST_REASON: i32 = 256;

/// All reasons of the enum.
fn reasons() -> impl Iterator<Item = ErrorReason> {
    (1..GREATEST_REASON).filter_map(|number| ErrorReason::try_from(number).ok())
}

/// A reason's name on the wire.
fn name(reason: ErrorReason) -> String {
    let name = reason.as_str_name().strip_prefix("ERROR_REASON_");
    name.expect("the enum's values have its name before them")
        .to_owned()
}

/// The reason in a status.
pub(crate) fn reason_of(status: &tonic::Status) -> Option<String> {
    let details = status.get_error_details();
    Some(details.error_info()?.reason.clone())
}
