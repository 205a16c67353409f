use dragontooth_games::counted;
use dragontooth_runner_tournament::Event;
use dragontooth_runner_tournament::arena::{
    ArenaState, Contender, HeadToHead, Ranked, Ranking, RatingHistory,
};
use serde::Serialize;

use super::csv::written;
use super::document::kind;
use super::table::{DataTable, NOTHING, markdown_text};

/// The digits of a player's id that stand for a player without a name.
const ID_DIGITS: usize = 8;

/// The explanation of the table.
pub(super) const LEGEND: &str = "Elo ± the half of a 95 % interval, from a joint fit of all encounters in which the anchors \
                                 are frozen. An old build is marked with (old). A repeated match, with the moves of an earlier \
                                 one, counts once.";

/// The tables of an arena.
#[derive(Clone, Debug)]
pub struct ArenaTables<'a> {
    pub(super) event: &'a Event,
    pub(super) ranking: Ranking,
    pub(super) head_to_head: Vec<HeadToHead>,
    pub(super) history: Option<&'a RatingHistory>,
}

impl<'a> ArenaTables<'a> {
    /// The tables after what is in `state`.
    #[must_use]
    pub fn new(event: &'a Event, state: &ArenaState) -> Self {
        Self {
            event,
            ranking: state.ranking(),
            head_to_head: state.head_to_head(),
            history: None,
        }
    }

    /// The same with the ratings over time.
    #[must_use]
    pub fn with_history(self, history: &'a RatingHistory) -> Self {
        let history = Some(history);
        Self { history, ..self }
    }

    /// The table for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n\n", self.event.name(), self.summary());
        text.push_str(&self.table().text());
        text.push_str("\n\n");
        text.push_str(LEGEND);
        text.push('\n');
        for (label, reason) in self.parked() {
            text.extend([label.as_str(), ": ", reason, "\n"]);
        }
        text
    }

    /// The parked contenders with the reasons.
    fn parked(&self) -> impl Iterator<Item = (String, &str)> {
        let rows = self.ranking.rows.iter();
        rows.filter_map(|row| Some((label_of(row), row.parked.as_deref()?)))
    }

    /// The table in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (name, summary) = (self.event.name(), self.summary());
        let mut text = format!(
            "# {name}\n\n{summary}\n\n{}\n\n{LEGEND}\n",
            self.table().markdown()
        );
        for (number, (label, reason)) in self.parked().enumerate() {
            let before = if number == 0 { "\n" } else { "" };
            let (label, reason) = (markdown_text(&label), markdown_text(reason));
            text.extend([before, "- ", &label, ": ", &reason, "\n"]);
        }
        text
    }

    /// The table as comma-separated values, a line a contender.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = "rank,contender,player,build,anchor,elo,error,won,drawn,lost,latest,parked";
        let rows = (1..).zip(&self.ranking.rows).map(|(rank, row)| {
            vec![
                format!("{rank}"),
                label_of(row),
                player_of(&row.contender).unwrap_or_default(),
                row.contender.build().unwrap_or_default().to_owned(),
                is_anchor(row).to_string(),
                format!("{:.1}", row.rating.elo),
                format!("{:.1}", row.rating.error()),
                row.results[0].to_string(),
                row.results[1].to_string(),
                row.results[2].to_string(),
                row.is_latest.to_string(),
                row.parked.is_some().to_string(),
            ]
        });
        let head = head.split(',').map(str::to_owned).collect();
        written(std::iter::once(head).chain(rows))
    }

    /// All tables as one JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        let rules = self.event.rules();
        let counts = self.ranking.counts;
        let tables = JsonArena {
            event: self.event.name().as_str(),
            format: "arena",
            seed: self.event.seed(),
            game: rules.game(),
            variant: rules.variant(),
            target: rules.target(),
            encounters: counts.encounters,
            matches: counts.matches,
            void: counts.void,
            repeated: counts.repeated,
            contenders: (1..).zip(&self.ranking.rows).map(json_row).collect(),
            head_to_head: self.head_to_head.iter().map(JsonMet::new).collect(),
            history: self.history.map_or_else(Vec::new, json_history),
        };
        let mut text =
            serde_json::to_string_pretty(&tables).expect("numbers and texts can all be written");
        text.push('\n');
        text
    }

    pub(super) fn summary(&self) -> String {
        let (rules, counts) = (self.event.rules(), self.ranking.counts);
        let kind = kind(self.event.format(), self.event.bots().len());
        let matches = counted(counts.matches, "match");
        let mut text = format!(
            "{kind}, {} ({}) to {}; {matches} over",
            rules.game(),
            rules.variant(),
            rules.target(),
        );
        for (count, word) in [(counts.void, "void"), (counts.repeated, "repeated")] {
            if count > 0 {
                text.extend([", ", &count.to_string(), " ", word]);
            }
        }
        text
    }

    pub(super) fn table(&self) -> DataTable {
        let head = [
            "#",
            "contender",
            "Elo",
            "±",
            "matches",
            "won",
            "drawn",
            "lost",
            "score",
        ];
        let row = |(rank, row): (usize, &Ranked)| {
            let [won, drawn, lost] = row.results;
            let matches = won + drawn + lost;
            let halves = 2 * won + drawn;
            let permille = (1000 * halves + matches).checked_div(2 * matches);
            vec![
                rank.to_string(),
                marked(row),
                format!("{:.0}", row.rating.elo),
                if is_anchor(row) {
                    "frozen".to_owned()
                } else {
                    format!("{:.0}", row.rating.error())
                },
                matches.to_string(),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
                permille.map_or(NOTHING.to_owned(), |permille| {
                    format!("{}.{} %", permille / 10, permille % 10)
                }),
            ]
        };
        DataTable {
            title: "Ratings",
            head: head.map(str::to_owned).to_vec(),
            rows: (1..).zip(&self.ranking.rows).map(row).collect(),
            left_columns: 2,
        }
    }
}

/// A contender for people: its name and its build.
#[must_use]
pub fn contender_label(contender: &Contender, name: &str) -> String {
    let name = match (contender, name) {
        (Contender::Anchor(name), _) => name.to_string(),
        (Contender::Build { player, .. }, "") => {
            player.to_string().chars().take(ID_DIGITS).collect()
        }
        (Contender::Build { .. }, name) => name.to_owned(),
    };
    match contender.build() {
        Some(build) => format!("{name} {build}"),
        None => name,
    }
}

pub(super) fn label_of(row: &Ranked) -> String {
    contender_label(&row.contender, &row.name)
}

fn marked(row: &Ranked) -> String {
    let mut text = label_of(row);
    if !row.is_latest {
        text.push_str(" (old)");
    }
    if row.parked.is_some() {
        text.push_str(" (parked)");
    }
    text
}

const fn is_anchor(row: &Ranked) -> bool {
    matches!(row.contender, Contender::Anchor(_))
}

fn player_of(contender: &Contender) -> Option<String> {
    match contender {
        Contender::Anchor(_) => None,
        Contender::Build { player, .. } => Some(player.to_string()),
    }
}

#[derive(Debug, Serialize)]
struct JsonArena<'a> {
    event: &'a str,
    format: &'static str,
    seed: u64,
    game: &'a str,
    variant: &'a str,
    target: u32,
    encounters: u64,
    matches: u64,
    void: u64,
    repeated: u64,
    contenders: Vec<JsonRanked<'a>>,
    head_to_head: Vec<JsonMet<'a>>,
    history: Vec<JsonPoint<'a>>,
}

/// A contender: an anchor has its name alone.
#[derive(Debug, Serialize)]
struct JsonContender<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct JsonRanked<'a> {
    rank: usize,
    #[serde(flatten)]
    contender: JsonContender<'a>,
    name: &'a str,
    elo: f64,
    error: f64,
    won: u64,
    drawn: u64,
    lost: u64,
    latest: bool,
    parked: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct JsonMet<'a> {
    contenders: [JsonContender<'a>; 2],
    matches: u64,
    points: f64,
}

#[derive(Debug, Serialize)]
struct JsonPoint<'a> {
    matches: u64,
    ratings: Vec<JsonRating<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonRating<'a> {
    #[serde(flatten)]
    contender: JsonContender<'a>,
    elo: f64,
}

impl<'a> JsonContender<'a> {
    fn new(contender: &'a Contender) -> Self {
        Self {
            anchor: match contender {
                Contender::Anchor(name) => Some(name.as_str()),
                Contender::Build { .. } => None,
            },
            player: player_of(contender),
            build: contender.build(),
        }
    }
}

impl<'a> JsonMet<'a> {
    fn new(met: &'a HeadToHead) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "points far below 2^52")]
        let points = met.half_points as f64 / 2.0;
        Self {
            contenders: met.contenders.each_ref().map(JsonContender::new),
            matches: met.matches,
            points,
        }
    }
}

fn json_row((rank, row): (usize, &Ranked)) -> JsonRanked<'_> {
    let [won, drawn, lost] = row.results;
    JsonRanked {
        rank,
        contender: JsonContender::new(&row.contender),
        name: &row.name,
        elo: tenth(row.rating.elo),
        error: tenth(row.rating.error()),
        won,
        drawn,
        lost,
        latest: row.is_latest,
        parked: row.parked.as_deref(),
    }
}

fn json_history(history: &RatingHistory) -> Vec<JsonPoint<'_>> {
    let points = history.points().iter().map(|point| {
        let ratings = point.ratings.iter().map(|(contender, elo)| JsonRating {
            contender: JsonContender::new(contender),
            elo: tenth(*elo),
        });
        JsonPoint {
            matches: point.matches,
            ratings: ratings.collect(),
        }
    });
    points.collect()
}

/// Rounded to a tenth.
fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
