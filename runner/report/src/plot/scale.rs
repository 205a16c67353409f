/// The mapping from the values of an axis to places in a drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    values: [f64; 2],
    places: [f64; 2],
}

/// With this many ticks requested there are at least two: the step is at most half of the axis, because it is at
/// most two and a half times the requested one.
const ENOUGH: u32 = 5;

impl Scale {
    /// The axis on which `values` are from one of the places to the other.
    pub(super) fn new(values: [f64; 2], places: [f64; 2]) -> Self {
        let [low, high] = values;
        let values = if high > low {
            values
        } else {
            [low - 0.5, low + 0.5]
        };
        Self { values, places }
    }

    /// Returns the place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let share = (value - low) / (high - low);
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    /// Round values within the axis, at least two and about `about`. From 4 on, two of them are at least a part of
    /// `about` + 1 of the axis apart, so that their labels have room.
    pub(super) fn ticks(&self, about: u32) -> Vec<f64> {
        let [low, high] = self.values;
        let step = round_step((high - low) / f64::from(about.max(1)));
        let first = (low / step - 1e-9).ceil();
        let ticks: Vec<f64> = (0..=4 * about)
            .map(|at| (first + f64::from(at)) * step)
            .take_while(|tick| *tick <= high + step * 1e-9)
            .collect();
        if ticks.len() < 2 && about < ENOUGH {
            self.ticks(about + 1)
        } else {
            ticks
        }
    }

    /// The whole numbers among [`Self::ticks`], for an axis that counts something.
    pub(super) fn whole_ticks(&self, about: u32) -> impl Iterator<Item = f64> {
        let ticks = self.ticks(about).into_iter();
        ticks.filter(|tick| (tick - tick.round()).abs() < 1e-9)
    }
}

/// The least of 1, 2 or 5 times a power of ten that is not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let fits = steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9));
    fits.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let ticks = |low, high| {
            let ticks = Scale::new([low, high], [0.0, 1.0]).ticks(5);
            ticks
                .iter()
                .map(|tick| format!("{tick:.1}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(ticks(-120.0, 130.0), "-100.0 -50.0 0.0 50.0 100.0");
        assert_eq!(ticks(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(7.0, 7.0), "6.6 6.8 7.0 7.2 7.4");
    }

    #[test]
    fn no_axis_has_a_single_tick() {
        for low in -70..=0 {
            for high in 1..70 {
                let scale = Scale::new([f64::from(low), f64::from(high)], [0.0, 1.0]);
                for about in [1, 4, 5] {
                    let ticks = scale.ticks(about);
                    assert!(ticks.len() >= 2, "{low} to {high}: {ticks:?}");
                    assert!(ticks.iter().all(|tick| scale.place(*tick) <= 1.0 + 1e-6));
                }
            }
        }
    }

    /// From −400 to 410 there is one multiple of 500, so the step has to be shorter, but not by more than needed.
    #[test]
    fn the_labels_of_ticks_have_room() {
        for low in -1000..=0 {
            for high in 1..100 {
                let scale = Scale::new([f64::from(low), f64::from(high)], [0.0, 1.0]);
                for about in [4, 5, 6] {
                    let places: Vec<f64> = scale
                        .ticks(about)
                        .into_iter()
                        .map(|tick| scale.place(tick))
                        .collect();
                    let least = 1.0 / f64::from(about + 1) - 1e-9;
                    for pair in places.windows(2) {
                        assert!(pair[1] - pair[0] >= least, "{low} to {high}: {places:?}");
                    }
                }
            }
        }
    }
}
