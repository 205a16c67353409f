use std::collections::BTreeMap;
use std::time::Duration;

use dragontooth_proto::v1::ErrorReason;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::name;

const ERRORS_PAGE: &str = include_str!("../../../../docs/errors.md");
const ENUM: &str = include_str!("../../../../proto/dragontooth/v1/error_reason.proto");

/// The table of `docs/errors.md`.
#[derive(Debug)]
pub(super) struct Documented(Vec<(String, Promise)>);

/// The documentation of a reason.
#[derive(Debug)]
pub(super) struct Promise {
    pub(super) code: Code,
    /// The metadata that are always present, and those that may be.
    facts: [Vec<String>; 2],
    /// The further details.
    details: Vec<String>,
}

impl Documented {
    pub(super) fn read() -> Self {
        let (_, table) = ERRORS_PAGE.split_once("\n## Reasons\n").unwrap();
        let rows = table
            .lines()
            .skip_while(|line| !line.starts_with("|---"))
            .skip(1)
            .take_while(|line| line.starts_with('|'));
        Self(rows.map(row).collect())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn promise(&self, reason: ErrorReason) -> &Promise {
        let row = self.0.iter().find(|(listed, _)| *listed == name(reason));
        let (_, promise) = row.unwrap_or_else(|| panic!("docs/errors.md lacks {reason:?}"));
        promise
    }
}

fn row(line: &str) -> (String, Promise) {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [reason, code, facts, details, meaning, advice] = cells[..] else {
        panic!("the table has six columns: {line}");
    };
    assert!(!meaning.is_empty() && !advice.is_empty(), "{line}");
    let (always, sometimes) = facts.split_once(';').unwrap_or((facts, ""));
    let promise = Promise {
        code: code_named(code),
        facts: [quoted(always), quoted(sometimes)],
        details: quoted(details),
    };
    (quoted(reason).concat(), promise)
}

impl Promise {
    pub(super) fn check(&self, reason: ErrorReason, status: &Status) {
        assert_eq!(status.code(), self.code, "{reason:?}");
        assert!(!status.message().is_empty(), "{reason:?}");
        let details = status.get_error_details();
        let info = details.error_info().expect("every refusal has its reason");
        assert_eq!(info.domain, "dragontooth.v1");
        assert_eq!(info.reason, name(reason));
        let facts: BTreeMap<_, _> = info.metadata.iter().collect();
        let [always, sometimes] = &self.facts;
        for fact in always {
            assert!(facts.contains_key(fact), "{reason:?} lacks {fact}");
        }
        for (fact, value) in &facts {
            let promised = always.contains(fact) || sometimes.contains(fact);
            assert!(promised, "{reason:?} has {fact}");
            assert!(!value.is_empty(), "{reason:?}: {fact} is empty");
        }
        let is_promised = |kind: &str| self.details.iter().any(|detail| detail == kind);
        assert_eq!(details.bad_request().is_some(), is_promised("BadRequest"));
        if let Some(request) = details.bad_request() {
            let [violation] = &request.field_violations[..] else {
                panic!("{reason:?}: one field is named: {request:?}");
            };
            assert_eq!(&violation.field, facts[&"field".to_owned()]);
            assert!(!violation.description.is_empty());
        }
        assert_eq!(
            details.quota_failure().is_some(),
            is_promised("QuotaFailure")
        );
        if let Some(quota) = details.quota_failure() {
            assert_eq!(quota.violations.len(), 1, "{reason:?}");
            let violation = &quota.violations[0];
            assert_eq!(&violation.subject, facts[&"limit".to_owned()]);
            assert!(!violation.description.is_empty());
        }
        assert_eq!(
            details.resource_info().is_some(),
            is_promised("ResourceInfo")
        );
        if let Some(resource) = details.resource_info() {
            let kind = ["match", "player", "token"].contains(&&*resource.resource_type);
            assert!(kind && !resource.resource_name.is_empty(), "{resource:?}");
        }
        let delay = details.retry_info().and_then(|info| info.retry_delay);
        assert_eq!(delay.is_some(), is_promised("RetryInfo"), "{reason:?}");
        assert!(delay.is_none_or(|delay| delay >= Duration::from_millis(100)));
    }
}

/// The code at the start of the comment of the enum's value.
pub(super) fn code_in_proto(reason: ErrorReason) -> Code {
    let value = format!("  {} = ", reason.as_str_name());
    let (before, _) = ENUM.split_once(&value).unwrap();
    let (_, comment) = before.rsplit_once(";\n").unwrap();
    let comment = comment.trim_start().trim_start_matches("// ");
    let end = comment.find([':', ',']).unwrap();
    code_named(&comment[..end])
}

/// The words between backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn code_named(name: &str) -> Code {
    let codes = (0..=16).map(Code::from_i32);
    let plain = name.replace('_', "").to_lowercase();
    codes
        .into_iter()
        .find(|code| format!("{code:?}").to_lowercase() == plain)
        .unwrap_or_else(|| panic!("{name} is not a code"))
}
