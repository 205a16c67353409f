/// Range and steps of the search for the root mean square distance from one half, ten steps per
/// power of ten.
const GRID_STEPS: u32 = 90;
const GRID_STEPS_PER_DECADE: f64 = 10.0;
/// Iterations of the golden-section search: down to a millionth of the interval. Nearer to the top the
/// value changes by less than a millionth of a millionth.
const GOLDEN_STEPS: u32 = 30;
/// Steps after which an interval cannot shrink further, even if it is only halved.
const ROOT_STEPS: u32 = 200;
/// Twice the gain that Newton's step promises, below which none is worth it: less than the rounding
/// of the sum.
const LEAST_GAIN: f64 = 1e-18;

/// Returns the log-likelihood per unit of the frequencies under the most likely distribution with a
/// fixed mean, relative to the frequencies themselves: the largest Σ p ln(q/p) over distributions q
/// on `scores` with that mean, at most 0.
///
/// q = p / (1 + t (a − mean)), with t the root of Σ p (a − mean) / (1 + t (a − mean)) = 0. All of
/// `p` are positive; the mean is between the lowest and the highest score.
pub(super) fn at_mean(p: &[f64], scores: &[f64], mean: f64) -> f64 {
    let distances: Vec<f64> = scores.iter().map(|score| score - mean).collect();
    on_plane(p, &distances).unwrap_or(f64::MIN)
}

/// Returns the same for a fixed t-value: (mean − ½) in standard deviations of a unit.
///
/// With d = score − ½ and r = t/√(1 + t²) the condition is E d = r √(E d²). As √(E d²) is the
/// smallest of (E d²/τ + τ)/2 over τ > 0, the distributions with E d − r √(E d²) ≤ 0 are the
/// intersection over τ of half spaces, and those with ≥ 0 their union (for t > 0; mirrored for t <
/// 0). So the answer is the least or the greatest over τ of the likelihood on one plane, found by a
/// grid and the golden section: no iteration that may fail to converge.
pub(super) fn at_t_value(p: &[f64], scores: &[f64], t: f64) -> f64 {
    if t == 0.0 {
        return at_mean(p, scores, 0.5);
    }
    let mirrored: Vec<f64>;
    let p = if t < 0.0 {
        mirrored = p.iter().rev().copied().collect();
        &mirrored
    } else {
        p
    };
    let distances: Vec<f64> = scores.iter().map(|score| score - 0.5).collect();
    let r = t.abs() / t.hypot(1.0);
    let mean = |of: &dyn Fn(f64) -> f64| -> f64 {
        p.iter().zip(&distances).map(|(p, d)| p * of(*d)).sum()
    };
    let excess = mean(&|d| d) - r * mean(&|d| d * d).sqrt();
    let plane = |tau: f64| -> Vec<f64> {
        let bend = |d: &f64| d - r * (d * d / tau + tau) / 2.0;
        distances.iter().map(bend).collect()
    };
    // Both are maximised.
    if excess > 0.0 {
        -greatest(|tau| {
            let plane = plane(tau);
            let over: f64 = p.iter().zip(&plane).map(|(p, g)| p * g).sum();
            if over <= 0.0 {
                return 0.0;
            }
            -on_plane(p, &plane).unwrap_or(f64::MAX)
        })
        .max(0.0)
    } else {
        greatest(|tau| on_plane(p, &plane(tau)).unwrap_or(f64::MIN)).min(0.0)
    }
}

/// Returns the largest Σ p ln(q/p) over distributions q with Σ q g = 0; `None` if `g` has only one
/// sign.
fn on_plane(p: &[f64], g: &[f64]) -> Option<f64> {
    let highest = g.iter().copied().fold(f64::MIN, f64::max);
    let lowest = g.iter().copied().fold(f64::MAX, f64::min);
    if highest <= 0.0 || lowest >= 0.0 {
        return None;
    }
    // The slope falls from +∞ to −∞ between these. Newton's step, or half of the interval if it leaves that.
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    let mut t = 0.0;
    for _ in 0..ROOT_STEPS {
        let (mut slope, mut bend) = (0.0, 0.0);
        for (p, g) in p.iter().zip(g) {
            let tilted = g / (1.0 + t * g);
            slope += p * tilted;
            bend += p * tilted * tilted;
        }
        if slope * slope <= LEAST_GAIN * bend {
            break;
        }
        if slope > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t + slope / bend;
        t = if low < newton && newton < high {
            newton
        } else {
            f64::midpoint(low, high)
        };
    }
    let terms = p.iter().zip(g).map(|(p, g)| p * (t * g).ln_1p());
    Some(-terms.sum::<f64>())
}

/// Returns the greatest value over all possible root mean square distances τ from one half.
fn greatest(value: impl Fn(f64) -> f64) -> f64 {
    let tau = |step: f64| 0.5 * 10_f64.powf(-step / GRID_STEPS_PER_DECADE);
    let steps = (0..GRID_STEPS).map(f64::from);
    let best = steps.fold((0.0, f64::MIN), |best, step| {
        let here = value(tau(step));
        if here > best.1 { (step, here) } else { best }
    });
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = ((best.0 - 1.0).max(0.0), best.0 + 1.0);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (value(tau(left)), value(tau(right)));
    let mut greatest = best.1.max(at_left).max(at_right);
    for _ in 0..GOLDEN_STEPS {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = value(tau(left));
            greatest = greatest.max(at_left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = value(tau(right));
            greatest = greatest.max(at_right);
        }
    }
    greatest
}
