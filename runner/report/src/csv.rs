use dragontooth_runner_tournament::statistics::{Mean, RobustMean};
use dragontooth_runner_tournament::{Standing, Tally, opening_scores};

use super::{LuckFigures, Overview};

/// The columns before those of the opponents.
const COLUMNS: &[&str] = &[
    "place",
    "bot",
    "points",
    "matches",
    "score",
    "byes",
    "buchholz",
    "out_in",
    "sonneborn_berger",
    "head_to_head",
    "elo",
    "elo_error",
    "won",
    "drawn",
    "lost",
    "first_won",
    "first_drawn",
    "first_lost",
    "second_won",
    "second_drawn",
    "second_lost",
    "games_won",
    "games_drawn",
    "games_lost",
    "points_made",
    "points_given",
    "points_per_game",
    "points_per_game_error",
    "plies_per_game",
    "faults",
    "void",
];

/// The columns of the results with and without the luck in the dice, which events at other games do not have.
const LUCK_COLUMNS: &[&str] = &[
    "encounters",
    "encounter_score",
    "encounter_score_error",
    "adjusted_score",
    "adjusted_score_error",
    "adjusted_points_per_game",
    "adjusted_points_per_game_error",
];

/// The tables of a run as comma-separated values (RFC 4180, with line feeds): a line for each bot in the
/// order of the standings. The last columns are its points against each bot, in the same order. Missing
/// values are empty.
#[must_use]
pub fn csv(overview: &Overview<'_>, luck: &LuckFigures) -> String {
    let adjudicated = adjudicated(overview);
    let luck_columns = match luck {
        LuckFigures::Unmentioned => &[],
        LuckFigures::Known(_) | LuckFigures::LeftOut(_) => LUCK_COLUMNS,
    };
    let head = COLUMNS
        .iter()
        .chain(luck_columns)
        .chain(adjudicated.as_ref().map(|_| &"adjudicated"));
    let head = head.map(|name| (*name).to_owned());
    let opponents = overview
        .standings
        .iter()
        .map(|line| format!("against {}", overview.name(line.bot)));
    let bots = overview.standings.iter();
    let bots = bots.map(|standing| {
        let count = adjudicated.as_ref();
        values(
            overview,
            luck,
            standing,
            count.map(|counts| counts[standing.bot.get()]),
        )
        .collect()
    });
    written(std::iter::once(head.chain(opponents).collect()).chain(bots))
}

/// The results by opening as comma-separated values (RFC 4180, with line feeds): a line for each opening, in the
/// order of the schedule, with the results of the first seat.
#[must_use]
pub fn openings_csv(overview: &Overview<'_>) -> String {
    let head = ["opening", "matches", "won", "drawn", "lost", "score"];
    let scores = opening_scores(overview.schedule, overview.results);
    let values = scores.into_iter().map(|line| {
        let tally = line.first_seat;
        let counts = [tally.matches(), tally.wins, tally.draws, tally.losses];
        let score = or_empty(tally.score().map(|score| format!("{score:.4}")));
        let values = std::iter::once(line.opening).chain(counts.map(|count| count.to_string()));
        values.chain([score]).collect()
    });
    written(std::iter::once(head.map(str::to_owned).to_vec()).chain(values))
}

/// Lines of values as text.
pub(super) fn written(lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for line in lines {
        let written = writer.write_record(line);
        written.expect("all lines have as many values, and memory can be written");
    }
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("the values are texts")
}

/// The matches of each bot that ended by a call, in the order of the event's list; `None` without adjudication.
fn adjudicated(overview: &Overview<'_>) -> Option<Vec<u32>> {
    let event = overview.schedule.event();
    event.rules().adjudication()?;
    let mut counts = vec![0; event.bots().len()];
    let all = overview.results.with_match(overview.schedule.matches());
    for (planned, _) in all.filter(|(_, result)| result.deciding_call().is_some()) {
        for bot in planned.bots {
            counts[bot.get()] += 1;
        }
    }
    Some(counts)
}

fn values(
    overview: &Overview<'_>,
    luck: &LuckFigures,
    line: &Standing,
    adjudicated: Option<u32>,
) -> impl Iterator<Item = String> {
    let tally = line.tally();
    let rating = overview.rating(line.bot);
    let per_game = overview.points_per_game[line.bot.get()];
    let mut values = vec![
        line.place.rank.to_string(),
        overview.name(line.bot).to_owned(),
        line.points.to_string(),
        tally.matches().to_string(),
        or_empty(tally.score().map(|score| format!("{score:.4}"))),
        line.byes.to_string(),
        or_empty(line.buchholz.map(|points| points.to_string())),
        or_empty(line.out_in.map(|round| round.to_string())),
        line.sonneborn_berger.to_string(),
        or_empty(line.head_to_head.map(|points| points.to_string())),
        or_empty(rating.map(|rating| format!("{:.2}", rating.elo))),
        or_empty(rating.map(|rating| format!("{:.2}", rating.error()))),
    ];
    let counts = |tally: Tally| [tally.wins, tally.draws, tally.losses].map(|n| n.to_string());
    values.extend(
        [tally, line.by_seat[0], line.by_seat[1]]
            .into_iter()
            .flat_map(counts),
    );
    values.extend([
        line.games_won.to_string(),
        line.games_drawn.to_string(),
        line.games_lost.to_string(),
        line.points_for.to_string(),
        line.points_against.to_string(),
        or_empty(per_game.map(|points| format!("{:.4}", points.mean))),
        or_empty(per_game.and_then(|points| points.error.map(|error| format!("{error:.4}")))),
        or_empty(line.mean_game_plies.map(|plies| format!("{plies:.2}"))),
        line.faults.to_string(),
        line.void.to_string(),
    ]);
    if *luck != LuckFigures::Unmentioned {
        values.extend(luck_values(luck, line));
    }
    values.extend(adjudicated.map(|count| count.to_string()));
    let against = overview.standings.iter().map(|other| {
        let met = overview.crosstable.cell(line.bot, other.bot);
        or_empty((met.matches() > 0).then(|| met.points().to_string()))
    });
    values.extend(against);
    values.into_iter()
}

/// The results of a bot with and without the luck in the dice.
fn luck_values(luck: &LuckFigures, line: &Standing) -> [String; LUCK_COLUMNS.len()] {
    let found = luck.of(line.bot);
    let score = found.map(|found| found.score);
    let points = found.and_then(|found| found.points);
    let number = |value: Option<f64>| or_empty(value.map(|value| format!("{value:.4}")));
    let of_score = |score: Option<Mean>| {
        let error = score.and_then(|score| score.error);
        [score.map(|score| score.mean), error].map(number)
    };
    let of_points = |points: Option<RobustMean>| {
        let error = points.and_then(|points| points.error);
        [points.map(|points| points.mean), error].map(number)
    };
    let [raw, raw_error] = of_score(score.map(|score| score.raw));
    let [adjusted, adjusted_error] = of_score(score.map(|score| score.adjusted));
    let [points, points_error] = of_points(points.map(|points| points.adjusted));
    [
        or_empty(found.map(|found| found.encounters.to_string())),
        raw,
        raw_error,
        adjusted,
        adjusted_error,
        points,
        points_error,
    ]
}

fn or_empty(value: Option<String>) -> String {
    value.unwrap_or_default()
}
