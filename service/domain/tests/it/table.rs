use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{
    Command, Decided, MatchState, Rejection, Replay, RequestAnswer, decide,
};
use dragontooth_service_vocabulary::{
    MatchEvent, NewMatch, PlayerId, Recorded, Sequence, Timestamp,
};

use crate::people::{ANN, BOB, HOST, act, create_by, join};
use crate::snapshot::Snapshot;

/// When every match is created.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_000_000);

/// A match at which commands are given and looked at. After every command it checks the laws: what
/// is refused changes nothing, what is recorded has gapless numbers, and the log replays to the
/// match as it is.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) state: MatchState,
    pub(crate) log: Vec<Recorded>,
    pub(crate) now: Timestamp,
    /// How long after a command its events are recorded.
    pub(crate) lag: Duration,
    replay: Replay,
}

/// What a command came to.
#[derive(Debug, PartialEq)]
pub(crate) enum Then {
    /// These events.
    Events(Vec<MatchEvent>),
    /// The answer of an earlier request.
    Answered(RequestAnswer),
    /// A refusal.
    Refused(Rejection),
    /// A refusal that is recorded by these events.
    RefusedWith(Vec<MatchEvent>, Rejection),
}

impl Table {
    pub(crate) fn of(new: &NewMatch) -> Self {
        Self::created_by(HOST, new)
    }

    /// A match that `creator` created.
    pub(crate) fn created_by(creator: PlayerId, new: &NewMatch) -> Self {
        let first = Recorded {
            sequence: Sequence(1),
            time: START,
            event: create_by(creator, new).unwrap(),
        };
        let mut replay = Replay::new();
        replay.push(&first).unwrap();
        Self {
            state: MatchState::new(&first).unwrap(),
            log: vec![first],
            now: START,
            lag: Duration::ZERO,
            replay,
        }
    }

    /// A match of Ann on the first seat with Bob.
    pub(crate) fn started(new: &NewMatch) -> Self {
        Self::started_by(HOST, new)
    }

    /// The same in a match that `creator` created.
    pub(crate) fn started_by(creator: PlayerId, new: &NewMatch) -> Self {
        Self::created_by(creator, new)
            .given(&join(ANN, Some(Seat::First)))
            .given(&join(BOB, Some(Seat::Second)))
    }

    /// The match after a command that leads to events.
    pub(crate) fn given(mut self, command: &Command) -> Self {
        match self.when(command) {
            Then::Events(events) if !events.is_empty() => self,
            then @ (Then::Events(_)
            | Then::Answered(_)
            | Then::Refused(_)
            | Then::RefusedWith(..)) => {
                panic!("{command:?} leads to {then:?}")
            }
        }
    }

    /// The match after these actions, separated by spaces, of the seats to act.
    pub(crate) fn played(mut self, actions: &str) -> Self {
        for action in actions.split_whitespace() {
            self.play(action);
        }
        self
    }

    pub(crate) fn after(mut self, wait: Duration) -> Self {
        self.now = self.now.after(wait);
        self
    }

    /// Plays an action of the seat to act, and returns its events.
    pub(crate) fn play(&mut self, action: &str) -> Vec<MatchEvent> {
        let due = self.state.due().unwrap();
        let command = act(self.player(due.seat), due.decision.0, action, "");
        match self.when(&command) {
            Then::Events(events) => events,
            then @ (Then::Answered(_) | Then::Refused(_) | Then::RefusedWith(..)) => {
                panic!("{action} leads to {then:?}")
            }
        }
    }

    /// Gives a command, records what it leads to, and checks the laws.
    pub(crate) fn when(&mut self, command: &Command) -> Then {
        let before = Snapshot::of(&self.state);
        let decided = decide(&self.state, command, self.now);
        let then = match decided {
            Ok(Decided::Events(events)) => {
                self.record(&events);
                Then::Events(events)
            }
            Ok(Decided::Answered(answer)) => Then::Answered(answer),
            Ok(Decided::Refused { events, rejection }) => {
                self.record(&events);
                Then::RefusedWith(events, rejection)
            }
            Err(rejection) => Then::Refused(rejection),
        };
        match &then {
            Then::Events(events) | Then::RefusedWith(events, _) if !events.is_empty() => {
                let replayed = self.replay.state().unwrap();
                assert_eq!(Snapshot::of(replayed), Snapshot::of(&self.state));
            }
            Then::Events(_) | Then::Answered(_) | Then::Refused(_) | Then::RefusedWith(..) => {
                assert_eq!(before, Snapshot::of(&self.state), "{then:?}");
            }
        }
        then
    }

    pub(crate) fn player(&self, seat: Seat) -> PlayerId {
        self.state.seated(seat).unwrap().player
    }

    /// The decision that is due.
    pub(crate) fn decision(&self) -> u64 {
        self.state.due().unwrap().decision.0
    }

    fn record(&mut self, events: &[MatchEvent]) {
        self.now = self.now.after(self.lag);
        for event in events {
            let recorded = Recorded {
                sequence: Sequence(self.log.len() as u64 + 1),
                time: self.now,
                event: event.clone(),
            };
            self.state.evolve(&recorded);
            self.replay.push(&recorded).unwrap();
            self.log.push(recorded);
        }
    }
}

/// Gives one command to a match and compares what it leads to.
#[track_caller]
pub(crate) fn check(given: &Table, when: &Command, then: &Then) {
    assert_eq!(given.clone().when(when), *then, "{when:?}");
}

/// Gives one command to a match and compares the refusal.
#[track_caller]
pub(crate) fn check_refused(given: &Table, when: &Command, why: Rejection) {
    check(given, when, &Then::Refused(why));
}

/// The events of a log without their numbers and times.
pub(crate) fn events(log: &[Recorded]) -> Vec<MatchEvent> {
    log.iter().map(|recorded| recorded.event.clone()).collect()
}
