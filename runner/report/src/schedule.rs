use std::io::{self, Write};

use dragontooth_games::{Seat, counted};
use dragontooth_runner_tournament::{Format, Leg, Schedule, ScheduledMatch};

/// Writes the pairings round by round, with the title of every match.
///
/// # Errors
///
/// It cannot be written.
pub fn write_schedule(out: &mut dyn Write, schedule: &Schedule) -> io::Result<()> {
    let event = schedule.event();
    let encounters = schedule.matches().len() / Leg::BOTH.len();
    writeln!(
        out,
        "{}: {} bots, {}, {}, {}",
        event.name(),
        event.bots().len(),
        counted(schedule.rounds().count(), "round"),
        counted(encounters, "encounter"),
        counted(schedule.matches().len(), "match"),
    )?;
    for round in schedule.rounds() {
        write_round(out, schedule, round)?;
        for planned in round {
            write_match(out, schedule, planned)?;
        }
    }
    match event.format() {
        Format::RoundRobin { .. } | Format::Gauntlet { .. } => Ok(()),
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
            let most = event.most_matches();
            writeln!(
                out,
                "\nwhat follows depends on the results; at most {most} matches"
            )
        }
        Format::Arena { .. } => {
            writeln!(
                out,
                "an arena has no schedule: players meet as they are present"
            )
        }
        Format::Sprt { .. } => writeln!(out, "\nit ends as soon as the test is decided"),
    }
}

fn write_round(
    out: &mut dyn Write,
    schedule: &Schedule,
    round: &[ScheduledMatch],
) -> io::Result<()> {
    let Some(first) = round.first() else {
        return Ok(());
    };
    let (cycle, number) = (first.slot.cycle, first.slot.round);
    write!(out, "\ncycle {cycle}, round {number}")?;
    let names = schedule.idle(round).into_iter();
    let names: Vec<String> = names
        .map(|bot| schedule.event().bot(bot).to_string())
        .collect();
    if !names.is_empty() {
        write!(out, " (bye: {})", names.join(", "))?;
    }
    writeln!(out)
}

fn write_match(
    out: &mut dyn Write,
    schedule: &Schedule,
    planned: &ScheduledMatch,
) -> io::Result<()> {
    let bot = |seat| schedule.event().bot(planned.bot(seat));
    writeln!(
        out,
        "{}  {} - {}",
        schedule.title(planned),
        bot(Seat::First),
        bot(Seat::Second),
    )
}
