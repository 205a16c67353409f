use std::cmp::Reverse;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::Termination;

use super::knockout::Knockout;
use super::ladder::ladder_order;
use super::swiss::SwissTable;
use super::{
    BotIndex, Crosstable, Ending, Format, MatchResult, Points, Results, Schedule, SonnebornBerger,
    Tally, Verdict,
};

/// A bot's row in the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its place.
    pub place: Place,
    /// The bot.
    pub bot: BotIndex,
    /// Its match points.
    pub points: Points,
    /// Byes in a Swiss system; each scores as much as an encounter won.
    pub byes: u32,
    /// Points of its opponents in a Swiss system, one entry per encounter: the first tie-break
    /// there. `None` in other formats.
    pub buchholz: Option<Points>,
    /// Sonneborn-Berger score: a tie-break.
    pub sonneborn_berger: SonnebornBerger,
    /// Points in the matches among the bots that are otherwise tied: the last tie-break. `None`
    /// without such bots, or if the format knows no ties.
    pub head_to_head: Option<Points>,
    /// The round of a knockout in which it went out; `None` while it is in, and in other formats.
    pub out_in: Option<u32>,
    /// Its matches by seat, without void ones.
    pub by_seat: [Tally; 2],
    /// Games won, in all matches that count.
    pub games_won: u64,
    /// Games lost.
    pub games_lost: u64,
    /// Games drawn.
    pub games_drawn: u64,
    /// Game points scored.
    pub points_for: u64,
    /// Game points conceded.
    pub points_against: u64,
    /// Mean number of actions in a game, over the matches that ended by the rules; `None` without
    /// any.
    pub mean_game_plies: Option<f64>,
    /// Number of void matches.
    pub void: u32,
    /// Its faults.
    pub faults: u32,
}

/// A place in the standings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place, from 1. Tied bots share one, and the places after it stay empty.
    pub rank: usize,
    /// True if other bots share it.
    pub shared: bool,
}

impl Standing {
    /// Returns all its matches that count.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.by_seat[0] + self.by_seat[1]
    }
}

/// Returns the standings of the results so far, the best first. Tied bots share a place and are
/// listed in the order of the event's list, or of the seeds if there are any.
///
/// Most formats order by match points; a Swiss system then by Buchholz, by Sonneborn-Berger and by
/// the points of the matches among those still tied; a knockout by the round of elimination; a
/// ladder by the final order. In tie-breaks a bye counts as a win against an opponent with the
/// bot's own points (FIDE Handbook, C.07, 16.4).
#[must_use]
pub fn standings(schedule: &Schedule, results: &Results) -> Vec<Standing> {
    let table = Crosstable::new(schedule, results);
    let mut lines: Vec<Line> = schedule.event().bot_indices().map(Line::empty).collect();
    for (planned, result) in results.with_match(schedule.matches()) {
        for seat in Seat::BOTH {
            lines[planned.bot(seat).get()].count(result, seat);
        }
    }
    let mut lines: Vec<Standing> = lines.into_iter().map(Line::close).collect();
    let (event, matches) = (schedule.event(), schedule.matches());
    let swiss = match event.format() {
        Format::Swiss { .. } => Some(SwissTable::new(event, matches, results)),
        Format::RoundRobin { .. }
        | Format::Gauntlet { .. }
        | Format::Knockout { .. }
        | Format::Ladder { .. }
        | Format::Sprt { .. }
        | Format::Arena { .. } => None,
    };
    if let Some(table) = &swiss {
        for line in &mut lines {
            line.points = table.points[line.bot.get()];
            line.byes = table.byes[line.bot.get()];
        }
    }
    let points: Vec<Points> = lines.iter().map(|line| line.points).collect();
    for line in &mut lines {
        let opponents = schedule.event().bot_indices();
        line.sonneborn_berger = opponents
            .map(|opponent| table.cell(line.bot, opponent).points() * points[opponent.get()])
            .chain([SwissTable::BYE.times(line.byes) * line.points])
            .sum();
        line.buchholz = swiss.as_ref().map(|swiss| {
            let opponents = swiss.opponents[line.bot.get()].iter();
            let played: Points = opponents.map(|opponent| points[opponent.get()]).sum();
            played + line.points.times(line.byes)
        });
    }
    match event.format() {
        Format::RoundRobin { .. }
        | Format::Gauntlet { .. }
        | Format::Swiss { .. }
        | Format::Sprt { .. }
        | Format::Arena { .. } => {
            by_points(&mut lines, &table);
        }
        Format::Knockout { .. } => {
            let out_in = Knockout::new(event, matches, results).out_in;
            for line in &mut lines {
                line.out_in = out_in[line.bot.get()];
            }
            let mut lines = in_order(lines, event.named());
            let round = |line: &Standing| line.out_in.unwrap_or(u32::MAX);
            lines.sort_by_key(|line| Reverse(round(line)));
            number(&mut lines, round);
            return lines;
        }
        Format::Ladder { .. } => {
            let order = ladder_order(event.named(), matches, results);
            let mut lines = in_order(lines, &order);
            number(&mut lines, |line| line.bot);
            return lines;
        }
    }
    lines
}

/// The totals from which a bot's row is computed.
struct Line {
    standing: Standing,
    normal_plies: u64,
    normal_games: u64,
}

impl Line {
    fn empty(bot: BotIndex) -> Self {
        Self {
            standing: Standing {
                place: Place {
                    rank: 0,
                    shared: false,
                },
                bot,
                points: Points::ZERO,
                byes: 0,
                buchholz: None,
                sonneborn_berger: SonnebornBerger::default(),
                head_to_head: None,
                out_in: None,
                by_seat: [Tally::default(); 2],
                games_won: 0,
                games_lost: 0,
                games_drawn: 0,
                points_for: 0,
                points_against: 0,
                mean_game_plies: None,
                void: 0,
                faults: 0,
            },
            normal_plies: 0,
            normal_games: 0,
        }
    }

    /// Adds a match.
    fn count(&mut self, result: &MatchResult, seat: Seat) {
        let line = &mut self.standing;
        let own_faults = result
            .faults
            .iter()
            .filter(|(guilty, _)| *guilty == seat)
            .count();
        line.faults = line
            .faults
            .saturating_add(u32::try_from(own_faults).unwrap_or(u32::MAX));
        let verdict = result.verdict();
        if verdict == Verdict::Void {
            line.void += 1;
            return;
        }
        let (own, other) = (seat.index(), seat.other().index());
        line.by_seat[own] += Tally::of(verdict, seat);
        line.games_won += u64::from(result.games.won[own]);
        line.games_lost += u64::from(result.games.won[other]);
        line.games_drawn += u64::from(result.games.drawn);
        line.points_for += u64::from(result.score[own]);
        line.points_against += u64::from(result.score[other]);
        if result.termination == Ending::By(Termination::Normal) {
            self.normal_plies += u64::from(result.plies);
            self.normal_games += u64::from(result.games.total());
        }
    }

    fn close(self) -> Standing {
        let mut line = self.standing;
        line.points = line.tally().points();
        line.mean_game_plies = mean(self.normal_plies, self.normal_games);
        line
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a mean is printed with one decimal"
)]
fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

const fn first_criteria(line: &Standing) -> (Points, Option<Points>, SonnebornBerger) {
    (line.points, line.buchholz, line.sonneborn_berger)
}

/// Sorts and numbers rows by points.
fn by_points(lines: &mut [Standing], table: &Crosstable) {
    lines.sort_by_key(|line| Reverse(first_criteria(line)));
    for group in lines.chunk_by_mut(|a, b| first_criteria(a) == first_criteria(b)) {
        break_ties(group, table);
    }
    number(lines, |line| (first_criteria(line), line.head_to_head));
}

/// Returns the rows in a given order of all bots.
fn in_order(lines: Vec<Standing>, order: &[BotIndex]) -> Vec<Standing> {
    let mut places = vec![0; order.len()];
    for (place, bot) in order.iter().enumerate() {
        places[bot.get()] = place;
    }
    let mut lines = lines;
    lines.sort_by_key(|line| places[line.bot.get()]);
    lines
}

/// Sorts tied rows by the matches among them.
fn break_ties(tied: &mut [Standing], table: &Crosstable) {
    if tied.len() < 2 {
        return;
    }
    let group: Vec<BotIndex> = tied.iter().map(|line| line.bot).collect();
    for line in &mut *tied {
        let among = group
            .iter()
            .map(|opponent| table.cell(line.bot, *opponent).points())
            .sum();
        line.head_to_head = Some(among);
    }
    tied.sort_by_key(|line| Reverse(line.head_to_head));
}

/// Gives neighbours with the same `key` the same place.
fn number<K: PartialEq>(lines: &mut [Standing], key: impl Fn(&Standing) -> K) {
    let mut rank = 1;
    for group in lines.chunk_by_mut(|a, b| key(a) == key(b)) {
        let place = Place {
            rank,
            shared: group.len() > 1,
        };
        rank += group.len();
        for line in group {
            line.place = place;
        }
    }
}
