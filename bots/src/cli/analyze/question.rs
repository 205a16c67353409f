use dragontooth_bots_engines::stdio::shortened;
use dragontooth_games::analysis::{self, Start};
use serde::Deserialize;

/// Largest number of actions in a question, as in the API.
const ACTIONS_MAX: usize = 10_000;
/// The longest seed in bytes, as in the API.
const SEED_BYTES_MAX: usize = 64;

/// A question about a position. A null counts as left out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) game: String,
    variant: Option<String>,
    position: Option<String>,
    actions: Option<Vec<String>>,
    results: Option<bool>,
    seed: Option<String>,
}

impl Question {
    /// Parses a line.
    ///
    /// # Errors
    ///
    /// A line about the first mistake.
    pub(super) fn parse(line: &[u8]) -> Result<Self, String> {
        match line.trim_ascii_start().first() {
            Some(b'{') => {}
            Some(_) => return Err("a question is a JSON object".to_owned()),
            None => return Err("the line is empty; a question is a JSON object".to_owned()),
        }
        let question: Self = serde_json::from_slice(line)
            .map_err(|error| shortened(error.to_string().as_bytes()))?;
        let actions = question.actions.as_ref().map_or(0, Vec::len);
        if actions > ACTIONS_MAX {
            return Err(format!(
                "actions has {actions} elements; {ACTIONS_MAX} are the most"
            ));
        }
        let seed = question.seed.as_ref().map_or(0, String::len);
        if seed > SEED_BYTES_MAX {
            return Err(format!(
                "seed has {seed} bytes; {SEED_BYTES_MAX} are the most"
            ));
        }
        Ok(question)
    }

    /// Returns true if the question asks for the positions after each legal action.
    pub(super) fn wants_results(&self) -> bool {
        self.results.unwrap_or(false)
    }

    /// The actions to play.
    pub(super) fn actions(&self) -> Vec<&str> {
        self.actions.iter().flatten().map(String::as_str).collect()
    }

    /// The question for the rules, with the actions of [`Question::actions`].
    pub(super) fn with_actions<'a>(&'a self, actions: &'a [&'a str]) -> analysis::Question<'a> {
        analysis::Question {
            start: Start {
                variant: self.variant.as_deref(),
                position: self.position.as_deref(),
                seed: self.seed.as_deref().unwrap_or(""),
            },
            actions,
            results: self.wants_results(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_whole_question() {
        let line = br#" {"game":"kamisado","variant":"standard","position":"p","actions":["a1a7"],"results":true,"seed":"s"}"#;
        let question = Question::parse(line).unwrap();
        assert_eq!(question.game, "kamisado");
        let actions = question.actions();
        let asked = question.with_actions(&actions);
        assert_eq!(
            (asked.start.variant, asked.start.position),
            (Some("standard"), Some("p"))
        );
        assert_eq!(
            (asked.actions, asked.results, asked.start.seed),
            (&["a1a7"][..], true, "s")
        );
    }

    #[test]
    fn most_may_be_left_out() {
        for line in [
            &br#"{"game":"x"}"#[..],
            br#"{"game":"x","actions":null,"position":null}"#,
        ] {
            let question = Question::parse(line).unwrap();
            let asked = question.with_actions(&[]);
            assert!(asked.start.position.is_none() && !asked.results);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let many = format!(
            r#"{{"game":"x","actions":[{}""]}}"#,
            r#""","#.repeat(ACTIONS_MAX)
        );
        let long = format!(
            r#"{{"game":"x","seed":"{}"}}"#,
            "s".repeat(SEED_BYTES_MAX + 1)
        );
        for (line, told) in [
            ("", "empty"),
            ("\r", "empty"),
            ("[\"kamisado\"]", "JSON object"),
            ("{}", "missing field `game`"),
            ("{\"game\":1}", "invalid type"),
            ("{\"game\":\"x\",\"moves\":[]}", "unknown field `moves`"),
            ("{\"game\":\"x\",\"game\":\"x\"}", "duplicate field"),
            ("{\"game\":\"x\"} {}", "trailing characters"),
            ("{\"game\":\"x\",\"actions\":[1]}", "invalid type"),
            (many.as_str(), "actions has 10001 elements"),
            (long.as_str(), "seed has 65 bytes"),
        ] {
            let error = Question::parse(line.as_bytes()).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
        assert!(Question::parse(b"{\"game\":\"\xff\"}").is_err());
    }
}
