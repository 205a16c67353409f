use dragontooth_games::suggestion::did_you_mean;
use dragontooth_runner_tournament::arena::{
    DEFAULT_PAIR_CAP, DEFAULT_PARK_AFTER, RECENT_ENCOUNTERS,
};
use dragontooth_runner_tournament::statistics::{Model, Sprt};
use dragontooth_runner_tournament::{
    Format, InvalidEvent, MAX_BOTS, MAX_CYCLES, MAX_EXTRA_ENCOUNTERS, MAX_LADDER_ROUNDS,
    MAX_MATCHES, Name, most_swiss_rounds,
};

use dragontooth_service_vocabulary::PlayerId;

use super::field::Field;
use super::section::Section;

/// The cycles of an event whose file names none.
pub const DEFAULT_CYCLES: u32 = 1;
/// The further encounters after a drawn one in a knockout whose file does not tell.
pub const DEFAULT_EXTRA_ENCOUNTERS: u32 = 2;
/// The probability of each error of a sequential test whose file names none.
pub const DEFAULT_ERROR_RATE: f64 = 0.05;
/// The most encounters of a sequential test.
pub const MAX_ENCOUNTERS: u64 = MAX_MATCHES / 2;

/// The most faults in a row after which an arena parks a build.
pub const MAX_PARK_AFTER: u32 = 1000;

/// The formats of events.
pub const FORMATS: [&str; 7] = [
    "round_robin",
    "gauntlet",
    "swiss",
    "knockout",
    "ladder",
    "sprt",
    "arena",
];
const MODELS: [&str; 2] = ["normalized", "logistic"];

/// The keys of `[event]` that concern the format.
pub(super) struct FormatSection<'a> {
    /// None if something is wrong with it.
    plan: Option<Plan>,
    keys: Keys<'a>,
}

/// The keys of the formats, as far as they are there.
struct Keys<'a> {
    cycles: Option<Field<'a>>,
    challengers: Option<Field<'a>>,
    seeding: Option<Field<'a>>,
    extra_encounters: Option<Field<'a>>,
    rounds: Option<Field<'a>>,
    sprt: Option<Field<'a>>,
    arena: Option<Field<'a>>,
}

/// A format before it is known which bots there are.
enum Plan {
    RoundRobin {
        cycles: u32,
    },
    Gauntlet {
        challengers: Vec<Name>,
        cycles: u32,
    },
    Swiss {
        rounds: Option<u32>,
        seeding: Option<Vec<Name>>,
    },
    Knockout {
        extra_encounters: u32,
        seeding: Option<Vec<Name>>,
    },
    Ladder {
        rounds: Option<u32>,
        seeding: Option<Vec<Name>>,
    },
    Sprt {
        test: Sprt,
        max_encounters: u32,
    },
    Arena {
        pair_cap: u32,
        park_after: u32,
        players: Option<Vec<PlayerId>>,
    },
}

pub(super) fn read<'a>(section: &Section<'a>) -> FormatSection<'a> {
    let format = section.get("format");
    let keys = Keys {
        cycles: section.get("cycles"),
        challengers: section.get("challengers"),
        seeding: section.get("seeding"),
        extra_encounters: section.get("extra_encounters"),
        rounds: section.get("rounds"),
        sprt: section.get("sprt"),
        arena: section.get("arena"),
    };
    let word = match &format {
        None => Some("round_robin"),
        Some(field) => field.text(),
    };
    let plan = match word {
        None => None,
        Some("round_robin") => keys.round_robin(),
        Some("gauntlet") => keys.gauntlet(section),
        Some("swiss") => keys.swiss(),
        Some("knockout") => keys.knockout(),
        Some("ladder") => keys.ladder(),
        Some("sprt") => keys.sprt(section),
        Some("arena") => keys.arena(),
        Some(other) => {
            if let Some(field) = &format {
                report_unknown(field, "format", other, &FORMATS);
            }
            None
        }
    };
    FormatSection { plan, keys }
}

impl FormatSection<'_> {
    /// The same as [`is_arena`](Self::is_arena); `None` if something is wrong with the format.
    pub(super) fn is_arena_if_known(&self) -> Option<bool> {
        self.plan.as_ref().map(|_| self.is_arena())
    }

    /// True for an arena.
    pub(super) const fn is_arena(&self) -> bool {
        matches!(self.plan, Some(Plan::Arena { .. }))
    }

    /// The players that may take part in an arena; none for all.
    pub(super) fn players(&self) -> Option<Vec<PlayerId>> {
        match &self.plan {
            Some(Plan::Arena { players, .. }) => players.clone(),
            Some(_) | None => None,
        }
    }

    /// The format of an event of these bots with these ratings; none if something was wrong with it.
    pub(super) fn format(&self, bots: &[Name], ratings: Vec<f64>) -> Option<Format> {
        let all = |seeding: &Option<Vec<Name>>| seeding.clone().unwrap_or_else(|| bots.to_vec());
        Some(match self.plan.as_ref()? {
            Plan::RoundRobin { cycles } => Format::RoundRobin { cycles: *cycles },
            Plan::Gauntlet {
                challengers,
                cycles,
            } => Format::Gauntlet {
                challengers: challengers.clone(),
                cycles: *cycles,
            },
            Plan::Knockout {
                extra_encounters,
                seeding,
            } => Format::Knockout {
                extra_encounters: *extra_encounters,
                seeding: all(seeding),
            },
            Plan::Swiss { rounds, seeding } => Format::Swiss {
                rounds: rounds.unwrap_or_else(|| usual_rounds(bots.len())),
                seeding: all(seeding),
            },
            Plan::Ladder { rounds, seeding } => Format::Ladder {
                rounds: rounds.unwrap_or_else(|| u32::try_from(bots.len()).unwrap_or(u32::MAX)),
                seeding: all(seeding),
            },
            Plan::Sprt {
                test,
                max_encounters,
            } => Format::Sprt {
                test: *test,
                max_encounters: *max_encounters,
            },
            Plan::Arena {
                pair_cap,
                park_after,
                ..
            } => Format::Arena {
                ratings,
                pair_cap: *pair_cap,
                park_after: *park_after,
            },
        })
    }

    /// Returns true if the format names only these bots, each once; reports the others at their
    /// place.
    pub(super) fn names_of(&self, bots: &[Name]) -> bool {
        let names = self.plan.as_ref().map_or(&[][..], Plan::names);
        let items = self.keys.named().filter(|_| !names.is_empty());
        let items = items.and_then(Field::list).unwrap_or_default();
        let mut is_good = true;
        for (place, (name, item)) in names.iter().zip(items).enumerate() {
            if !bots.contains(name) {
                let error = InvalidEvent::UnknownBot(name.clone());
                let hint = did_you_mean(name.as_str(), bots.iter().map(Name::as_str));
                item.report(format!("{error}{hint}"));
            } else if names[..place].contains(name) {
                item.report(InvalidEvent::NamedTwice(name.clone()));
            } else {
                continue;
            }
            is_good = false;
        }
        is_good
    }

    /// The value at which the error lies; none if it is the list of bots or a default.
    pub(super) fn guilty(&self, error: &InvalidEvent) -> Option<&Field<'_>> {
        let keys = &self.keys;
        match error {
            InvalidEvent::TooFewBots { .. }
            | InvalidEvent::BadArena
            | InvalidEvent::TooManyBots(_)
            | InvalidEvent::DuplicateBot(_)
            | InvalidEvent::NotTwoBots(_) => None,
            InvalidEvent::BadCycles(_) => keys.cycles.as_ref(),
            InvalidEvent::BadRounds { .. } => keys.rounds.as_ref(),
            InvalidEvent::TooManyExtraEncounters(_) => keys.extra_encounters.as_ref(),
            InvalidEvent::BadChallengers { .. } => keys.challengers.as_ref(),
            InvalidEvent::TestOfMatches | InvalidEvent::NoEncounters => keys.sprt.as_ref(),
            InvalidEvent::UnknownBot(_) | InvalidEvent::NamedTwice(_) | InvalidEvent::NoSeed(_) => {
                keys.named()
            }
            InvalidEvent::TooManyMatches { .. } => keys
                .cycles
                .as_ref()
                .or(keys.rounds.as_ref())
                .or(keys.extra_encounters.as_ref())
                .or(keys.sprt.as_ref()),
        }
    }
}

impl Plan {
    /// The bots that it names.
    fn names(&self) -> &[Name] {
        match self {
            Self::RoundRobin { .. } | Self::Sprt { .. } | Self::Arena { .. } => &[],
            Self::Gauntlet { challengers, .. } => challengers,
            Self::Swiss { seeding, .. }
            | Self::Knockout { seeding, .. }
            | Self::Ladder { seeding, .. } => seeding.as_deref().unwrap_or_default(),
        }
    }
}

impl Keys<'_> {
    fn round_robin(&self) -> Option<Plan> {
        self.refuse_but(&["cycles"], "round_robin");
        let cycles = self.cycles()?;
        Some(Plan::RoundRobin { cycles })
    }

    fn gauntlet(&self, section: &Section<'_>) -> Option<Plan> {
        self.refuse_but(&["cycles", "challengers"], "gauntlet");
        let challengers = section
            .require("challengers")
            .and_then(|field| names(&field));
        let cycles = self.cycles();
        Some(Plan::Gauntlet {
            challengers: challengers?,
            cycles: cycles?,
        })
    }

    fn knockout(&self) -> Option<Plan> {
        self.refuse_but(&["extra_encounters", "seeding"], "knockout");
        let extra_encounters = match &self.extra_encounters {
            None => Some(DEFAULT_EXTRA_ENCOUNTERS),
            Some(field) => number(field, 0, MAX_EXTRA_ENCOUNTERS),
        };
        let seeding = self.seeding();
        Some(Plan::Knockout {
            extra_encounters: extra_encounters?,
            seeding: seeding?,
        })
    }

    fn swiss(&self) -> Option<Plan> {
        self.refuse_but(&["rounds", "seeding"], "swiss");
        let rounds = self.rounds(most_swiss_rounds(MAX_BOTS));
        let seeding = self.seeding();
        Some(Plan::Swiss {
            rounds: rounds?,
            seeding: seeding?,
        })
    }

    fn ladder(&self) -> Option<Plan> {
        self.refuse_but(&["rounds", "seeding"], "ladder");
        let rounds = self.rounds(MAX_LADDER_ROUNDS);
        let seeding = self.seeding();
        Some(Plan::Ladder {
            rounds: rounds?,
            seeding: seeding?,
        })
    }

    fn sprt(&self, section: &Section<'_>) -> Option<Plan> {
        self.refuse_but(&["sprt"], "sprt");
        let field = section.require("sprt")?;
        let section = Section::of(&field)?;
        let elo0 = section.require("elo0");
        let elo1 = section.require("elo1");
        let max_encounters = section.require("max_encounters");
        let [alpha, beta, model] = ["alpha", "beta", "model"].map(|key| section.get(key));
        section.refuse_others();
        let hypothesis = |field: Field<'_>| field.check(Sprt::hypothesis(field.number()?));
        let (elo0, elo1) = (elo0.and_then(hypothesis), elo1.and_then(hypothesis));
        let rate = |field: Option<Field<'_>>| match field {
            None => Some(DEFAULT_ERROR_RATE),
            Some(field) => field.check(Sprt::error_rate(field.number()?)),
        };
        let (alpha, beta) = (rate(alpha), rate(beta));
        let model = model.map_or(Some(Model::Normalized), |field| read_model(&field));
        let most = u32::try_from(MAX_ENCOUNTERS).unwrap_or(u32::MAX);
        let max_encounters = max_encounters.and_then(|field| number(&field, 1, most));
        let test = Sprt::new(model?, [elo0?, elo1?], alpha?, beta?);
        Some(Plan::Sprt {
            test: field.check(test)?,
            max_encounters: max_encounters?,
        })
    }

    fn arena(&self) -> Option<Plan> {
        self.refuse_but(&["arena"], "arena");
        let section = match &self.arena {
            Some(field) => Some(Section::of(field)?),
            None => None,
        };
        let get = |key| section.as_ref().and_then(|section| section.get(key));
        let [pair_cap, park_after, players] = ["pair_cap", "park_after", "players"].map(get);
        if let Some(section) = &section {
            section.refuse_others();
        }
        let limit = |field: &Option<Field<'_>>, usual, most| match field {
            None => Some(usual),
            Some(field) => number(field, 1, most),
        };
        let most = u32::try_from(RECENT_ENCOUNTERS).expect("it is small");
        let pair_cap = limit(&pair_cap, DEFAULT_PAIR_CAP, most);
        let park_after = limit(&park_after, DEFAULT_PARK_AFTER, MAX_PARK_AFTER);
        let player = |item: &Field<'_>| item.check(item.text()?.parse());
        let players = match &players {
            None => None,
            Some(field) => {
                let players = field.list()?.iter().map(player).collect::<Vec<_>>();
                Some(players.into_iter().collect::<Option<Vec<PlayerId>>>()?)
            }
        };
        Some(Plan::Arena {
            pair_cap: pair_cap?,
            park_after: park_after?,
            players,
        })
    }

    /// The list of the bots that the format names.
    fn named(&self) -> Option<&Field<'_>> {
        self.challengers.as_ref().or(self.seeding.as_ref())
    }

    /// A problem for every key that is of another format than `format`, which has those of `known`.
    fn refuse_but(&self, known: &[&str], format: &str) {
        for (key, field, of) in [
            ("cycles", &self.cycles, "round_robin and gauntlet"),
            ("challengers", &self.challengers, "gauntlet"),
            ("seeding", &self.seeding, "swiss, knockout and ladder"),
            ("extra_encounters", &self.extra_encounters, "knockout"),
            ("rounds", &self.rounds, "swiss and ladder"),
            ("sprt", &self.sprt, "sprt"),
            ("arena", &self.arena, "arena"),
        ] {
            if let Some(field) = field
                && !known.contains(&key)
            {
                field.report(format!("is for {of}, not for {format}"));
            }
        }
    }

    fn cycles(&self) -> Option<u32> {
        let cycles = self.cycles.as_ref();
        cycles.map_or(Some(DEFAULT_CYCLES), |field| number(field, 1, MAX_CYCLES))
    }

    /// The outer `None` is a problem, the inner one a default.
    #[expect(
        clippy::option_option,
        reason = "what is wrong and what is not there are two things"
    )]
    fn rounds(&self, most: u32) -> Option<Option<u32>> {
        match &self.rounds {
            None => Some(None),
            Some(field) => number(field, 1, most).map(Some),
        }
    }

    /// The outer `None` is a problem, the inner one a default.
    #[expect(
        clippy::option_option,
        reason = "what is wrong and what is not there are two things"
    )]
    fn seeding(&self) -> Option<Option<Vec<Name>>> {
        match &self.seeding {
            None => Some(None),
            Some(field) => names(field).map(Some),
        }
    }
}

/// So many rounds that only one of the bots can win all of them.
fn usual_rounds(bots: usize) -> u32 {
    bots.next_power_of_two().ilog2()
}

fn number(field: &Field<'_>, least: u32, most: u32) -> Option<u32> {
    let number = field.integer(u64::from(least)..=u64::from(most))?;
    Some(u32::try_from(number).expect("the range of the field is within the type's"))
}

fn names(field: &Field<'_>) -> Option<Vec<Name>> {
    let items = field.list()?;
    let name = |item: &Field<'_>| item.check(Name::new(item.text()?));
    let names: Vec<Option<Name>> = items.iter().map(name).collect();
    names.into_iter().collect()
}

fn read_model(field: &Field<'_>) -> Option<Model> {
    match field.text()? {
        "normalized" => Some(Model::Normalized),
        "logistic" => Some(Model::Logistic),
        other => {
            report_unknown(field, "model", other, &MODELS);
            None
        }
    }
}

/// A problem of a word that is not one of those that a key takes.
fn report_unknown(field: &Field<'_>, kind: &str, word: &str, known: &[&str]) {
    let quoted: Vec<String> = known.iter().map(|known| format!("{known:?}")).collect();
    let (last, others) = quoted.split_last().expect("every key takes some words");
    let hint = did_you_mean(word, known.iter().copied());
    field.report(format!(
        "unknown {kind} {word:?}; expected {} or {last}{hint}",
        others.join(", ")
    ));
}
