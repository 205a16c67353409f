use std::fmt;
use std::num::NonZeroU32;

use dragontooth_games::Seat;
use dragontooth_games::record::{ThinkingValue, ValueUnit};

use super::parse_word_error::words;

/// The largest number of values that must agree.
pub const MAX_AGREEING_PLIES: u32 = 1_000;

/// The largest share of matches to be audited, in millionths: all of them.
pub const AUDIT_OF_ALL: u32 = 1_000_000;

/// The conditions under which a match ends before the rules end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// The unit of the values that count.
    pub unit: ValueUnit,
    /// The match is won by the seat to which the values give it.
    pub win: Option<ValueRule>,
    /// The match is drawn.
    pub draw: Option<DrawRule>,
    /// The positions that a proof of the winner may visit; `None` for no proofs.
    pub proof_nodes: Option<NonZeroU32>,
    /// The share of the matches that are played on whatever is called, in millionths.
    pub audit: u32,
}

/// The values that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRule {
    /// The bound, in millionths of the unit: the least value of a winner, or the greatest distance from even.
    pub millionths: i64,
    /// The number of last values in the game that must agree.
    pub plies: NonZeroU32,
    /// True if values of both seats are among them; otherwise those of one seat alone count: of the loser, or of
    /// either in a draw.
    pub both: bool,
}

/// The values that decide a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The values.
    pub rule: ValueRule,
    /// The first action of a game, from 1, after which a draw can be called.
    pub from: u32,
}

/// A call: the result of a match before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The rule by which it was made.
    pub rule: CallRule,
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// The actions of both seats in the match before it.
    pub ply: u32,
    /// Of the values that agreed the one farthest from the call, from the winner's view, or in a draw from the view
    /// of the seat that sent it; `None` if it was proven.
    pub value: Option<ThinkingValue>,
}

/// The rule of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRule {
    /// The values of the bots agree on a winner.
    Win,
    /// The values of the bots agree that nobody is ahead.
    Draw,
    /// It is proven who wins.
    Tables,
}

impl Adjudication {
    /// The result to which the values of a game lead, with the deciding value. `values` are those of the game so
    /// far, in order, each with the seat that sent it and from its view; `ply` is the number of actions in the
    /// game.
    #[must_use]
    pub fn by_values(
        &self,
        values: &[(Seat, ThinkingValue)],
        ply: u32,
    ) -> Option<(CallRule, Option<Seat>, ThinkingValue)> {
        let values: Vec<(Seat, ThinkingValue)> = values
            .iter()
            .filter(|(_, value)| value.unit() == self.unit)
            .copied()
            .collect();
        let won = self.win.and_then(|rule| {
            Seat::BOTH.into_iter().find_map(|winner| {
                let of_winner = |(seat, value): &(Seat, ThinkingValue)| {
                    let value = *value;
                    (
                        *seat,
                        if *seat == winner {
                            value
                        } else {
                            value.opposite()
                        },
                    )
                };
                let seen: Vec<_> = values.iter().map(of_winner).collect();
                let agreeing = rule.last(&seen, winner.other())?;
                let least = agreeing
                    .into_iter()
                    .min_by_key(|value| value.millionths())?;
                (least.millionths() >= rule.millionths).then_some((
                    CallRule::Win,
                    Some(winner),
                    least,
                ))
            })
        });
        won.or_else(|| {
            let draw = self.draw.filter(|draw| ply >= draw.from)?;
            let rule = draw.rule;
            Seat::BOTH.into_iter().find_map(|seat| {
                let agreeing = rule.last(&values, seat)?;
                let most = agreeing.into_iter().max_by_key(|value| from_even(*value))?;
                (from_even(most) <= rule.millionths).then_some((CallRule::Draw, None, most))
            })
        })
    }
}

impl ValueRule {
    /// The last values that count; `None` if there are too few, or none of a seat whose values are needed.
    fn last(&self, values: &[(Seat, ThinkingValue)], alone: Seat) -> Option<Vec<ThinkingValue>> {
        let counts = |(seat, _): &&(Seat, ThinkingValue)| self.both || *seat == alone;
        let plies = usize::try_from(self.plies.get()).unwrap_or(usize::MAX);
        let last: Vec<_> = values.iter().rev().filter(counts).take(plies).collect();
        let has = |seat: Seat| last.iter().any(|(of, _)| *of == seat);
        let is_enough = last.len() == plies && (!self.both || Seat::BOTH.into_iter().all(has));
        is_enough.then(|| last.into_iter().map(|(_, value)| *value).collect())
    }
}

/// The distance of a value from that of an even game, in millionths.
const fn from_even(value: ThinkingValue) -> i64 {
    let even = match value.unit() {
        ValueUnit::WinProbability => 500_000,
        ValueUnit::Points => 0,
    };
    (value.millionths() - even).abs()
}

impl CallRule {
    /// All rules.
    pub const ALL: [Self; 3] = [Self::Win, Self::Draw, Self::Tables];

    const fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Tables => "tables",
        }
    }
}

words!(CallRule, "rule of a call");

impl Call {
    /// Its rule, value and ply: `by win 0.98 at ply 31`.
    #[must_use]
    pub fn basis(&self) -> String {
        let value = self.value.map(|value| format!(" {}", value.get()));
        format!(
            "by {}{} at ply {}",
            self.rule,
            value.unwrap_or_default(),
            self.ply
        )
    }
}

/// Writes `first by win 0.98 at ply 31`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} {}", self.basis()),
            None => write!(f, "nobody {}", self.basis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Adjudication {
        Adjudication {
            unit: ValueUnit::WinProbability,
            win: Some(ValueRule {
                millionths: 950_000,
                plies: NonZeroU32::new(4).unwrap(),
                both: true,
            }),
            draw: None,
            proof_nodes: None,
            audit: 0,
        }
    }

    fn values(all: &[(Seat, f64)]) -> Vec<(Seat, ThinkingValue)> {
        let value =
            |(seat, value): &(Seat, f64)| (*seat, ThinkingValue::win_probability(*value).unwrap());
        all.iter().map(value).collect()
    }

    use Seat::{First, Second};

    #[test]
    fn both_seats_must_give_the_game_to_one() {
        let agree = [(First, 0.97), (Second, 0.04), (First, 0.99), (Second, 0.01)];
        let call = terms().by_values(&values(&agree), 4).unwrap();
        assert_eq!((call.0, call.1), (CallRule::Win, Some(First)));
        // The loser gives the winner 0.96.
        assert_eq!(call.2, ThinkingValue::win_probability(0.96).unwrap());
        let mirrored = agree.map(|(seat, value)| (seat.other(), value));
        let call = terms().by_values(&values(&mirrored), 4).unwrap();
        assert_eq!(call.1, Some(Second));
        for (place, doubt) in [(0, 0.94), (1, 0.06), (2, 0.5), (3, 0.9)] {
            let mut doubted = agree;
            doubted[place].1 = doubt;
            assert_eq!(terms().by_values(&values(&doubted), 4), None, "{place}");
        }
        assert_eq!(terms().by_values(&values(&agree[1..]), 4), None);
        // One seat alone is not both, however sure it is.
        assert_eq!(terms().by_values(&values(&[(First, 1.0); 9]), 9), None);
        // Values of another unit do not count.
        let mut points = values(&agree);
        points[0].1 = ThinkingValue::points(9.0).unwrap();
        assert_eq!(terms().by_values(&points, 4), None);
    }

    #[test]
    fn the_loser_alone_may_give_up_but_not_the_winner() {
        let mut terms = terms();
        terms.win = terms.win.map(|rule| ValueRule {
            both: false,
            ..rule
        });
        let gives_up = [(Second, 0.02); 4];
        let call = terms.by_values(&values(&gives_up), 4).unwrap();
        assert_eq!((call.0, call.1), (CallRule::Win, Some(First)));
        assert_eq!(terms.by_values(&values(&[(First, 0.98); 4]), 4), None);
        // What the winner thinks does not matter.
        let mixed = [(Second, 0.02), (First, 0.1)].repeat(4);
        assert!(terms.by_values(&values(&mixed), 8).is_some());
    }

    /// The loser's points count with the other sign.
    #[test]
    fn values_may_be_points() {
        let terms = Adjudication {
            unit: ValueUnit::Points,
            win: terms().win.map(|rule| ValueRule {
                millionths: 2_500_000,
                ..rule
            }),
            ..terms()
        };
        let points = |all: [f64; 4]| -> Vec<_> {
            let seats = [Second, First].into_iter().cycle();
            let value = |points| ThinkingValue::points(points).unwrap();
            seats.zip(all.map(value)).collect()
        };
        let call = terms.by_values(&points([3.0, -2.5, 4.0, -9.0]), 4).unwrap();
        assert_eq!((call.1, call.2.get()), (Some(Second), 2.5));
        assert_eq!(terms.by_values(&points([3.0, 2.5, 4.0, -9.0]), 4), None);
    }

    #[test]
    fn a_draw_is_called_from_its_ply_on() {
        let terms = Adjudication {
            win: None,
            draw: Some(DrawRule {
                rule: ValueRule {
                    millionths: 20_000,
                    plies: NonZeroU32::new(2).unwrap(),
                    both: true,
                },
                from: 40,
            }),
            ..terms()
        };
        let even = values(&[(First, 0.51), (Second, 0.48)]);
        assert_eq!(terms.by_values(&even, 39), None);
        let call = terms.by_values(&even, 40).unwrap();
        assert_eq!((call.0, call.1), (CallRule::Draw, None));
        assert_eq!(call.2, ThinkingValue::win_probability(0.48).unwrap());
        let ahead = values(&[(First, 0.53), (Second, 0.48)]);
        assert_eq!(terms.by_values(&ahead, 40), None);
    }
}
