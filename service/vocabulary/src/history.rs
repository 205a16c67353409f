use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;

use crate::{MatchEvent, Sequence};

/// Events of play in a match, in order: what its players have to know beside the position.
///
/// The service keeps them for every live match and copies them for every decision, so all texts share one
/// string.
///
/// ```
/// use dragontooth_games::Seat;
/// use dragontooth_service_vocabulary::{History, HistoryEvent, Sequence};
///
/// let mut history = History::default();
/// let action = HistoryEvent::Action { seat: Seat::First, action: "d1d7" };
/// history.push(Sequence(5), action);
/// history.push(Sequence(6), HistoryEvent::Pass { seat: Seat::Second });
/// assert_eq!(history.iter().next(), Some((Sequence(5), action)));
/// assert_eq!(history.after(Sequence(5)).iter().count(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    text: String,
    entries: Vec<Entry>,
}

/// An event of a [`History`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEvent<'a> {
    /// A game began.
    GameStarted {
        /// Its number, from 1.
        game_number: u32,
        /// The position that opens it.
        position: &'a str,
    },
    /// A seat played an action.
    Action {
        /// The seat.
        seat: Seat,
        /// The action in canonical notation.
        action: &'a str,
    },
    /// A seat could not act and its turn passed.
    Pass {
        /// The seat.
        seat: Seat,
    },
    /// A roll was drawn.
    Roll {
        /// The roll in canonical notation.
        roll: &'a str,
    },
    /// A game ended by its rules.
    GameEnded {
        /// The winner; `None` if it was drawn.
        winner: Option<Seat>,
        /// The points that it was worth.
        points: u32,
        /// The rule that ended it, a word in snake case: `home_row`.
        reason: &'a str,
        /// The points of the match after it.
        score: Score,
    },
}

/// An event without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    sequence: Sequence,
    kind: Kind,
    /// The end of its text; that of the event before is its beginning.
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    GameStarted(u32),
    Action(Seat),
    Pass(Seat),
    Roll,
    GameEnded {
        winner: Option<Seat>,
        points: u32,
        score: Score,
    },
}

impl<'a> HistoryEvent<'a> {
    /// An event of the log; `None` if it is not one of play. `score` returns the points of the match after it.
    pub fn of<C>(event: &'a MatchEvent<C>, score: impl FnOnce() -> Score) -> Option<Self> {
        Some(match event {
            MatchEvent::GameStarted { number, position } => Self::GameStarted {
                game_number: *number,
                position,
            },
            MatchEvent::ActionPlayed { seat, action, .. } => Self::Action {
                seat: *seat,
                action,
            },
            MatchEvent::TurnPassed { seat } => Self::Pass { seat: *seat },
            MatchEvent::Rolled { roll } => Self::Roll { roll },
            MatchEvent::GameEnded {
                winner,
                points,
                reason,
            } => Self::GameEnded {
                winner: *winner,
                points: *points,
                reason,
                score: score(),
            },
            MatchEvent::Created(_)
            | MatchEvent::SeatJoined { .. }
            | MatchEvent::ActionRefused { .. }
            | MatchEvent::MatchEnded { .. } => return None,
        })
    }
}

impl History {
    /// Adds an event, which must have a greater sequence than those before it.
    ///
    /// # Panics
    ///
    /// Its sequence is not greater.
    pub fn push(&mut self, sequence: Sequence, event: HistoryEvent<'_>) {
        assert!(
            self.last_sequence() < Some(sequence),
            "the events are in order"
        );
        let (kind, text) = match event {
            HistoryEvent::GameStarted {
                game_number,
                position,
            } => (Kind::GameStarted(game_number), position),
            HistoryEvent::Action { seat, action } => (Kind::Action(seat), action),
            HistoryEvent::Pass { seat } => (Kind::Pass(seat), ""),
            HistoryEvent::Roll { roll } => (Kind::Roll, roll),
            HistoryEvent::GameEnded {
                winner,
                points,
                reason,
                score,
            } => {
                let kind = Kind::GameEnded {
                    winner,
                    points,
                    score,
                };
                (kind, reason)
            }
        };
        self.text.push_str(text);
        self.entries.push(Entry {
            sequence,
            kind,
            end: self.text.len(),
        });
    }

    /// Adds the events of `other` that are later than those here.
    pub fn extend(&mut self, other: &Self) {
        let last = self.last_sequence();
        for (sequence, event) in other.iter() {
            if last < Some(sequence) {
                self.push(sequence, event);
            }
        }
    }

    /// Returns the events after `sequence`.
    #[must_use]
    pub fn after(&self, sequence: Sequence) -> Self {
        let (first, begin) = self.place_after(sequence);
        let entries = self.entries[first..].iter().map(|entry| Entry {
            end: entry.end - begin,
            ..*entry
        });
        Self {
            text: self.text[begin..].to_owned(),
            entries: entries.collect(),
        }
    }

    /// Removes the events up to `sequence`.
    pub fn forget_up_to(&mut self, sequence: Sequence) {
        let (first, begin) = self.place_after(sequence);
        self.text.drain(..begin);
        self.entries.drain(..first);
        for entry in &mut self.entries {
            entry.end -= begin;
        }
    }

    /// The events with their sequences in the match, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Sequence, HistoryEvent<'_>)> + Clone {
        let begins = [0]
            .into_iter()
            .chain(self.entries.iter().map(|entry| entry.end));
        begins.zip(&self.entries).map(|(begin, entry)| {
            let text = &self.text[begin..entry.end];
            (entry.sequence, entry.kind.event(text))
        })
    }

    /// Returns true if there is no event.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The sequence of the last event; `None` if there is none.
    #[must_use]
    pub fn last_sequence(&self) -> Option<Sequence> {
        self.entries.last().map(|entry| entry.sequence)
    }

    /// The place of the first event after `sequence`, and that of its text.
    fn place_after(&self, sequence: Sequence) -> (usize, usize) {
        let first = (self.entries).partition_point(|entry| entry.sequence <= sequence);
        let before = first.checked_sub(1);
        (first, before.map_or(0, |before| self.entries[before].end))
    }
}

impl Kind {
    const fn event(self, text: &str) -> HistoryEvent<'_> {
        match self {
            Self::GameStarted(game_number) => HistoryEvent::GameStarted {
                game_number,
                position: text,
            },
            Self::Action(seat) => HistoryEvent::Action { seat, action: text },
            Self::Pass(seat) => HistoryEvent::Pass { seat },
            Self::Roll => HistoryEvent::Roll { roll: text },
            Self::GameEnded {
                winner,
                points,
                score,
            } => HistoryEvent::GameEnded {
                winner,
                points,
                reason: text,
                score,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORE: Score = Score::ZERO;

    fn events() -> [(Sequence, HistoryEvent<'static>); 5] {
        let all = [
            HistoryEvent::GameStarted {
                game_number: 1,
                position: "the start",
            },
            HistoryEvent::Roll { roll: "31" },
            HistoryEvent::Action {
                seat: Seat::First,
                action: "8/5 6/5",
            },
            HistoryEvent::Pass { seat: Seat::Second },
            HistoryEvent::GameEnded {
                winner: Some(Seat::First),
                points: 2,
                reason: "gammon",
                score: SCORE,
            },
        ];
        let mut sequence = 0;
        all.map(|event| {
            sequence += 10;
            (Sequence(sequence), event)
        })
    }

    fn history() -> History {
        let mut history = History::default();
        for (sequence, event) in events() {
            history.push(sequence, event);
        }
        history
    }

    #[test]
    fn every_part_is_what_was_put_in() {
        let all = events();
        for from in 0..=60 {
            let later = all.into_iter().filter(|(sequence, _)| sequence.0 > from);
            let later: Vec<_> = later.collect();
            let copied = history().after(Sequence(from));
            assert_eq!(copied.iter().collect::<Vec<_>>(), later, "after {from}");
            let mut rest = history();
            rest.forget_up_to(Sequence(from));
            assert_eq!(rest, copied, "after {from}");
            assert_eq!(rest.is_empty(), later.is_empty());
        }
    }

    #[test]
    fn parts_that_overlap_are_put_together() {
        for (first, second) in [(10, 0), (20, 10), (30, 30), (0, 0), (50, 20)] {
            let mut events = History::default();
            for (sequence, event) in self::events() {
                if sequence.0 <= first {
                    events.push(sequence, event);
                }
            }
            events.extend(&history().after(Sequence(second)));
            assert_eq!(events, history(), "{first} {second}");
        }
    }
}
