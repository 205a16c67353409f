use std::fmt;

/// A number of things, as English has it: see [`counted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<'a, N> {
    count: N,
    one: &'a str,
}

/// The text of a number of things, of which one is called `one`.
///
/// ```
/// use dragontooth_games::counted;
///
/// assert_eq!(counted(1, "point").to_string(), "1 point");
/// assert_eq!(counted(0_usize, "point").to_string(), "0 points");
/// assert_eq!(counted(2_u32, "match").to_string(), "2 matches");
/// assert_eq!(counted(12, "ply").to_string(), "12 plies");
/// assert_eq!(counted(3, "day").to_string(), "3 days");
/// ```
#[must_use]
pub const fn counted<N>(count: N, one: &str) -> Counted<'_, N> {
    Counted { count, one }
}

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, one } = self;
        if *count == N::from(1) {
            return write!(f, "{count} {one}");
        }
        match one.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => write!(f, "{count} {stem}ies"),
            _ if ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end)) => {
                write!(f, "{count} {one}es")
            }
            _ => write!(f, "{count} {one}s"),
        }
    }
}
