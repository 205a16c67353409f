use std::time::Duration;

use dragontooth_service_vocabulary::{ParseTimeControlError, TimeControl, parse_time_control};

use super::field::Field;
use super::section::Section;

/// The longest time in a time control: 30 days, as the service allows.
pub const MAX_DURATION_MS: u64 = 30 * 24 * 60 * 60 * 1000;

const KINDS: &str = "\"60+0.5\" (seconds and increment), \"60d0.5\" (seconds and delay), \"1s\" or \"100ms\" (for each \
                     action), { per_action_ms }, { base_ms, increment_ms }, { base_ms, delay_ms } or \"none\"";

/// The agreement on time: the outer `None` is a problem, the inner one no clocks.
#[expect(
    clippy::option_option,
    reason = "what is wrong and what is not there are two things"
)]
pub(super) fn read(field: &Field<'_>) -> Option<Option<TimeControl>> {
    if field.is_text() {
        return match parse_time_control(field.text()?) {
            Err(ParseTimeControlError::Form) => {
                field.report(format!("must be {KINDS}"));
                None
            }
            read => field.check(read),
        };
    }
    if !field.is_table() {
        field.report(format!("must be {KINDS}"));
        return None;
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
