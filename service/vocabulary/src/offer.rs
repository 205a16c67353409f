use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::str::FromStr;

use dragontooth_games::UnknownName;
use dragontooth_games::catalogue::{self, VariantInfo};

use crate::{BuildText, ParseTimeControlError, TimeControl, Timestamp, parse_time_control};

/// The greatest number of games, variants and time controls in an offer, taken together: the service keeps it in memory.
pub const MAX_OFFERED: usize = 64;

/// Terms that a player accepts, as it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The games; none for every game.
    pub games: Vec<AcceptedGame>,
    /// The number of matches at once; `None` if it does not say.
    pub matches_at_once: Option<NonZeroU32>,
    /// The build of its program; may be empty.
    pub build: BuildText,
}

/// The period of an offer that was made by a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferPeriod {
    /// The time at which it was first made.
    pub since: Timestamp,
    /// The time at which it ends.
    pub expires: Timestamp,
}

/// A game that a player accepts, with its terms.
///
/// As text it is `GAME[/VARIANT][:TARGET[-TARGET]][@TIME]`, with the time control of
/// [`parse_time_control`], or `none` for no clock.
///
/// ```
/// use dragontooth_service_vocabulary::AcceptedGame;
///
/// let short: AcceptedGame = "kamisado/standard:1-7@60+0.5".parse()?;
/// assert!(short.accepts("kamisado", "standard", 3, short.time_controls[0]));
/// assert!(!short.accepts("kamisado", "standard", 15, short.time_controls[0]));
/// assert!(!short.accepts("kamisado", "standard", 3, None));
///
/// let any: AcceptedGame = "linja".parse()?;
/// assert!(any.accepts("linja", "standard", 15, None));
/// assert!("linja:many".parse::<AcceptedGame>().is_err());
/// # Ok::<(), dragontooth_service_vocabulary::InvalidAcceptedGame>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedGame {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variants; none for all.
    pub variants: Vec<String>,
    /// The least number of points that win the match; 0 for any.
    pub target_min: u32,
    /// The greatest number of points that win the match; 0 for any.
    pub target_max: u32,
    /// The time controls of the player's own seat, `None` for no clock; none for any.
    pub time_controls: Vec<Option<TimeControl>>,
}

/// A text is not a game with its terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAcceptedGame {
    /// It has no game.
    #[error("it names no game; expected GAME[/VARIANT][:TARGET[-TARGET]][@TIME]")]
    NoGame,
    /// Its target is not a number, or not two in order.
    #[error("the target {0:?} is not a number of points, or two in order such as 1-7")]
    Target(String),
    /// Its time control cannot be read.
    #[error("the time control {text:?}: {source}")]
    TimeControl {
        /// The text.
        text: String,
        /// The reason.
        source: ParseTimeControlError,
    },
}

/// The reason why no match can have the terms of an [`AcceptedGame`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleTerms {
    /// The catalogue has no such game.
    #[error(transparent)]
    Game(UnknownName),
    /// The game has no such variant.
    #[error("{source}")]
    Variant {
        /// The index of the variant, from 0.
        index: usize,
        /// The reason.
        source: UnknownName,
    },
    /// None of the variants is played to so many points.
    #[error("{game} is played to {allowed}, not {}", points_text(*min, *max))]
    Target {
        /// The game.
        game: &'static str,
        /// The numbers of points to which the variants are played.
        allowed: String,
        /// The least number that is accepted; 0 for any.
        min: u32,
        /// The greatest number that is accepted; 0 for any.
        max: u32,
    },
}

impl ImpossibleTerms {
    /// The field of the terms, as the API names it: `variants[1]`.
    #[must_use]
    pub fn field(&self) -> String {
        match self {
            Self::Game(_) => "game".to_owned(),
            Self::Variant { index, .. } => format!("variants[{index}]"),
            Self::Target { min: 0, .. } => "target_max".to_owned(),
            Self::Target { .. } => "target_min".to_owned(),
        }
    }
}

impl Offer {
    /// Returns true if a match of a game may fit.
    #[must_use]
    pub fn accepts_game(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|accepted| accepted.game == game)
    }

    /// Returns true if a match fits one of the games. `time_control` is that of the player's seat.
    #[must_use]
    pub fn accepts(
        &self,
        game: &str,
        variant: &str,
        target: u32,
        time_control: Option<TimeControl>,
    ) -> bool {
        let mut games = self.games.iter();
        self.games.is_empty()
            || games.any(|accepted| accepted.accepts(game, variant, target, time_control))
    }
}

impl AcceptedGame {
    /// The game with any terms.
    #[must_use]
    pub fn any(game: &str) -> Self {
        Self {
            game: game.to_owned(),
            variants: Vec::new(),
            target_min: 0,
            target_max: 0,
            time_controls: Vec::new(),
        }
    }

    /// Checks that a match can have these terms.
    ///
    /// # Errors
    ///
    /// The game or a variant is unknown, or no variant is played to so many points.
    ///
    /// ```
    /// use dragontooth_service_vocabulary::AcceptedGame;
    ///
    /// let terms: AcceptedGame = "kamisado:4".parse()?;
    /// let impossible = terms.check().unwrap_err();
    /// assert_eq!(impossible.field(), "target_min");
    /// assert_eq!(
    ///     impossible.to_string(),
    ///     "kamisado is played to 1, 3, 7 or 15 points, not 4"
    /// );
    /// # Ok::<(), dragontooth_service_vocabulary::InvalidAcceptedGame>(())
    /// ```
    pub fn check(&self) -> Result<(), ImpossibleTerms> {
        let game = catalogue::find(&self.game).map_err(ImpossibleTerms::Game)?;
        let named = self.variants.iter().enumerate().map(|(index, name)| {
            let variant = game.variant(name);
            variant.map_err(|source| ImpossibleTerms::Variant { index, source })
        });
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let variants = if named.is_empty() {
            game.variants()
        } else {
            named
        };
        let points = self.points();
        if (variants.iter()).any(|variant| variant.targets.allow_any(points.clone())) {
            return Ok(());
        }
        Err(ImpossibleTerms::Target {
            game: game.name,
            allowed: targets_text(&variants),
            min: self.target_min,
            max: self.target_max,
        })
    }

    /// The numbers of points that win the match.
    const fn points(&self) -> RangeInclusive<u32> {
        match self.target_max {
            0 => self.target_min..=u32::MAX,
            max => self.target_min..=max,
        }
    }

    /// Returns true if a match has these terms. `time_control` is that of the player's seat.
    #[must_use]
    pub fn accepts(
        &self,
        game: &str,
        variant: &str,
        target: u32,
        time_control: Option<TimeControl>,
    ) -> bool {
        self.game == game
            && (self.variants.is_empty() || self.variants.iter().any(|any| any == variant))
            && self.points().contains(&target)
            && (self.time_controls.is_empty() || self.time_controls.contains(&time_control))
    }
}

impl FromStr for AcceptedGame {
    type Err = InvalidAcceptedGame;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (text, time) = halves(text, '@');
        let (text, target) = halves(text, ':');
        let (game, variant) = halves(text, '/');
        if game.is_empty() {
            return Err(InvalidAcceptedGame::NoGame);
        }
        let (target_min, target_max) = match target {
            None => (0, 0),
            Some(text) => {
                let read = targets(text);
                read.ok_or_else(|| InvalidAcceptedGame::Target(text.to_owned()))?
            }
        };
        Ok(Self {
            game: game.to_owned(),
            variants: variant.map(ToOwned::to_owned).into_iter().collect(),
            target_min,
            target_max,
            time_controls: time.map(time_control).transpose()?.into_iter().collect(),
        })
    }
}

fn time_control(text: &str) -> Result<Option<TimeControl>, InvalidAcceptedGame> {
    parse_time_control(text).map_err(|source| InvalidAcceptedGame::TimeControl {
        text: text.to_owned(),
        source,
    })
}

/// The numbers of points to which variants are played, with their names where they differ.
fn targets_text(variants: &[VariantInfo]) -> String {
    let mut different: Vec<&VariantInfo> = Vec::new();
    for variant in variants {
        if different
            .iter()
            .all(|other| other.targets != variant.targets)
        {
            different.push(variant);
        }
    }
    if let [only] = different[..] {
        return only.targets.to_string();
    }
    let texts = different.iter();
    let texts = texts.map(|variant| format!("{} ({})", variant.targets, variant.name));
    texts.collect::<Vec<_>>().join(" or ")
}

/// The numbers of points that an offer accepts.
fn points_text(min: u32, max: u32) -> String {
    match (min, max) {
        (min, 0) => format!("{min} or more"),
        (0, max) => format!("{max} or fewer"),
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    }
}

/// Reads `3` or `1-7`.
fn targets(text: &str) -> Option<(u32, u32)> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    let (min, max) = (min.parse().ok()?, max.parse().ok()?);
    (0 < min && min <= max).then_some((min, max))
}

/// Splits a text at the first `at`; the second half is `None` without it.
fn halves(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_term() {
        let any = AcceptedGame::any("linja");
        for (text, expected) in [
            ("linja", any.clone()),
            (
                "linja:3",
                AcceptedGame {
                    target_min: 3,
                    target_max: 3,
                    ..any.clone()
                },
            ),
            (
                "linja/fixed:1-7@none",
                AcceptedGame {
                    variants: vec!["fixed".to_owned()],
                    target_min: 1,
                    target_max: 7,
                    time_controls: vec![None],
                    ..any
                },
            ),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn names_the_part_that_cannot_be_read() {
        for (text, part) in [
            ("", "no game"),
            (":3", "no game"),
            ("linja:", "target"),
            ("linja:0", "target"),
            ("linja:7-1", "target"),
            ("linja:-3", "target"),
            ("linja:3:4", "target"),
            ("linja@", "time control"),
            ("linja@60", "time control"),
        ] {
            let error = text.parse::<AcceptedGame>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn terms_that_no_match_can_have_are_named_by_field() {
        // The rules of the games: 1, 3, 7 and 15 points; 1 to 99 at Backgammon, one game for money.
        for text in [
            "kamisado",
            "kamisado/random:15",
            "linja:2-5",
            "tzaar:1-99",
            "backgammon:99",
            "backgammon/money_64:1",
        ] {
            let terms: AcceptedGame = text.parse().unwrap();
            assert_eq!(terms.check(), Ok(()), "{text}");
        }
        let any = AcceptedGame::any("backgammon");
        let either = AcceptedGame {
            variants: vec!["money".to_owned(), "standard".to_owned()],
            target_min: 5,
            ..any.clone()
        };
        assert_eq!(either.check(), Ok(()));
        for (text, field, told) in [
            ("chess", "game", "unknown game"),
            ("linja/odd", "variants[0]", "unknown variant"),
            ("kamisado:4", "target_min", "1, 3, 7 or 15 points, not 4"),
            (
                "linja:4-6",
                "target_min",
                "1, 3, 7 or 15 points, not 4 to 6",
            ),
            (
                "backgammon:100",
                "target_min",
                "any number of points from 1 to 99 (standard) or 1 point (money), not 100",
            ),
            (
                "backgammon/money:2",
                "target_min",
                "played to 1 point, not 2",
            ),
        ] {
            let terms: AcceptedGame = text.parse().unwrap();
            let refused = terms.check().unwrap_err();
            assert_eq!(refused.field(), field, "{text}");
            assert!(refused.to_string().contains(told), "{refused}");
        }
        let open = AcceptedGame {
            target_min: 16,
            ..AcceptedGame::any("tzaar")
        };
        let refused = open.check().unwrap_err().to_string();
        assert!(refused.ends_with("not 16 or more"), "{refused}");
    }

    #[test]
    fn a_match_has_to_fit_every_term_of_one_game() {
        let offer = Offer {
            games: ["linja/fixed:1-7", "tzaar:15@1s"]
                .map(|text| text.parse().unwrap())
                .into(),
            ..Offer::default()
        };
        let second = parse_time_control("1s").unwrap();
        for (game, variant, target, control, fits) in [
            ("linja", "fixed", 7, None, true),
            ("linja", "fixed", 7, second, true),
            ("linja", "fixed", 8, None, false),
            ("linja", "standard", 7, None, false),
            ("tzaar", "random", 15, second, true),
            ("tzaar", "random", 15, None, false),
            ("tzaar", "random", 3, second, false),
            ("kamisado", "standard", 1, None, false),
        ] {
            let found = offer.accepts(game, variant, target, control);
            assert_eq!(found, fits, "{game} {variant} {target} {control:?}");
        }
        assert!(offer.accepts_game("tzaar") && !offer.accepts_game("kamisado"));
        assert!(Offer::default().accepts("linja", "fixed", 1, None));
        assert!(Offer::default().accepts_game("linja"));
    }
}
