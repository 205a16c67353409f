use crate::{File, Finding};

/// The rules that a file breaks by a check.
pub(super) fn broken(
    check: impl Fn(&File) -> Vec<Finding>,
    path: &str,
    text: &str,
) -> Vec<&'static str> {
    let file = File {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let findings = check(&file);
    findings.into_iter().map(|finding| finding.rule).collect()
}
