use dragontooth_service_vocabulary::{MatchId, RequestId};

/// Longest text of a failure that the service accepts, in bytes.
pub const FAILURE_MAX_BYTES: usize = 1024;

/// Marks a shortened text.
const CUT: char = '…';

/// The resignation of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResignation {
    /// The match.
    pub match_id: MatchId,
    /// Why the player's program cannot continue, for people; `None` if it resigns by choice. One
    /// line of at most [`FAILURE_MAX_BYTES`].
    pub failure: Option<String>,
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
}

impl MatchResignation {
    /// Creates a resignation by choice.
    #[must_use]
    pub const fn by_choice(match_id: MatchId) -> Self {
        Self {
            match_id,
            failure: None,
            request_id: None,
        }
    }

    /// Creates a resignation because the player's program cannot continue. Control characters are
    /// replaced, and the text is shortened to what the service accepts.
    #[must_use]
    pub fn by_failure(match_id: MatchId, failure: &str) -> Self {
        Self {
            failure: Some(one_line(failure)),
            ..Self::by_choice(match_id)
        }
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_control() || letter.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut line = words.join(" ");
    if line.is_empty() {
        return "unknown".to_owned();
    }
    if line.len() > FAILURE_MAX_BYTES {
        line.truncate(line.floor_char_boundary(FAILURE_MAX_BYTES - CUT.len_utf8()));
        line.push(CUT);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_failure_is_one_line_that_is_not_too_long() {
        let long = "é".repeat(1_000);
        let cut = format!("{}…", "é".repeat(510));
        for (failure, told) in [
            ("ValueError: 7", "ValueError: 7"),
            ("Error: one\n\tat two\r\n", "Error: one at two"),
            ("\u{1b}[31mred\u{7f}", "[31mred"),
            (" \n", "unknown"),
            (&"x".repeat(1_024), &"x".repeat(1_024)),
            (&long, &cut),
        ] {
            let match_id = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap();
            let resignation = MatchResignation::by_failure(match_id, failure);
            assert_eq!(resignation.failure.as_deref(), Some(told));
        }
    }
}
