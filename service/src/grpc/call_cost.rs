//! The cost of calls that take more work than others, in calls.

/// Matches that a page may have for each call that it costs.
const MATCHES_OF_A_CALL: usize = 50;

/// Events that are read for each call that reading them costs.
const EVENTS_OF_A_CALL: u64 = 256;

/// The cost of a page of at most `size` matches.
pub(super) fn of_page(size: usize) -> u32 {
    at_least_one(size.div_ceil(MATCHES_OF_A_CALL) as u64)
}

/// The cost of reading `count` events.
pub(super) fn of_events(count: u64) -> u32 {
    at_least_one(count.div_ceil(EVENTS_OF_A_CALL))
}

fn at_least_one(calls: u64) -> u32 {
    u32::try_from(calls).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_cost_is_a_call() {
        assert_eq!([0, 1, 50, 51, 500].map(of_page), [1, 1, 1, 2, 10]);
        assert_eq!([0, 256, 257, 10_000].map(of_events), [1, 1, 2, 40]);
        assert_eq!(of_events(u64::MAX), u32::MAX);
    }
}
