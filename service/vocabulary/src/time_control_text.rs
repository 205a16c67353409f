use std::time::Duration;

use crate::{MAX_THINKING_TIME, TimeControl};

/// Error for a text that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseTimeControlError {
    /// It has another form.
    #[error(
        "must be \"60+0.5\" (seconds and increment), \"60d0.5\" (seconds and delay), \"1s\" or \"100ms\" (for each \
         action) or \"none\""
    )]
    Form,
    /// It is a number of seconds, and does not say of what.
    #[error("{0:?} may be the time for a match or for each action: write \"{0}+0\" or \"{0}s\"")]
    Ambiguous(String),
    /// It gives a new base after a number of actions, which no match here has.
    #[error("{0:?} begins a new period after some actions, which no clock here does: write {1:?}")]
    Periods(String, String),
    /// A time in it is too short or too long.
    #[error("{0:?}: a time is from 0.001 s to 30 days; only an increment may be 0")]
    Range(String),
}

/// Reads a time control as text. `None` means no clocks.
///
/// - `60+0.5`: 60 s for the match and 0.5 s more after each action (Fischer);
/// - `60d0.5`: 60 s for the match and a delay of 0.5 s at each action;
/// - `1s` or `100ms`: the time for each action;
/// - `none`.
///
/// A number has at most three digits after the point. A bare number is refused, because other programs
/// read it in different ways.
///
/// ```
/// use std::time::Duration;
///
/// use dragontooth_service_vocabulary::{TimeControl, parse_time_control};
///
/// let control = TimeControl::Fischer {
///     base: Duration::from_secs(60),
///     increment: Duration::from_millis(500),
/// };
/// assert_eq!(parse_time_control("60+0.5"), Ok(Some(control)));
/// assert!(parse_time_control("60").is_err());
/// ```
///
/// # Errors
///
/// The text has another form, or a time in it is out of range.
pub fn parse_time_control(text: &str) -> Result<Option<TimeControl>, ParseTimeControlError> {
    if text == "none" {
        return Ok(None);
    }
    if let Some((actions, rest)) = text.split_once('/')
        && actions.parse::<u64>().is_ok()
        && parse_time_control(rest).is_ok()
    {
        return Err(ParseTimeControlError::Periods(
            text.to_owned(),
            rest.to_owned(),
        ));
    }
    if thousandths(text).is_some() {
        return Err(ParseTimeControlError::Ambiguous(text.to_owned()));
    }
    let time = |number: Option<u64>, least_ms| {
        let ms = number.ok_or(ParseTimeControlError::Form)?;
        let time = Duration::from_millis(ms);
        if ms >= least_ms && time <= MAX_THINKING_TIME {
            Ok(time)
        } else {
            Err(ParseTimeControlError::Range(text.to_owned()))
        }
    };
    let control = if let Some((base, increment)) = text.split_once('+') {
        TimeControl::Fischer {
            base: time(thousandths(base), 1)?,
            increment: time(thousandths(increment), 0)?,
        }
    } else if let Some((base, delay)) = text.split_once('d') {
        TimeControl::Delay {
            base: time(thousandths(base), 1)?,
            delay: time(thousandths(delay), 1)?,
        }
    } else if let Some(ms) = text.strip_suffix("ms") {
        TimeControl::PerAction {
            limit: time(whole(ms), 1)?,
        }
    } else {
        let seconds = text.strip_suffix('s').ok_or(ParseTimeControlError::Form)?;
        TimeControl::PerAction {
            limit: time(thousandths(seconds), 1)?,
        }
    };
    Ok(Some(control))
}

/// A number with at most three digits after the point, in thousandths. One that is too large is the
/// largest.
fn thousandths(text: &str) -> Option<u64> {
    let (units, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.is_empty() || fraction.len() > 3 {
        return None;
    }
    let fraction = whole(&format!("{fraction:0<3}"))?;
    Some(whole(units)?.saturating_mul(1000).saturating_add(fraction))
}

/// A number of digits alone. One that is too large is the largest.
fn whole(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let ms = Duration::from_millis;
        let fischer = |base, increment| TimeControl::Fischer {
            base: ms(base),
            increment: ms(increment),
        };
        let per_action = |limit| TimeControl::PerAction { limit: ms(limit) };
        for (text, control) in [
            ("none", None),
            ("60+0.5", Some(fischer(60_000, 500))),
            ("0.25+0", Some(fischer(250, 0))),
            ("2592000+0", Some(fischer(2_592_000_000, 0))),
            (
                "60d2.125",
                Some(TimeControl::Delay {
                    base: ms(60_000),
                    delay: ms(2125),
                }),
            ),
            ("1s", Some(per_action(1000))),
            ("0.05s", Some(per_action(50))),
            ("100ms", Some(per_action(100))),
        ] {
            assert_eq!(parse_time_control(text), Ok(control), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "+",
            "60+",
            "+1",
            "60",
            "1.5",
            "60+1+1",
            "60 + 1",
            "-1+0",
            "1e3+0",
            "0s",
            "0ms",
            "1.5ms",
            "s",
            "1m",
            "60d0",
            "d1",
            "1.+0",
            ".5+0",
            "1.2345s",
            "5/60+0.5",
            "5/",
            "2592000.001+0",
            "None",
            "99999999999999999999s",
            "\u{663}s",
        ] {
            assert!(parse_time_control(text).is_err(), "{text}");
        }
    }
}
