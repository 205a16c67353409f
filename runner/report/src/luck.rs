use dragontooth_runner_tournament::statistics::{FEW_UNITS, Mean, RobustMean};
use dragontooth_runner_tournament::{BotIndex, LuckAdjusted, RawAndAdjusted, Schedule, Standing};
use serde::Serialize;

use super::table::{DataTable, NOTHING};

/// The results with and without the luck in the dice, as far as a report has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LuckFigures {
    /// The report does not mention them: the game has no luck that is computed.
    #[default]
    Unmentioned,
    /// They are computed: by bot in the order of the event's list, `None` for a bot without a match that counts.
    Known(Vec<Option<LuckAdjusted>>),
    /// They are left out, for this reason.
    LeftOut(String),
}

impl LuckFigures {
    /// The figures of a bot, if they are computed and it has a match that counts.
    pub(super) fn of(&self, bot: BotIndex) -> Option<LuckAdjusted> {
        match self {
            Self::Known(figures) => figures[bot.get()],
            Self::Unmentioned | Self::LeftOut(_) => None,
        }
    }

    /// The sentence that says why they are left out, if they are.
    pub(super) fn left_out(&self) -> Option<String> {
        match self {
            Self::LeftOut(reason) => Some(format!(
                "No results without the luck in the dice: {reason}."
            )),
            Self::Unmentioned | Self::Known(_) => None,
        }
    }
}

/// The title of the table.
pub(super) const TITLE: &str = "Luck in the dice";

/// The legend of the table.
pub(super) fn legend() -> String {
    format!(
        "adjusted: less the luck in the dice, whose mean is 0, so that it estimates the same; worth: the number of encounters \
         without this correction that are worth one with it. Errors take at least {FEW_UNITS} encounters."
    )
}

/// The results of a bot with and without luck, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct JsonLuck<'a> {
    bot: &'a str,
    encounters: usize,
    score: f64,
    score_error: Option<f64>,
    adjusted_score: f64,
    adjusted_score_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<JsonPoints>,
}

#[derive(Debug, Serialize)]
struct JsonPoints {
    points_per_game: f64,
    points_per_game_error: Option<f64>,
    adjusted_points_per_game: f64,
    adjusted_points_per_game_error: Option<f64>,
}

impl<'a> JsonLuck<'a> {
    /// The bots with a match that counts, in the order of the standings.
    pub(super) fn all(
        schedule: &'a Schedule,
        standings: &[Standing],
        luck: &LuckFigures,
    ) -> Vec<Self> {
        let lines = standings.iter().filter_map(|line| {
            let found = luck.of(line.bot)?;
            let RawAndAdjusted { raw, adjusted } = found.score;
            Some(Self {
                bot: schedule.event().bot(line.bot).as_str(),
                encounters: found.encounters,
                score: raw.mean,
                score_error: raw.error,
                adjusted_score: adjusted.mean,
                adjusted_score_error: adjusted.error,
                points: found.points.map(|points| JsonPoints {
                    points_per_game: points.raw.mean,
                    points_per_game_error: points.raw.error,
                    adjusted_points_per_game: points.adjusted.mean,
                    adjusted_points_per_game_error: points.adjusted.error,
                }),
            })
        });
        lines.collect()
    }
}

/// The results of the bots with and without the luck in the dice; `None` if no bot has them.
pub(super) fn table(
    schedule: &Schedule,
    standings: &[Standing],
    luck: &LuckFigures,
) -> Option<DataTable> {
    let is_for_money = schedule.event().rules().are_for_money();
    let rows = standings.iter().filter_map(|line| {
        let found = luck.of(line.bot)?;
        let start = [
            schedule.event().bot(line.bot).to_string(),
            found.encounters.to_string(),
        ];
        let percent = |mean: Mean| (mean.mean * 100.0, mean.error.map(|error| error * 100.0));
        let scores = cells(percent(found.score.raw), percent(found.score.adjusted), 1);
        let as_it_is = |mean: RobustMean| (mean.mean, mean.error);
        let points = match found.points {
            Some(points) => cells(as_it_is(points.raw), as_it_is(points.adjusted), 3),
            None => [const { String::new() }; 5].map(|_| NOTHING.to_owned()),
        };
        let points = points.into_iter().filter(|_| is_for_money);
        Some(start.into_iter().chain(scores).chain(points).collect())
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let mut head = vec![
        "bot",
        "encounters",
        "score %",
        "± 95 %",
        "adjusted %",
        "± 95 %",
        "worth",
    ];
    if is_for_money {
        head.extend(["points/game", "± 95 %", "adjusted", "± 95 %", "worth"]);
    }
    Some(DataTable {
        title: TITLE,
        head: head.into_iter().map(str::to_owned).collect(),
        rows,
        left_columns: 1,
    })
}

/// Two estimates with their errors, and the ratio of the squares of these.
fn cells(raw: (f64, Option<f64>), adjusted: (f64, Option<f64>), digits: usize) -> [String; 5] {
    let error = |error: Option<f64>| {
        error.map_or_else(|| NOTHING.to_owned(), |error| format!("{error:.digits$}"))
    };
    let worth = match (raw.1, adjusted.1) {
        (Some(raw), Some(adjusted)) => format!("{:.1}", (raw / adjusted).powi(2)),
        (None, _) | (_, None) => NOTHING.to_owned(),
    };
    [
        format!("{:.digits$}", raw.0),
        error(raw.1),
        format!("{:.digits$}", adjusted.0),
        error(adjusted.1),
        worth,
    ]
}
