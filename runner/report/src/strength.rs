use std::collections::HashMap;

use dragontooth_runner_tournament::statistics::{
    FEW_UNITS, FirstSeat, InvalidFit, PlayedMatch, Rating, Ratings, fit, holm,
};
use serde::Serialize;

use super::figures::signed;
use super::table::{DataTable, NOTHING};

/// A comparison is called proved if its error, for all comparisons together, is below this.
const PROVED: f64 = 0.05;

/// The ratings of bots with their errors and counts, the best first.
#[derive(Clone, Debug)]
pub struct Strength {
    /// The names, the places in the fit and the standing in matches, the best first.
    lines: Vec<Line>,
    ratings: Ratings,
}

#[derive(Clone, Debug)]
struct Line {
    name: String,
    place: usize,
    matches: u32,
    score: f64,
}

/// The ratings as JSON.
#[derive(Debug, Serialize)]
struct Json<'a> {
    prior: bool,
    cautious: bool,
    first_seat: Option<JsonRating>,
    bots: Vec<JsonBot<'a>>,
    superiority: Vec<Vec<f64>>,
}

#[derive(Debug, Serialize)]
struct JsonRating {
    elo: f64,
    error: f64,
    standard_error: f64,
}

#[derive(Debug, Serialize)]
struct JsonBot<'a> {
    name: &'a str,
    #[serde(flatten)]
    rating: JsonRating,
    matches: u32,
    score: f64,
}

impl Strength {
    /// The joint fit of the ratings of bots with these names to their matches.
    ///
    /// # Errors
    ///
    /// The matches give no ratings.
    pub fn new(
        names: &[String],
        matches: &[PlayedMatch],
        first_seat: FirstSeat,
    ) -> Result<Self, InvalidFit> {
        let ratings = fit(names.len(), matches, first_seat)?;
        let played = played(names.len(), matches);
        let numbered = names.iter().zip(played).enumerate();
        let mut lines: Vec<Line> = numbered
            .map(|(place, (name, (matches, points)))| Line {
                name: name.clone(),
                place,
                matches,
                score: points / f64::from(matches.max(1)),
            })
            .collect();
        lines.sort_by(|a, b| {
            let elo = |line: &Line| ratings.of(line.place).elo;
            elo(b).total_cmp(&elo(a))
        });
        Ok(Self { lines, ratings })
    }

    /// The tables and notes for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let by_rating: Vec<usize> = self.lines.iter().map(|line| line.place).collect();
        let tables = [self.table(), self.matrix(&by_rating)]
            .map(|table| format!("{}\n{}\n", table.title, table.text()));
        let notes = self.notes().into_iter().map(|note| format!("\n{note}\n"));
        tables.join("\n") + &notes.collect::<String>()
    }

    /// All figures as one JSON object, without line breaks.
    #[must_use]
    pub fn json(&self) -> String {
        let row = |line: &Line| {
            let others = self.lines.iter();
            others
                .map(|other| self.ratings.superiority(line.place, other.place))
                .collect()
        };
        let json = Json {
            prior: self.ratings.has_prior(),
            cautious: self.ratings.is_cautious(),
            first_seat: self.ratings.first_seat().map(JsonRating::from),
            bots: self.lines.iter().map(|line| self.json_bot(line)).collect(),
            superiority: self.lines.iter().map(row).collect(),
        };
        serde_json::to_string(&json).expect("numbers and texts can all be written")
    }

    fn json_bot<'a>(&self, line: &'a Line) -> JsonBot<'a> {
        JsonBot {
            name: &line.name,
            rating: self.ratings.of(line.place).into(),
            matches: line.matches,
            score: line.score,
        }
    }

    /// The rating of a bot, its error and the likelihood that it is stronger than the next one, as texts.
    /// Bots are places in the list of names.
    pub(super) fn cells(&self, bot: usize, next: Option<usize>) -> [String; 3] {
        let rating = self.ratings.of(bot);
        let over_next = next.map(|next| percent(self.ratings.superiority(bot, next)));
        [
            signed(Some(rating.elo)),
            format!("{:.1}", rating.error()),
            over_next.unwrap_or_else(|| NOTHING.to_owned()),
        ]
    }

    /// The ratings with their errors.
    pub(super) fn table(&self) -> DataTable {
        let row = |(number, line): (usize, &Line)| {
            let next = self.lines.get(number).map(|next| next.place);
            let start = [number.to_string(), line.name.clone()];
            let end = [line.matches.to_string(), percent(line.score)];
            let cells = self.cells(line.place, next);
            start.into_iter().chain(cells).chain(end).collect()
        };
        let head = ["", "bot", "Elo", "± 95 %", "LOS %", "matches", "score %"];
        DataTable {
            title: "Ratings",
            head: head.map(str::to_owned).to_vec(),
            rows: (1..).zip(&self.lines).map(row).collect(),
            left_columns: 2,
        }
    }

    /// The likelihood of superiority of every bot over every other, in this order: indices in the list
    /// of names. A star marks what is proved when all are judged together.
    pub(super) fn matrix(&self, order: &[usize]) -> DataTable {
        let count = order.len();
        let of = |row: usize, column: usize| self.ratings.superiority(order[row], order[column]);
        let names: HashMap<usize, &String> = self
            .lines
            .iter()
            .map(|line| (line.place, &line.name))
            .collect();
        let comparisons: Vec<(usize, usize)> = (0..count)
            .flat_map(|row| (row + 1..count).map(move |column| (row, column)))
            .collect();
        let doubts: Vec<f64> = comparisons
            .iter()
            .map(|(row, column)| {
                let superiority = of(*row, *column);
                2.0 * superiority.min(1.0 - superiority)
            })
            .collect();
        let mut cells = vec![vec![NOTHING.to_owned(); count]; count];
        for ((row, column), doubt) in comparisons.into_iter().zip(holm(&doubts)) {
            let star = if doubt < PROVED { "*" } else { "" };
            cells[row][column] = format!("{}{star}", percent(of(row, column)));
            cells[column][row] = format!("{}{star}", percent(of(column, row)));
        }
        let rows = (1..).zip(order).zip(cells);
        let row = |((number, bot), cells): ((usize, &usize), Vec<String>)| {
            let start = [number.to_string(), names[bot].clone()];
            start.into_iter().chain(cells).collect()
        };
        let numbers = (1..=count).map(|number| number.to_string());
        let head = ["", "bot"].map(str::to_owned).into_iter().chain(numbers);
        DataTable {
            title: "Likelihood of superiority, %",
            head: head.collect(),
            rows: rows.map(row).collect(),
            left_columns: 2,
        }
    }

    /// The notes beside the ratings.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(seat) = self.ratings.first_seat() {
            let elo = signed(Some(seat.elo));
            notes.push(format!(
                "The first seat is worth {elo} ± {:.1} Elo.",
                seat.error()
            ));
        }
        if self.ratings.has_prior() {
            let cause = if self.ratings.first_seat().is_some() {
                "These results give no finite ratings with a value of the first seat"
            } else {
                "Some bots never scored against the others, so their ratings would be infinite"
            };
            notes.push(format!("{cause}: a virtual draw was added for every bot."));
        } else if self.ratings.is_cautious() {
            notes.push(format!(
                "A bot has fewer than {FEW_UNITS} encounters: its error is not taken for less than \
                 that of independent matches."
            ));
        }
        notes
    }
}

impl From<Rating> for JsonRating {
    fn from(rating: Rating) -> Self {
        Self {
            elo: rating.elo,
            error: rating.error(),
            standard_error: rating.standard_error,
        }
    }
}

/// The matches of each bot and its points.
fn played(bots: usize, matches: &[PlayedMatch]) -> Vec<(u32, f64)> {
    let mut played = vec![(0, 0.0); bots];
    for each in matches {
        let score = each.first_score;
        for (bot, score) in [(each.first, score), (each.second, score.reversed())] {
            played[bot].0 += 1;
            played[bot].1 += score.points();
        }
    }
    played
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
