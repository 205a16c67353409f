use std::io::{self, Write};

use dragontooth_games::Seat;

use crate::tournament::{Leg, Schedule, ScheduledMatch};

/// Writes who meets whom, round by round, with what every match is known by.
///
/// # Errors
///
/// It cannot be written.
pub fn write_schedule(out: &mut dyn Write, schedule: &Schedule) -> io::Result<()> {
    let event = schedule.event();
    writeln!(
        out,
        "{}: {} bots, {} rounds, {} encounters, {} matches",
        event.name(),
        event.bots().len(),
        schedule.rounds_per_cycle() * event.cycles() as usize,
        schedule.matches().len() / Leg::BOTH.len(),
        schedule.matches().len(),
    )?;
    let mut round = None;
    for planned in schedule.matches() {
        let here = (planned.slot.cycle, planned.slot.round);
        if round.replace(here) != Some(here) {
            write_round(out, schedule, planned)?;
        }
        write_match(out, schedule, planned)?;
    }
    Ok(())
}

fn write_round(out: &mut dyn Write, schedule: &Schedule, first: &ScheduledMatch) -> io::Result<()> {
    write!(
        out,
        "\ncycle {}, round {}",
        first.slot.cycle, first.slot.round
    )?;
    if let Some(bye) = schedule.bye(first.slot.round) {
        write!(out, " (bye: {})", schedule.event().bot(bye))?;
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
        "{}  {} - {}  seed {}  request {}",
        schedule.title(planned),
        bot(Seat::First),
        bot(Seat::Second),
        schedule.match_seed(planned),
        schedule.request_id(planned),
    )
}
