use std::time::Duration;

use dragontooth_service_vocabulary::TimeControl;

/// Safety margin subtracted from the time of a decision, in addition to the longest of the last round trips.
/// It covers a thread that wakes late and a round trip that is longer than those before.
pub const SAFETY_MARGIN: Duration = Duration::from_millis(30);

/// Least part of the remaining time that a bot gets, as a divisor: if the margin and the round trip would use
/// up everything, a quarter is worth the risk.
const LEAST_PART_DIVISOR: u32 = 4;

/// Part of a time stock that one decision gets, as a divisor: the number of decisions to come is unknown.
const STOCK_DIVISOR: u32 = 20;

/// Returns the time that a bot gets for a decision. The clock runs out after `left` and shows `stock`; `kept`
/// is reserved for everything else, such as the round trip of the answer.
#[must_use]
pub fn thinking_time(
    control: Option<TimeControl>,
    stock: Option<Duration>,
    left: Duration,
    kept: Duration,
) -> Duration {
    let usable = left.saturating_sub(kept).max(left / LEAST_PART_DIVISOR);
    let stock = stock.unwrap_or(left);
    match control {
        None | Some(TimeControl::PerAction { .. }) => usable,
        Some(TimeControl::Fischer { increment, .. }) => {
            usable.min((stock / STOCK_DIVISOR).saturating_add(increment))
        }
        Some(TimeControl::Delay { delay, .. }) => {
            let free = delay.saturating_sub(kept);
            usable.min((stock / STOCK_DIVISOR).saturating_add(free))
        }
    }
}

/// Returns the time from the start of a decision until the clock runs out, if it shows `stock`.
pub(super) fn allowance(control: Option<TimeControl>, stock: Duration) -> Duration {
    match control {
        None | Some(TimeControl::PerAction { .. } | TimeControl::Fischer { .. }) => stock,
        Some(TimeControl::Delay { delay, .. }) => stock.saturating_add(delay),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_limit_for_each_action_is_used_up_to_the_margin() {
        let control = Some(TimeControl::PerAction { limit: ms(1000) });
        assert_eq!(
            thinking_time(control, Some(ms(1000)), ms(1000), ms(50)),
            ms(950)
        );
        assert_eq!(
            thinking_time(control, Some(ms(1000)), ms(400), ms(50)),
            ms(350)
        );
        assert_eq!(thinking_time(control, Some(ms(60)), ms(60), ms(50)), ms(15));
        assert_eq!(thinking_time(control, Some(ms(60)), ms(0), ms(50)), ms(0));
    }

    #[test]
    fn a_stock_is_spent_in_parts() {
        let control = Some(TimeControl::Fischer {
            base: ms(60_000),
            increment: ms(500),
        });
        assert_eq!(
            thinking_time(control, Some(ms(60_000)), ms(60_000), ms(50)),
            ms(3500)
        );
        assert_eq!(
            thinking_time(control, Some(ms(400)), ms(400), ms(50)),
            ms(350)
        );
    }

    #[test]
    fn a_delay_is_used_before_the_stock() {
        let control = Some(TimeControl::Delay {
            base: ms(60_000),
            delay: ms(2000),
        });
        assert_eq!(
            thinking_time(control, Some(ms(60_000)), ms(62_000), ms(50)),
            ms(4950)
        );
        assert_eq!(
            thinking_time(control, Some(ms(0)), ms(2000), ms(50)),
            ms(1950)
        );
        assert_eq!(allowance(control, ms(60_000)), ms(62_000));
    }

    #[test]
    fn a_stock_never_runs_out() {
        let control = TimeControl::Fischer {
            base: ms(10_000),
            increment: ms(0),
        };
        let mut stock = ms(10_000);
        for _ in 0..100 {
            let spent = thinking_time(Some(control), Some(stock), stock, ms(35)) + ms(1);
            assert!(spent < stock, "{stock:?}");
            stock -= spent;
        }
    }
}
