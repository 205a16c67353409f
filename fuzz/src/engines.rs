use dragontooth_bots_engines::stdio::{FromEngine, ToEngine, shortened};

use crate::refusal;

/// A line from or to an engine: what is read and written again reads the same.
pub(crate) fn engine_lines(data: &[u8]) {
    assert!(shortened(data).chars().all(|letter| !letter.is_control()));
    let mut written = Vec::new();
    match FromEngine::read(data) {
        Ok(message) => {
            message.write(&mut written);
            assert!(is_a_line(&written));
            assert_eq!(FromEngine::read(&written), Ok(counted(message)));
        }
        Err(why) => refusal::check(&why),
    }
    if let Ok(message) = ToEngine::read(data) {
        written.clear();
        message.write(&mut written);
        assert!(is_a_line(&written));
        let again = ToEngine::read(&written).expect("written lines parse");
        assert_eq!(again, message);
    }
}

/// The part of a message that counts: thoughts that break a rule are left out.
fn counted(message: FromEngine) -> FromEngine {
    match message {
        FromEngine::BestAction {
            to,
            action,
            thinking: Some(thinking),
        } if thinking.is_err() => {
            refusal::check(&thinking.expect_err("it is wrong"));
            FromEngine::BestAction {
                to,
                action,
                thinking: None,
            }
        }
        FromEngine::Thinking { thinking, text, .. } if thinking.is_err() => {
            FromEngine::Info(text.unwrap_or_default())
        }
        other @ (FromEngine::Hello(_)
        | FromEngine::ReadyOk
        | FromEngine::BestAction { .. }
        | FromEngine::Resign(_)
        | FromEngine::Info(_)
        | FromEngine::Thinking { .. }) => other,
    }
}

pub(crate) fn engine_line_seeds() -> Vec<Vec<u8>> {
    let page = include_str!("../../docs/stdio.md").lines();
    let lines = page.filter_map(|line| {
        let line = line.strip_prefix("→ ").or_else(|| line.strip_prefix("← "));
        line.map(|line| line.as_bytes().to_vec())
    });
    let resign = br#"{"type":"resign","match":"m","decision":18446744073709551615}"#;
    lines.chain([resign.to_vec()]).collect()
}

/// Returns true if there is exactly one line feed, at the end.
fn is_a_line(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').count() == 2 && bytes.ends_with(b"\n")
}
