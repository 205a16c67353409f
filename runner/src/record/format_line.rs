use dragontooth_runner_tournament::statistics::{Model, Sprt};
use dragontooth_runner_tournament::{Format, Name};
use serde::{Deserialize, Serialize};

use super::manifest_error::ManifestFault;

/// The format of an event in `event.json`. A round robin has none: it has its cycles. Numbers with
/// fractions are kept as text, so that they are the same when they are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum FormatLine {
    Gauntlet {
        challengers: Vec<String>,
        cycles: u32,
    },
    Swiss {
        rounds: u32,
        seeding: Vec<String>,
    },
    Knockout {
        extra_encounters: u32,
        seeding: Vec<String>,
    },
    Ladder {
        rounds: u32,
        seeding: Vec<String>,
    },
    Sprt(SprtLine),
    Arena {
        ratings: Vec<String>,
        pair_cap: u32,
        park_after: u32,
    },
}

/// A sequential test in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SprtLine {
    elo0: String,
    elo1: String,
    alpha: String,
    beta: String,
    model: String,
    pub(super) max_encounters: u32,
}

impl FormatLine {
    /// The fields of a format: the cycles of a round robin, or the line.
    pub(super) fn of(format: &Format) -> (Option<u32>, Option<Self>) {
        let texts = |names: &[Name]| names.iter().map(Name::to_string).collect();
        let line = match format {
            Format::RoundRobin { cycles } => return (Some(*cycles), None),
            Format::Gauntlet {
                challengers,
                cycles,
            } => Self::Gauntlet {
                challengers: texts(challengers),
                cycles: *cycles,
            },
            Format::Knockout {
                extra_encounters,
                seeding,
            } => Self::Knockout {
                extra_encounters: *extra_encounters,
                seeding: texts(seeding),
            },
            Format::Swiss { rounds, seeding } => Self::Swiss {
                rounds: *rounds,
                seeding: texts(seeding),
            },
            Format::Ladder { rounds, seeding } => Self::Ladder {
                rounds: *rounds,
                seeding: texts(seeding),
            },
            Format::Sprt {
                test,
                max_encounters,
            } => {
                let ([elo0, elo1], [alpha, beta]) = (test.hypotheses(), test.error_rates());
                Self::Sprt(SprtLine {
                    elo0: elo0.to_string(),
                    elo1: elo1.to_string(),
                    alpha: alpha.to_string(),
                    beta: beta.to_string(),
                    model: test.model().to_string(),
                    max_encounters: *max_encounters,
                })
            }
            Format::Arena {
                ratings,
                pair_cap,
                park_after,
            } => Self::Arena {
                ratings: ratings.iter().map(f64::to_string).collect(),
                pair_cap: *pair_cap,
                park_after: *park_after,
            },
        };
        (None, Some(line))
    }

    /// The format.
    pub(super) fn format(&self) -> Result<Format, ManifestFault> {
        let names = |texts: &[String]| -> Result<Vec<Name>, ManifestFault> {
            let names = texts.iter().map(|text| Ok(Name::new(text)?));
            names.collect()
        };
        Ok(match self {
            Self::Gauntlet {
                challengers,
                cycles,
            } => Format::Gauntlet {
                challengers: names(challengers)?,
                cycles: *cycles,
            },
            Self::Knockout {
                extra_encounters,
                seeding,
            } => Format::Knockout {
                extra_encounters: *extra_encounters,
                seeding: names(seeding)?,
            },
            Self::Swiss { rounds, seeding } => Format::Swiss {
                rounds: *rounds,
                seeding: names(seeding)?,
            },
            Self::Ladder { rounds, seeding } => Format::Ladder {
                rounds: *rounds,
                seeding: names(seeding)?,
            },
            Self::Arena {
                ratings,
                pair_cap,
                park_after,
            } => Format::Arena {
                ratings: (ratings.iter().map(|text| text.parse())).collect::<Result<_, _>>()?,
                pair_cap: *pair_cap,
                park_after: *park_after,
            },
            Self::Sprt(line) => {
                let number = |text: &str| -> Result<f64, ManifestFault> { Ok(text.parse()?) };
                let model: Model = line.model.parse()?;
                let elo = [number(&line.elo0)?, number(&line.elo1)?];
                Format::Sprt {
                    test: Sprt::new(model, elo, number(&line.alpha)?, number(&line.beta)?)?,
                    max_encounters: line.max_encounters,
                }
            }
        })
    }

    /// The frozen ratings of an arena's bots, in their order; none for another format.
    pub(super) fn ratings(&self) -> &[String] {
        match self {
            Self::Arena { ratings, .. } => ratings,
            Self::Gauntlet { .. }
            | Self::Swiss { .. }
            | Self::Knockout { .. }
            | Self::Ladder { .. }
            | Self::Sprt(_) => &[],
        }
    }

    /// Its configuration as keys and values, without the ratings.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Gauntlet {
                challengers,
                cycles,
            } => vec![
                ("format", "gauntlet".to_owned()),
                ("cycles", cycles.to_string()),
                ("challengers", challengers.join(", ")),
            ],
            Self::Knockout {
                extra_encounters,
                seeding,
            } => vec![
                ("format", "knockout".to_owned()),
                ("extra_encounters", extra_encounters.to_string()),
                ("seeding", seeding.join(", ")),
            ],
            Self::Swiss { rounds, seeding } => vec![
                ("format", "swiss".to_owned()),
                ("rounds", rounds.to_string()),
                ("seeding", seeding.join(", ")),
            ],
            Self::Ladder { rounds, seeding } => vec![
                ("format", "ladder".to_owned()),
                ("rounds", rounds.to_string()),
                ("seeding", seeding.join(", ")),
            ],
            Self::Arena {
                pair_cap,
                park_after,
                ..
            } => vec![
                ("format", "arena".to_owned()),
                ("arena.pair_cap", pair_cap.to_string()),
                ("arena.park_after", park_after.to_string()),
            ],
            Self::Sprt(line) => vec![
                ("format", "sprt".to_owned()),
                ("sprt.elo0", line.elo0.clone()),
                ("sprt.elo1", line.elo1.clone()),
                ("sprt.alpha", line.alpha.clone()),
                ("sprt.beta", line.beta.clone()),
                ("sprt.model", line.model.clone()),
                ("sprt.max_encounters", line.max_encounters.to_string()),
            ],
        }
    }
}
