use dragontooth_runner_tournament::statistics::RobustMean;
use dragontooth_runner_tournament::{
    BotIndex, Crosstable, Format, Leg, Place, Points, Results, Schedule, ScheduledMatch, Standing,
    Tally, opening_scores,
};

use super::Strength;
use super::table::{DataTable, NOTHING};

/// The openings that the tables list; an event may have hundreds of thousands.
pub(super) const MAX_OPENINGS: usize = 100;

/// The places, points, ratings if there are any, and tie-breaks.
pub(super) fn places(
    schedule: &Schedule,
    standings: &[Standing],
    strength: Option<&Strength>,
) -> DataTable {
    let row = |(next, line): (usize, &Standing)| {
        let tally = line.tally();
        let percent = tally.score().map(|score| format!("{:.1}", score * 100.0));
        let start = [
            place(line.place),
            name(schedule, line.bot),
            line.points.to_string(),
            tally.matches().to_string(),
            or_nothing(percent),
        ];
        let swiss = line
            .buchholz
            .map(|buchholz| [line.byes.to_string(), buchholz.to_string()]);
        let next = standings.get(next).map(|next| next.bot.get());
        let rating = strength.map(|strength| strength.cells(line.bot.get(), next));
        let end = [
            line.sonneborn_berger.to_string(),
            or_nothing(line.head_to_head),
        ];
        let row = start.into_iter().chain(rating.into_iter().flatten());
        let row = row.chain(swiss.into_iter().flatten());
        row.chain(end).collect()
    };
    let mut head = heads(&["#", "bot", "points", "matches", "score %"]);
    if strength.is_some() {
        head.extend(heads(&["Elo", "± 95 %", "LOS %"]));
    }
    if standings.iter().any(|line| line.buchholz.is_some()) {
        head.extend(heads(&["byes", "Buchholz"]));
    }
    head.extend(heads(&["SB", "H2H"]));
    DataTable {
        title: "Standings",
        head,
        rows: (1..).zip(standings).map(row).collect(),
        left_columns: 2,
    }
}

/// The results of the bots in matches and games, with the points in a game for money if that is what they
/// played.
pub(super) fn details(
    schedule: &Schedule,
    standings: &[Standing],
    points_per_game: &[Option<RobustMean>],
) -> DataTable {
    let is_for_money = schedule.event().rules().are_for_money();
    let row = |line: &Standing| {
        let per_game = money_cells(points_per_game[line.bot.get()]);
        let start = [
            place(line.place),
            name(schedule, line.bot),
            line.tally().to_string(),
            line.by_seat[0].to_string(),
            line.by_seat[1].to_string(),
            format!(
                "{}-{}-{}",
                line.games_won, line.games_drawn, line.games_lost
            ),
            format!("{}-{}", line.points_for, line.points_against),
        ];
        let end = [
            or_nothing(line.mean_game_plies.map(|plies| format!("{plies:.1}"))),
            line.faults.to_string(),
            line.void.to_string(),
        ];
        let per_game = per_game.into_iter().filter(|_| is_for_money);
        start.into_iter().chain(per_game).chain(end).collect()
    };
    let mut head = heads(&[
        "#",
        "bot",
        "W-D-L",
        "as first",
        "as second",
        "games",
        "game points",
    ]);
    if is_for_money {
        head.extend(heads(&["points/game", "± 95 %"]));
    }
    head.extend(heads(&["plies/game", "faults", "void"]));
    DataTable {
        title: "Details",
        head,
        rows: standings.iter().map(row).collect(),
        left_columns: 2,
    }
}

/// The points in a game for money and their error.
pub(super) fn money_cells(points: Option<RobustMean>) -> [String; 2] {
    [
        or_nothing(points.map(|points| format!("{:+.3}", points.mean))),
        or_nothing(points.and_then(|points| points.error.map(|error| format!("{error:.3}")))),
    ]
}

/// The results of every bot against every other, in the order of the standings.
pub(super) fn crosstable(
    schedule: &Schedule,
    standings: &[Standing],
    table: &Crosstable,
) -> DataTable {
    let order: Vec<BotIndex> = standings.iter().map(|line| line.bot).collect();
    let cell = |bot: BotIndex, opponent: BotIndex| {
        if bot == opponent {
            NOTHING.to_owned()
        } else {
            table.cell(bot, opponent).to_string()
        }
    };
    let row = |(number, bot): (usize, &BotIndex)| {
        let start = [number.to_string(), name(schedule, *bot)];
        let cells = order.iter().map(|opponent| cell(*bot, *opponent));
        start.into_iter().chain(cells).collect()
    };
    let mut head = heads(&["", "bot"]);
    head.extend((1..=order.len()).map(|number| number.to_string()));
    DataTable {
        title: "Crosstable",
        head,
        rows: (1..).zip(&order).map(row).collect(),
        left_columns: 2,
    }
}

/// The encounters by rounds, where they follow from the results.
pub(super) fn rounds(schedule: &Schedule, results: &Results) -> Option<DataTable> {
    match schedule.event().format() {
        Format::Swiss { .. } | Format::Knockout { .. } => {}
        Format::RoundRobin { .. }
        | Format::Gauntlet { .. }
        | Format::Ladder { .. }
        | Format::Sprt { .. }
        | Format::Arena { .. } => return None,
    }
    let row = |legs: &[ScheduledMatch]| {
        let slot = legs[0].slot;
        let bots = legs[0].bots;
        let points = bots.map(|bot| {
            let of_leg = |leg: &ScheduledMatch| {
                let result = results.of(leg.number)?;
                Some(Tally::of(result.verdict(), leg.seat_of(bot)?).points())
            };
            let points: Option<Vec<Points>> = legs.iter().map(of_leg).collect();
            or_nothing(points.map(|points| points.into_iter().sum::<Points>()))
        });
        vec![
            name(schedule, bots[0]),
            name(schedule, bots[1]),
            slot.round.to_string(),
            slot.pairing.to_string(),
            slot.cycle.to_string(),
            points.join(" - "),
        ]
    };
    Some(DataTable {
        title: "Encounters",
        head: heads(&["bot", "bot", "round", "pairing", "encounter", "points"]),
        rows: schedule
            .matches()
            .chunks(Leg::BOTH.len())
            .map(row)
            .collect(),
        left_columns: 2,
    })
}

/// The results of the first seat by opening, if there are openings: the first [`MAX_OPENINGS`], and one row for
/// all others.
pub(super) fn openings(schedule: &Schedule, results: &Results) -> Option<DataTable> {
    let scores = opening_scores(schedule, results);
    let row = |name: &str, tally: Tally| {
        vec![
            name.to_owned(),
            tally.matches().to_string(),
            tally.to_string(),
            or_nothing(tally.score().map(|score| format!("{:.1}", score * 100.0))),
        ]
    };
    let (shown, others) = scores.split_at(scores.len().min(MAX_OPENINGS));
    let shown = shown.iter().map(|one| row(&one.opening, one.first_seat));
    let mut rows: Vec<Vec<String>> = shown.collect();
    if !others.is_empty() {
        let tally = others
            .iter()
            .fold(Tally::default(), |sum, one| sum + one.first_seat);
        rows.push(row(&format!("{} others", others.len()), tally));
    }
    (!rows.is_empty()).then(|| DataTable {
        title: "Openings",
        head: heads(&["opening", "matches", "first seat", "score %"]),
        rows,
        left_columns: 1,
    })
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn place(place: Place) -> String {
    if place.shared {
        format!("{}=", place.rank)
    } else {
        place.rank.to_string()
    }
}

fn name(schedule: &Schedule, bot: BotIndex) -> String {
    schedule.event().bot(bot).to_string()
}

fn or_nothing<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| value.to_string())
}
