/// A time in microseconds with a unit that fits it, to three figures: `678 µs`, `12.3 ms`, `2.51 s`.
pub(super) fn elapsed(us: f64) -> String {
    let units = [(1e6, "s"), (1e3, "ms"), (1.0, "µs")];
    // A time that rounds up to the next unit gets that unit.
    let fits = units.iter().find(|(least, _)| us >= *least * 0.9995);
    let (least, unit) = fits.unwrap_or(&units[2]);
    let value = us / least;
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let short = if decimals > 0 {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{short} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures_and_a_unit() {
        for (us, told) in [
            (0.0, "0 µs"),
            (1.0, "1 µs"),
            (1.585, "1.58 µs"),
            (251.0, "251 µs"),
            (999.0, "999 µs"),
            (999.9, "1 ms"),
            (1000.0, "1 ms"),
            (1204.0, "1.2 ms"),
            (15_849.0, "15.8 ms"),
            (100_000.0, "100 ms"),
            (999_700.0, "1 s"),
            (1e6, "1 s"),
            (75.26e6, "75.3 s"),
            (2.5e9, "2500 s"),
        ] {
            assert_eq!(elapsed(us), told, "{us}");
        }
    }
}
