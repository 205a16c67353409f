use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use prost::Message;
use tonic::{Code, Status};
use tonic_types::{RetryInfo, StatusExt, pb};

use crate::Reason;

/// The domain of the reasons in a refusal.
pub(crate) const DOMAIN: &str = "dragontooth.v1";

/// The refusal of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the error.
    pub code: Code,
    /// The reason.
    pub reason: Reason,
    /// An explanation for people.
    pub message: String,
    /// Facts about the refusal: `rule`, `decision_id`, …
    pub metadata: BTreeMap<String, String>,
    /// The invalid fields of the request.
    pub fields: Vec<FieldViolation>,
    /// Pause before a retry, where a retry may help.
    pub retry_after: Option<Duration>,
}

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldViolation {
    /// Its path.
    pub field: String,
    /// The problem.
    pub description: String,
}

impl Refusal {
    /// Returns true if the same request may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.retry_after.is_some()
            || matches!(
                self.reason,
                Reason::Draining
                    | Reason::LimitReached
                    | Reason::LogUnavailable
                    | Reason::RateLimited
            )
    }

    /// Returns the refusal in a status; `None` if the status did not come from the service.
    pub(crate) fn from_status(status: &Status) -> Option<Self> {
        let info = status.get_details_error_info()?;
        if info.domain != DOMAIN {
            return None;
        }
        let fields = status
            .get_details_bad_request()
            .map(|request| request.field_violations);
        Some(Self {
            code: status.code(),
            reason: Reason::from_wire(&info.reason),
            message: status.message().to_owned(),
            metadata: info.metadata.into_iter().collect(),
            fields: fields
                .into_iter()
                .flatten()
                .map(FieldViolation::from_wire)
                .collect(),
            retry_after: retry_after(status),
        })
    }
}

/// Returns the pause in a status. The library's own reader overflows on the smallest number of
/// seconds.
fn retry_after(status: &Status) -> Option<Duration> {
    let status = pb::Status::decode(status.details()).ok()?;
    let is_retry_info = |detail: &&prost_types::Any| detail.type_url == RetryInfo::TYPE_URL;
    let detail = status.details.iter().find(is_retry_info)?;
    let delay = pb::RetryInfo::decode(detail.value.as_slice())
        .ok()?
        .retry_delay?;
    if delay.seconds < 0 {
        None
    } else {
        delay.try_into().ok()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.reason)?;
        for FieldViolation { field, description } in &self.fields {
            if !self.message.contains(description) {
                write!(f, "; {field}: {description}")?;
            }
        }
        Ok(())
    }
}

impl FieldViolation {
    fn from_wire(violation: tonic_types::FieldViolation) -> Self {
        Self {
            field: violation.field,
            description: violation.description,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tonic_types::ErrorDetails;

    use super::*;

    #[test]
    fn has_what_the_details_say() {
        let mut details = ErrorDetails::new();
        let metadata = HashMap::from([("limit".to_owned(), "matches".to_owned())]);
        details
            .set_error_info("LIMIT_REACHED", DOMAIN, metadata)
            .set_retry_info(Some(Duration::from_millis(1500)))
            .add_bad_request_violation("target", "2 is no target");
        let status = Status::with_error_details(Code::ResourceExhausted, "too many", details);

        let refusal = Refusal::from_status(&status).unwrap();
        assert_eq!(refusal.code, Code::ResourceExhausted);
        assert_eq!(refusal.reason, Reason::LimitReached);
        assert_eq!(refusal.metadata["limit"], "matches");
        assert_eq!(refusal.retry_after, Some(Duration::from_millis(1500)));
        assert!(refusal.is_transient());
        assert_eq!(
            refusal.to_string(),
            "too many (limit_reached); target: 2 is no target"
        );
    }

    #[test]
    fn bears_any_time_to_wait() {
        for (seconds, expected) in [
            (2, Some(Duration::from_secs(2))),
            (-1, None),
            (i64::MIN, None),
        ] {
            let delay = prost_types::Duration { seconds, nanos: 0 };
            let info = pb::ErrorInfo {
                reason: "DRAINING".to_owned(),
                domain: DOMAIN.to_owned(),
                metadata: HashMap::new(),
            };
            let any = |type_url: &str, value| prost_types::Any {
                type_url: type_url.to_owned(),
                value,
            };
            let details = vec![
                any(tonic_types::ErrorInfo::TYPE_URL, info.encode_to_vec()),
                any(
                    RetryInfo::TYPE_URL,
                    pb::RetryInfo {
                        retry_delay: Some(delay),
                    }
                    .encode_to_vec(),
                ),
            ];
            let status = pb::Status {
                code: 14,
                message: String::new(),
                details,
            };
            let status = Status::with_details(Code::Unavailable, "", status.encode_to_vec().into());
            let refusal = Refusal::from_status(&status).unwrap();
            assert_eq!(refusal.retry_after, expected);
            assert!(refusal.is_transient());
        }
    }

    #[test]
    fn is_not_made_of_what_others_say() {
        let mut details = ErrorDetails::new();
        details.set_error_info("LIMIT_REACHED", "example.org", HashMap::new());
        let foreign = Status::with_error_details(Code::Internal, "no", details);
        assert_eq!(Refusal::from_status(&foreign), None);
        assert_eq!(Refusal::from_status(&Status::unavailable("no")), None);
        let broken = Status::with_details(Code::Internal, "no", vec![0xff, 0xff].into());
        assert_eq!(Refusal::from_status(&broken), None);
    }
}
