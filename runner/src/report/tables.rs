use super::sheet::{NOTHING, Sheet};
use crate::tournament::{BotIndex, Crosstable, Place, Schedule, Standing};

/// The places, points and tie-breaks.
pub(super) fn places(schedule: &Schedule, standings: &[Standing]) -> Sheet {
    let row = |line: &Standing| {
        let tally = line.tally();
        let percent = tally.score().map(|score| format!("{:.1}", score * 100.0));
        vec![
            place(line.place),
            name(schedule, line.bot),
            line.points.to_string(),
            tally.matches().to_string(),
            or_nothing(percent),
            line.sonneborn_berger.to_string(),
            or_nothing(line.head_to_head),
        ]
    };
    Sheet {
        title: "Standings",
        head: heads(&["#", "bot", "points", "matches", "score %", "SB", "H2H"]),
        rows: standings.iter().map(row).collect(),
        left_columns: 2,
    }
}

/// What the bots did in matches and games.
pub(super) fn details(schedule: &Schedule, standings: &[Standing]) -> Sheet {
    let row = |line: &Standing| {
        vec![
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
            or_nothing(line.mean_game_plies.map(|plies| format!("{plies:.1}"))),
            line.faults.to_string(),
            line.void.to_string(),
        ]
    };
    Sheet {
        title: "Details",
        head: heads(&[
            "#",
            "bot",
            "W-D-L",
            "as first",
            "as second",
            "games",
            "game points",
            "plies/game",
            "faults",
            "void",
        ]),
        rows: standings.iter().map(row).collect(),
        left_columns: 2,
    }
}

/// What every bot did against every other, in the order of the standings.
pub(super) fn crosstable(schedule: &Schedule, standings: &[Standing], table: &Crosstable) -> Sheet {
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
    Sheet {
        title: "Crosstable",
        head,
        rows: (1..).zip(&order).map(row).collect(),
        left_columns: 2,
    }
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
