use dragontooth_runner_tournament::statistics::Rating;
use dragontooth_runner_tournament::{BotIndex, Points, Standing, Tally, opening_scores};
use serde::Serialize;

use super::calls::JsonCalls;
use super::document::kind;
use super::luck::{JsonLuck, LuckFigures};
use super::{Overview, ProgramTotal, SprtFigures, ThinkingLine, ThinkingTime};
use crate::RunnerUsage;

/// The tables of a run as one JSON object.
#[derive(Debug, Serialize)]
pub struct JsonTables<'a> {
    event: JsonEvent<'a>,
    matches: JsonMatches,
    standings: Vec<JsonStanding<'a>>,
    ratings: Option<JsonRatings>,
    no_ratings: Option<String>,
    crosstable: Vec<Vec<Option<JsonTally>>>,
    superiority: Option<Vec<Vec<Option<f64>>>>,
    repeats: Vec<JsonRepeat<'a>>,
    openings: Vec<JsonOpening>,
    luck: Option<Vec<JsonLuck<'a>>>,
    /// The reason why they are left out; not there if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_luck: Option<String>,
    /// Not there without adjudication.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<JsonCalls>,
    sprt: Option<SprtFigures>,
    decisions: Vec<ThinkingLine>,
    runner: Option<RunnerUsage>,
    programs: Vec<ProgramTotal>,
}

#[derive(Debug, Serialize)]
struct JsonEvent<'a> {
    name: &'a str,
    format: String,
    seed: u64,
    game: &'a str,
    variant: &'a str,
    target: u32,
}

#[derive(Debug, Serialize)]
struct JsonMatches {
    scheduled: u64,
    played: usize,
    void: usize,
    faults: usize,
    recorded: usize,
    unique: usize,
}

#[derive(Debug, Serialize)]
struct JsonStanding<'a> {
    place: usize,
    shared: bool,
    bot: &'a str,
    points: f64,
    matches: u32,
    score: Option<f64>,
    byes: u32,
    buchholz: Option<f64>,
    out_in: Option<u32>,
    sonneborn_berger: f64,
    head_to_head: Option<f64>,
    elo: Option<f64>,
    elo_error: Option<f64>,
    total: JsonTally,
    as_first: JsonTally,
    as_second: JsonTally,
    games: JsonGames,
    points_made: u64,
    points_given: u64,
    points_per_game: Option<f64>,
    points_per_game_error: Option<f64>,
    plies_per_game: Option<f64>,
    faults: u32,
    void: u32,
}

#[derive(Debug, Serialize)]
struct JsonTally {
    won: u32,
    drawn: u32,
    lost: u32,
}

#[derive(Debug, Serialize)]
struct JsonGames {
    won: u64,
    drawn: u64,
    lost: u64,
}

#[derive(Debug, Serialize)]
struct JsonRatings {
    prior: bool,
    cautious: bool,
}

#[derive(Debug, Serialize)]
struct JsonRepeat<'a> {
    bots: [&'a str; 2],
    matches: u32,
    unique: u32,
}

/// The results of the first seat after an opening.
#[derive(Debug, Serialize)]
struct JsonOpening {
    opening: String,
    first_seat: JsonTally,
}

impl<'a> JsonTables<'a> {
    /// The tables of an overview.
    #[must_use]
    pub fn new(
        overview: &'a Overview<'a>,
        thinking: &ThinkingTime,
        session: Option<RunnerUsage>,
        programs: Vec<ProgramTotal>,
    ) -> Self {
        let (event, results) = (overview.schedule.event(), overview.results);
        let rules = event.rules();
        let ratings = overview.ratings.as_ref();
        let (recorded, unique) = overview.unlike();
        Self {
            event: JsonEvent {
                name: event.name().as_str(),
                format: kind(event.format(), event.bots().len()),
                seed: event.seed(),
                game: rules.game(),
                variant: rules.variant(),
                target: rules.target(),
            },
            matches: JsonMatches {
                scheduled: overview.schedule.expected_matches(),
                played: results.played(),
                void: results.void(),
                faults: results.faults(),
                recorded,
                unique,
            },
            standings: overview
                .standings
                .iter()
                .map(|line| JsonStanding::new(overview, line))
                .collect(),
            ratings: ratings.ok().map(|ratings| JsonRatings {
                prior: ratings.has_prior(),
                cautious: ratings.is_cautious(),
            }),
            no_ratings: ratings.err().map(ToString::to_string),
            crosstable: of_every_two(overview, |bot, other| {
                (bot != other).then(|| overview.crosstable.cell(bot, other).into())
            }),
            superiority: ratings
                .is_ok()
                .then(|| of_every_two(overview, |bot, other| overview.superiority(bot, other))),
            repeats: overview
                .repeats
                .iter()
                .map(|repeat| JsonRepeat {
                    bots: repeat.bots.map(|bot| overview.name(bot)),
                    matches: repeat.matches,
                    unique: repeat.unique,
                })
                .collect(),
            openings: opening_scores(overview.schedule, results)
                .into_iter()
                .map(|one| JsonOpening {
                    opening: one.opening,
                    first_seat: one.first_seat.into(),
                })
                .collect(),
            luck: None,
            no_luck: None,
            calls: JsonCalls::all(overview.schedule, results),
            sprt: overview.tested(),
            decisions: thinking.lines(),
            runner: session,
            programs,
        }
    }

    /// The same with the results without the luck in the dice, or the reason why there are none.
    #[must_use]
    pub fn with_luck(mut self, overview: &'a Overview<'a>, luck: &LuckFigures) -> Self {
        let all = || JsonLuck::all(overview.schedule, &overview.standings, luck);
        (self.luck, self.no_luck) = match luck {
            LuckFigures::Unmentioned => (None, None),
            LuckFigures::Known(_) => (Some(all()), None),
            LuckFigures::LeftOut(reason) => (None, Some(reason.clone())),
        };
        self
    }

    /// The object, with line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers and texts can all be written");
        text.push('\n');
        text
    }
}

impl<'a> JsonStanding<'a> {
    fn new(overview: &Overview<'a>, line: &Standing) -> Self {
        let tally = line.tally();
        let rating = overview.rating(line.bot);
        let per_game = overview.points_per_game[line.bot.get()];
        Self {
            place: line.place.rank,
            shared: line.place.shared,
            bot: overview.name(line.bot),
            points: line.points.as_f64(),
            matches: tally.matches(),
            score: tally.score(),
            byes: line.byes,
            buchholz: line.buchholz.map(Points::as_f64),
            out_in: line.out_in,
            sonneborn_berger: line.sonneborn_berger.as_f64(),
            head_to_head: line.head_to_head.map(Points::as_f64),
            elo: rating.map(|rating| rating.elo),
            elo_error: rating.map(Rating::error),
            total: tally.into(),
            as_first: line.by_seat[0].into(),
            as_second: line.by_seat[1].into(),
            games: JsonGames {
                won: line.games_won,
                drawn: line.games_drawn,
                lost: line.games_lost,
            },
            points_made: line.points_for,
            points_given: line.points_against,
            points_per_game: per_game.map(|points| points.mean),
            points_per_game_error: per_game.and_then(|points| points.error),
            plies_per_game: line.mean_game_plies,
            faults: line.faults,
            void: line.void,
        }
    }
}

impl From<Tally> for JsonTally {
    fn from(tally: Tally) -> Self {
        Self {
            won: tally.wins,
            drawn: tally.draws,
            lost: tally.losses,
        }
    }
}

/// A row for each bot in the order of the standings, with a cell for each in the same order.
fn of_every_two<T>(overview: &Overview<'_>, cell: impl Fn(BotIndex, BotIndex) -> T) -> Vec<Vec<T>> {
    let order: Vec<BotIndex> = overview.standings.iter().map(|line| line.bot).collect();
    let row = |bot: &BotIndex| order.iter().map(|other| cell(*bot, *other)).collect();
    order.iter().map(row).collect()
}
