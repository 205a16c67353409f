use std::env;

/// The number in a variable that a long run sets, or the default.
pub(crate) fn number_of(variable: &str, default: usize) -> usize {
    env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}
