use std::time::Duration;

use dragontooth_service_vocabulary::TimeControl;

use super::field::Field;
use super::section::Section;

/// The longest time in a time control: 30 days, as the service allows.
pub const MAX_DURATION_MS: u64 = 30 * 24 * 60 * 60 * 1000;

const KINDS: &str = "\"60+0.5\" (seconds and increment), \"60d0.5\" (seconds and delay), \"1s\" or \"100ms\" (for each \
                     action), { per_action_ms }, { base_ms, increment_ms }, { base_ms, delay_ms } or \"none\"";

/// Error for a text that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTimeControl {
    /// It has another form.
    #[error("must be {KINDS}")]
    Form,
    /// It is a number of seconds, and does not say of what.
    #[error("{0:?} may be the time for a match or for each action: write \"{0}+0\" or \"{0}s\"")]
    Ambiguous(String),
    /// It gives a new base after a number of actions, which no match here has.
    #[error(
        "{0:?} begins a new period after some actions, and there is no such clock: write {1:?}"
    )]
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
/// use dragontooth_runner::config::parse_time_control;
/// use dragontooth_service_client::TimeControl;
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
pub fn parse_time_control(text: &str) -> Result<Option<TimeControl>, InvalidTimeControl> {
    if text == "none" {
        return Ok(None);
    }
    if let Some((actions, rest)) = text.split_once('/')
        && actions.parse::<u64>().is_ok()
        && parse_time_control(rest).is_ok()
    {
        return Err(InvalidTimeControl::Periods(
            text.to_owned(),
            rest.to_owned(),
        ));
    }
    if thousandths(text).is_some() {
        return Err(InvalidTimeControl::Ambiguous(text.to_owned()));
    }
    let time = |number: Option<u64>, least_ms| {
        let ms = number.ok_or(InvalidTimeControl::Form)?;
        if (least_ms..=MAX_DURATION_MS).contains(&ms) {
            Ok(Duration::from_millis(ms))
        } else {
            Err(InvalidTimeControl::Range(text.to_owned()))
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
        let seconds = text.strip_suffix('s').ok_or(InvalidTimeControl::Form)?;
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

/// The agreement on time: the outer `None` is a problem, the inner one no clocks.
#[expect(
    clippy::option_option,
    reason = "what is wrong and what is not there are two things"
)]
pub(super) fn read(field: &Field<'_>) -> Option<Option<TimeControl>> {
    if field.is_text() {
        return field.check(parse_time_control(field.text()?));
    }
    let section = Section::of(field)?;
    let per_action = section.get("per_action_ms");
    let base = section.get("base_ms");
    let increment = section.get("increment_ms");
    let delay = section.get("delay_ms");
    section.refuse_others();
    kind(&section, [per_action, base, increment, delay]).map(Some)
}

fn kind(section: &Section<'_>, fields: [Option<Field<'_>>; 4]) -> Option<TimeControl> {
    match fields {
        [Some(limit), None, None, None] => Some(TimeControl::PerAction {
            limit: duration(&limit, 1)?,
        }),
        [None, Some(base), increment, None] => {
            let increment = increment.map_or(Some(Duration::ZERO), |field| duration(&field, 0));
            Some(TimeControl::Fischer {
                base: duration(&base, 1)?,
                increment: increment?,
            })
        }
        [None, Some(base), None, Some(delay)] => {
            let (base, delay) = (duration(&base, 1), duration(&delay, 1));
            Some(TimeControl::Delay {
                base: base?,
                delay: delay?,
            })
        }
        _ => {
            section.report(format!("must be {KINDS}"));
            None
        }
    }
}

fn duration(field: &Field<'_>, least_ms: u64) -> Option<Duration> {
    field
        .integer(least_ms..=MAX_DURATION_MS)
        .map(Duration::from_millis)
}
