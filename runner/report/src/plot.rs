//! Drawings of figures, as SVG that takes its colours from the page around it.

mod canvas;
mod durations;
mod histogram;
mod intervals;
mod line_names;
mod rating_chart;
mod scale;
mod score_chart;
mod sprt_chart;
mod thoughts_chart;

pub(super) use durations::durations;
pub(super) use histogram::{Axis, histogram};
pub(super) use intervals::{Interval, MAX_INTERVALS, intervals};
pub(super) use rating_chart::{MAX_RATING_LINES, RatingLine, rating_chart};
pub(super) use score_chart::{MAX_SCORE_LINES, ScoreLine, score_chart};
pub(super) use sprt_chart::sprt_chart;
pub(super) use thoughts_chart::thoughts_chart;
