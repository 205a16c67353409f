use anyhow::{Context, Result, bail, ensure};

/// The beginning of the names of the enum's values.
const PREFIX: &str = "ERROR_REASON_";

/// The value that does not name a reason.
const NONE: &str = "UNSPECIFIED";

/// A reason as the comment of its enum value describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// Its name on the wire, `STALE_DECISION`.
    pub name: String,
    /// The gRPC code, `ABORTED`.
    pub code: String,
    /// Its meaning.
    pub meaning: String,
    /// The facts in the `ErrorInfo`, with optional ones after a semicolon. Empty if there are none.
    pub metadata: String,
    /// The other details of the status. Empty if there are none.
    pub details: String,
    /// The advice for bots.
    pub advice: String,
}

/// Reads the reasons of the enum, in its order.
///
/// # Errors
///
/// A comment has another form than this: the code and the meaning, `Metadata` and `Details` if there are
/// any, and the advice for a `Bot`.
pub fn read(proto: &str) -> Result<Vec<Reason>> {
    let (_, body) = proto
        .split_once("enum ErrorReason {")
        .context("there is no enum ErrorReason")?;
    let mut reasons = Vec::new();
    let mut comment = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            comment.push(text.trim());
        } else if let Some(value) = line.strip_prefix(PREFIX) {
            let name = value.split(' ').next().unwrap_or_default();
            if name != NONE {
                reasons.push(reason(name, &comment).context(name.to_owned())?);
            }
            comment.clear();
        } else if line == "}" {
            return Ok(reasons);
        } else if !line.is_empty() {
            bail!("{line:?} is neither a comment nor a reason");
        }
    }
    bail!("the enum does not end")
}

/// The beginnings of the parts of a comment, after the first one.
const PARTS: [&str; 3] = ["Metadata: ", "Details: ", "Bot: "];

fn reason(name: &str, comment: &[&str]) -> Result<Reason> {
    let (first, rest) = comment.split_first().context("there is no comment")?;
    let (code, meaning) = first
        .split_once(": ")
        .context("the comment begins with no code")?;
    let is_code = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    ensure!(code.chars().all(is_code), "{code:?} is not a code");
    let mut meaning = meaning.to_owned();
    let mut parts = [const { String::new() }; PARTS.len()];
    let mut current = None;
    for line in rest {
        let begun = PARTS.iter().position(|part| line.starts_with(part));
        current = begun.or(current);
        let text = current.map_or(&mut meaning, |index: usize| &mut parts[index]);
        if let Some(index) = begun {
            ensure!(text.is_empty(), "{line:?} comes twice");
            text.push_str(&line[PARTS[index].len()..]);
        } else {
            text.push(' ');
            text.push_str(line);
        }
    }
    let [metadata, details, advice] = parts;
    for (what, text) in [("case", &meaning), ("bot", &advice)] {
        ensure!(text.ends_with('.'), "what the {what} is does not end");
        ensure!(!text.contains('|'), "a table has no room for |");
    }
    let [metadata, details] = [metadata, details].map(|list| list.trim_end_matches('.').to_owned());
    Ok(Reason {
        name: name.to_owned(),
        code: code.to_owned(),
        meaning,
        metadata,
        details,
        advice,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enum_of(comment: &str) -> String {
        format!("enum ErrorReason {{\n{comment}  ERROR_REASON_A = 1;\n}}\n")
    }

    #[test]
    fn reads_a_comment_with_all_its_parts() {
        let text = enum_of(
            "  // ABORTED: It is\n  // late.\n  // Metadata: `a`; `b` sometimes.\n\
             \x20 // Details: `C`.\n  // Bot: Go\n  // on.\n",
        );
        assert_eq!(
            read(&text).unwrap(),
            [Reason {
                name: "A".to_owned(),
                code: "ABORTED".to_owned(),
                meaning: "It is late.".to_owned(),
                metadata: "`a`; `b` sometimes".to_owned(),
                details: "`C`".to_owned(),
                advice: "Go on.".to_owned(),
            }]
        );
    }

    #[test]
    fn refuses_a_comment_that_lacks_something() {
        for (comment, fault) in [
            ("", "no comment"),
            ("  // Late.\n", "begins with no code"),
            ("  // Aborted: Late.\n  // Bot: Go.\n", "is not a code"),
            ("  // ABORTED: Late.\n", "the bot is does not end"),
            ("  // ABORTED: Late\n  // Bot: Go.\n", "the case is"),
            (
                "  // ABORTED: Late.\n  // Bot: Go.\n  // Bot: Go.\n",
                "twice",
            ),
            ("  // ABORTED: a|b.\n  // Bot: Go.\n", "no room"),
            ("  reserved 3;\n", "neither"),
        ] {
            let error = format!("{:#}", read(&enum_of(comment)).unwrap_err());
            assert!(error.contains(fault), "{comment:?}: {error}");
        }
        assert!(read("").is_err());
        assert!(read("enum ErrorReason {").is_err());
    }
}
