//! Drawings of figures, as SVG that takes its colours from the page around it.

mod course;
mod durations;
mod histogram;
mod intervals;
mod llr;
mod scale;
mod sheet;

pub(super) use course::{Course, MAX_COURSES, courses};
pub(super) use durations::durations;
pub(super) use histogram::{Axis, histogram};
pub(super) use intervals::{Interval, MAX_INTERVALS, intervals};
pub(super) use llr::llr;
