use dragontooth_games::counted;
use dragontooth_runner_tournament::statistics::FirstSeat;
use dragontooth_runner_tournament::{
    Crosstable, Format, MatchRules, Name, Results, Schedule, Sequential, points_per_game, repeats,
    standings,
};

use super::repeated::repeated;
use super::table::DataTable;
use super::{LuckFigures, SprtFigures, Strength, calls, luck, tables};

/// The legend of the columns.
const LEGEND: &str = "\
SB: Sonneborn-Berger. H2H: points among those still tied. Elo: ratings \
fitted to all matches together, whose sum is 0; ± 95 %: by the scatter of the encounters (two \
matches, seats swapped). LOS: likelihood that a bot is stronger than the next one, or than that of \
the column; *: proved when all are judged together. W-D-L and games: won, drawn, lost. void: \
matches that were called off and count for neither bot.";

/// The points, and those of a bye in a Swiss event.
const POINTS: &str = "points: a win 1, a draw ½.";
pub(super) const BYES: &str = "byes: rounds without an opponent, which bring 2 points and count as no matches. Buchholz: the points of the \
                    opponents.";

/// The points in a game for money.
pub(super) const POINTS_PER_GAME: &str = "points/game: won less lost in a finished game, with the mean of an \
                    encounter as the unit and a bound on what a single one counts.";

/// The tables of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    title: String,
    summary: String,
    tables: Vec<DataTable>,
    /// The state of a sequential test, in lines.
    test: Option<String>,
    notes: Vec<String>,
    legend: String,
}

impl Document {
    /// The tables of the results so far. They depend on nothing else: neither on the order in
    /// which the results came nor on when that was.
    ///
    /// ```
    /// use dragontooth_runner_report::Document;
    /// use dragontooth_runner_tournament::{Event, Format, MatchRules, Name, Results, Schedule};
    ///
    /// let bots = vec![Name::new("a")?, Name::new("b")?];
    /// let rules = MatchRules::new("linja", None, 3)?;
    /// let event = Event::new(Name::new("demo")?, 7, rules, bots, Format::RoundRobin { cycles: 1 })?;
    /// let schedule = Schedule::new(event);
    /// let document = Document::new(&schedule, &Results::none(schedule.matches()));
    /// assert!(document.markdown().starts_with("# demo"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(schedule: &Schedule, results: &Results) -> Self {
        let lines = standings(schedule, results);
        let table = Crosstable::new(schedule, results);
        let names: Vec<String> = schedule
            .event()
            .bots()
            .iter()
            .map(Name::to_string)
            .collect();
        let per_game = points_per_game(schedule, results);
        let matches = results.played_matches(schedule.matches());
        let strength = Strength::new(&names, &matches, FirstSeat::Ignored);
        let places = tables::places(schedule, &lines, strength.as_ref().ok());
        let mut tables = vec![places, tables::details(schedule, &lines, &per_game)];
        tables.push(tables::crosstable(schedule, &lines, &table));
        tables.extend(tables::rounds(schedule, results));
        tables.extend(tables::openings(schedule, results));
        tables.extend(calls::table(schedule, results));
        let order: Vec<usize> = lines.iter().map(|line| line.bot.get()).collect();
        let matrix = |strength: &Strength| strength.matrix(&order);
        tables.extend(strength.as_ref().ok().map(matrix));
        let mut notes = strength.map_or_else(
            |error| vec![format!("No ratings: {error}.")],
            |strength| strength.notes(),
        );
        notes.extend(repeated(schedule.event(), &repeats(schedule, results)));
        Self {
            title: schedule.event().name().to_string(),
            summary: summary(schedule, results),
            legend: legend(
                lines.iter().any(|line| line.buchholz.is_some()),
                schedule.event().rules(),
            ),
            tables,
            test: schedule.sequential().map(|test| tested(schedule, test)),
            notes,
        }
    }

    /// The same with a table of the results without the luck in the dice, or a note that says why there is none.
    #[must_use]
    pub fn with_luck(
        mut self,
        schedule: &Schedule,
        results: &Results,
        figures: &LuckFigures,
    ) -> Self {
        let standings = standings(schedule, results);
        if let Some(table) = luck::table(schedule, &standings, figures) {
            self.tables.push(table);
            self.legend = format!("{} {}", self.legend, luck::legend());
        }
        self.notes.extend(figures.left_out());
        self
    }

    /// The tables for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let table = |table: &DataTable| format!("{}\n{}\n\n", table.title, table.text());
        let tables: String = self.tables.iter().map(table).collect();
        let test = self.test.iter().map(|test| format!("{test}\n\n"));
        format!(
            "{}: {}\n\n{tables}{}{}{}\n",
            self.title,
            self.summary,
            test.collect::<String>(),
            self.notes(),
            self.legend
        )
    }

    /// The tables as a page in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let table = |table: &DataTable| format!("## {}\n\n{}\n\n", table.title, table.markdown());
        let tables: String = self.tables.iter().map(table).collect();
        // As a paragraph, its lines would become one.
        let test = self.test.iter();
        let test = test.map(|test| format!("```text\n{test}\n```\n\n"));
        format!(
            "# {}\n\n{}\n\n{tables}{}{}{}\n",
            self.title,
            capitalised(&self.summary),
            test.collect::<String>(),
            self.notes(),
            self.legend
        )
    }

    /// The notes beside the tables, each a paragraph.
    fn notes(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("{note}\n\n"));
        notes.collect()
    }
}

fn legend(is_swiss: bool, rules: MatchRules) -> String {
    let byes = if is_swiss { &[BYES][..] } else { &[] };
    let per_game = if rules.are_for_money() {
        &[POINTS_PER_GAME][..]
    } else {
        &[]
    };
    let parts: Vec<&str> = [POINTS]
        .iter()
        .chain(byes)
        .chain(per_game)
        .chain(&[LEGEND])
        .chain(rules.adjudication().map(|_| &calls::LEGEND))
        .copied()
        .collect();
    parts.join(" ")
}

fn summary(schedule: &Schedule, results: &Results) -> String {
    let event = schedule.event();
    let (rules, bots) = (event.rules(), event.bots().len());
    let troubles = [(results.faults(), "fault"), (results.void(), "void match")];
    let troubles: Vec<String> = troubles
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, one)| format!(", {}", counted(*count, one)))
        .collect();
    format!(
        "{}, {} ({}) to {}, seed {}; {} of {} played{}",
        kind(event.format(), bots),
        rules.game(),
        rules.variant(),
        rules.target(),
        event.seed(),
        results.played(),
        counted(schedule.expected_matches(), "match"),
        troubles.concat(),
    )
}

/// The format of an event with `bots` bots.
pub(super) fn kind(format: &Format, bots: usize) -> String {
    let cycles = |count: u32| counted(count, "cycle");
    match format {
        Format::RoundRobin { cycles: count } => {
            format!("round robin of {bots} bots, {}", cycles(*count))
        }
        Format::Gauntlet {
            challengers,
            cycles: count,
        } => {
            let names: Vec<&str> = challengers.iter().map(Name::as_str).collect();
            let others = counted(bots - names.len(), "bot");
            let cycles = cycles(*count);
            format!(
                "gauntlet of {} against {others}, {cycles}",
                names.join(", ")
            )
        }
        Format::Swiss { rounds, .. } => {
            let rounds = counted(*rounds, "round");
            format!("Swiss system of {bots} bots, {rounds}")
        }
        Format::Knockout { .. } => format!("knockout of {bots} bots"),
        Format::Ladder { rounds, .. } => {
            let rounds = counted(*rounds, "round");
            format!("ladder of {bots} bots, {rounds}")
        }
        Format::Sprt { .. } => "sequential test of two bots".to_owned(),
        Format::Arena { .. } => format!("arena with {}", counted(bots, "anchor")),
    }
}

/// The state of a sequential test.
fn tested(schedule: &Schedule, test: &Sequential) -> String {
    let bots: Vec<&str> = schedule.event().bots().iter().map(Name::as_str).collect();
    let figures = SprtFigures::of_event(test);
    format!("{}: {}", bots.join(" against "), figures.text().trim_end())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}
