use std::time::Duration;

use dragontooth_service_vocabulary::{TimeControl, parse_time_control};

/// A time control on the command line; `None` means no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement(pub(super) Option<TimeControl>);

/// Parses a time control in the form that all programs share (`60+0.5`, `60d0.5`, `1s`, `none`), or with its
/// kind in front: `per-action:2s`, `fischer:5m+2s` or `delay:5m+2s`.
///
/// # Errors
///
/// A line about the mistake.
pub(super) fn parse(text: &str) -> Result<Agreement, String> {
    let Some((kind, times)) = text.split_once(':') else {
        let control = parse_time_control(text).map_err(|error| error.to_string())?;
        return Ok(Agreement(control));
    };
    let (base, extra) = match times.split_once('+') {
        Some((base, extra)) => (duration(base)?, Some(duration(extra)?)),
        None => (duration(times)?, None),
    };
    let control = match (kind, extra) {
        ("per-action", None) => TimeControl::PerAction { limit: base },
        ("fischer", extra) => TimeControl::Fischer {
            base,
            increment: extra.unwrap_or(Duration::ZERO),
        },
        ("delay", Some(delay)) => TimeControl::Delay { base, delay },
        ("per-action", Some(_)) => return Err("per-action has one time".to_owned()),
        ("delay", None) => return Err("delay has two times, as in delay:5m+2s".to_owned()),
        _ => {
            return Err(format!(
                "expected per-action, fischer or delay, not {kind:?}"
            ));
        }
    };
    Ok(Agreement(Some(control)))
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text.trim())
        .map_err(|error| format!("{text:?} is not a time such as 90s, 1m30s or 500ms: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind() {
        let (two, five) = (Duration::from_secs(2), Duration::from_mins(5));
        for (text, control) in [
            ("none", None),
            ("per-action:2s", Some(TimeControl::PerAction { limit: two })),
            (
                "fischer:5m+2s",
                Some(TimeControl::Fischer {
                    base: five,
                    increment: two,
                }),
            ),
            (
                "fischer:5m",
                Some(TimeControl::Fischer {
                    base: five,
                    increment: Duration::ZERO,
                }),
            ),
            (
                "300+2",
                Some(TimeControl::Fischer {
                    base: five,
                    increment: two,
                }),
            ),
            ("2s", Some(TimeControl::PerAction { limit: two })),
            (
                "delay:300s+2000ms",
                Some(TimeControl::Delay {
                    base: five,
                    delay: two,
                }),
            ),
        ] {
            assert_eq!(parse(text), Ok(Agreement(control)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "2",
            "per-action:",
            "per-action:1s+1s",
            "delay:5m",
            "blitz:1m",
            "fischer:x",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
