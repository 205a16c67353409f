use std::num::NonZeroU32;
use std::str::FromStr;

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
            && self.target_min <= target
            && (self.target_max == 0 || target <= self.target_max)
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
