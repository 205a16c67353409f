use std::env;

/// The size of everything, relative to the default.
#[derive(Clone, Copy)]
pub(crate) struct Scale(f64);

impl Scale {
    /// The one in `BENCH_SCALE`.
    pub(crate) fn from_env() -> Self {
        let scale = env::var("BENCH_SCALE").map_or(1.0, |text| {
            text.parse().expect("BENCH_SCALE is a number such as 0.01")
        });
        Self(scale)
    }

    /// A count, at least 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a bench has far fewer than 2^53 of anything"
    )]
    pub(crate) fn count(self, usual: usize) -> usize {
        ((usual as f64 * self.0) as usize).max(1)
    }
}
