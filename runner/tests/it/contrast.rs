//! The contrast of colours as WCAG 2.2 defines it.

/// The contrast of two colours in three or six hexadecimal digits: 1 if they are the same, 21 of black and white.
pub(crate) fn contrast(one: &str, other: &str) -> f64 {
    let [one, other] = [luminance(one), luminance(other)];
    one.max(other) / one.min(other)
}

/// The relative luminance, and 0.05 for the light around.
fn luminance(colour: &str) -> f64 {
    let digits = colour.len() / 3;
    let part = |at: usize| {
        let hex = colour[at * digits..][..digits].repeat(2 / digits);
        let share = f64::from(u8::from_str_radix(&hex, 16).unwrap()) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2) + 0.05
}
