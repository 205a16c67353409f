use std::collections::HashMap;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{
    Command, DueDecision, MatchState, Rejection, RequestAnswer, replay,
};
use dragontooth_service_vocabulary::{MatchEvent, PlayerId, Recorded, Sequence};
use proptest::prelude::*;

use crate::ask::{asks, creators, new_matches, waits};
use crate::origin::{Origin, origin};
use crate::snapshot::Snapshot;
use crate::table::{Table, Then, events};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever anybody asks, the match keeps its laws: those that the table checks after every
    /// command, those of a log, and who may do what.
    #[test]
    fn a_match_keeps_its_laws(
        new in new_matches(),
        creator in creators(),
        started in prop::bool::weighted(0.9),
        asks in prop::collection::vec((waits(), asks()), 1..100),
        lag_us in 0..1_000_u64,
    ) {
        let mut table = if started {
            Table::started_by(creator, &new)
        } else {
            Table::created_by(creator, &new)
        };
        table.lag = Duration::from_micros(lag_us);
        let mut answers = Answers::default();
        let mut commands = Vec::new();
        for (wait, ask) in asks {
            table.now = wait.end(&table.state, table.now);
            let command = ask.command(&table.state, &commands);
            let known = answers.find(&table.state, &command);
            let allowed = is_allowed(&table, &command);
            let then = table.when(&command);
            check_answer(&command, &then, known.as_ref(), allowed);
            answers.learn(&table.state, &command, &then);
            check_state(&table);
            commands.push(command);
        }
        let replayed = replay(&table.log).unwrap().unwrap();
        prop_assert_eq!(Snapshot::of(&replayed), Snapshot::of(&table.state));
        prop_assert_eq!(origin(&table.log), Ok(Origin::Whole));
    }
}

/// What was answered to whom under which id.
#[derive(Default)]
struct Answers(HashMap<(PlayerId, String), (Command, RequestAnswer)>);

impl Answers {
    fn key(command: &Command) -> Option<(PlayerId, String)> {
        match command {
            Command::Act {
                player, request_id, ..
            }
            | Command::Resign {
                player, request_id, ..
            }
            | Command::Abort { player, request_id }
            | Command::Decline {
                player, request_id, ..
            }
            | Command::AbortAsOperator {
                operator: player,
                request_id,
                ..
            } => Some((*player, request_id.as_ref()?.to_string())),
            Command::Join { .. } | Command::EndGrace { .. } | Command::CheckClock => None,
        }
    }

    fn find(&self, state: &MatchState, command: &Command) -> Option<(Command, RequestAnswer)> {
        let known = self.0.get(&Self::key(command)?)?;
        // Whoever may not ask is refused before its requests are looked for.
        let (player, _) = Self::key(command)?;
        let may_ask = match command {
            Command::Decline { .. } => state.is_invited(player),
            Command::AbortAsOperator { .. } => true,
            Command::Act { .. }
            | Command::Resign { .. }
            | Command::Abort { .. }
            | Command::Join { .. }
            | Command::EndGrace { .. }
            | Command::CheckClock => {
                state.seat_of(player).is_some() || state.created().creator == player
            }
        };
        may_ask.then(|| known.clone())
    }

    fn learn(&mut self, state: &MatchState, command: &Command, then: &Then) {
        let Some(key) = Self::key(command) else {
            return;
        };
        let events = match then {
            Then::Events(events) => events,
            Then::RefusedWith(_, rejection) => {
                let Command::Act {
                    decision, action, ..
                } = command
                else {
                    panic!("{command:?} is no action");
                };
                let answer = RequestAnswer::Refused {
                    decision: *decision,
                    written: action.clone(),
                    rejection: Box::new(rejection.clone()),
                };
                self.0.insert(key, (command.clone(), answer));
                return;
            }
            Then::Answered(_) | Then::Refused(_) => return,
        };
        let answer = match &events[0] {
            MatchEvent::ActionPlayed { action, seat, .. } => {
                let Command::Act { decision, .. } = command else {
                    panic!("{command:?} leads to {events:?}");
                };
                let after = state.head().0;
                let sequence = after - events.len() as u64 + 1;
                RequestAnswer::Acted {
                    seat: *seat,
                    decision: *decision,
                    sequence: Sequence(sequence),
                    action: action.clone(),
                    written: action.clone(),
                }
            }
            MatchEvent::MatchEnded { .. } => RequestAnswer::Ended,
            MatchEvent::Created(_)
            | MatchEvent::SeatJoined { .. }
            | MatchEvent::GameStarted { .. }
            | MatchEvent::ActionRefused { .. }
            | MatchEvent::TurnPassed { .. }
            | MatchEvent::Rolled { .. }
            | MatchEvent::GameEnded { .. } => panic!("{command:?} leads to {events:?}"),
        };
        self.0.insert(key, (command.clone(), answer));
    }
}

/// Whether the match would take a command that it has not taken before.
fn is_allowed(table: &Table, command: &Command) -> bool {
    let state = &table.state;
    let too_late = state
        .deadline()
        .is_some_and(|deadline| table.now > deadline);
    let is_over = state.result().is_some() || too_late;
    match command {
        Command::Join { player, seat, .. } => {
            let may_take = |seat: Seat| {
                state.seated(seat).is_none()
                    && state.created().reserved[seat.index()].is_none_or(|kept| kept == *player)
                    && state.created().reserved[seat.other().index()] != Some(*player)
            };
            let seats: Vec<Seat> = seat.map_or(Seat::BOTH.to_vec(), |seat| vec![seat]);
            match state.seat_of(*player) {
                Some(held) => seats.contains(&held),
                None => !is_over && seats.into_iter().any(may_take),
            }
        }
        Command::Act {
            player,
            decision,
            action,
            ..
        } => {
            let is_due = |due: DueDecision| {
                due.decision == *decision && state.seat_of(*player) == Some(due.seat)
            };
            !is_over
                && state.due().is_some_and(is_due)
                && state.play().legal_actions().contains(action)
        }
        Command::Resign { player, .. } => {
            !is_over && state.is_full() && state.seat_of(*player).is_some()
        }
        Command::Abort { player, .. } => {
            !is_over
                && match state.seat_of(*player) {
                    Some(_) => !state.is_full(),
                    None => state.created().creator == *player,
                }
        }
        Command::AbortAsOperator { .. } => !is_over,
        Command::Decline { player, .. } => !is_over && state.is_invited(*player),
        Command::EndGrace { .. } | Command::CheckClock => true,
    }
}

fn check_answer(
    command: &Command,
    then: &Then,
    known: Option<&(Command, RequestAnswer)>,
    allowed: bool,
) {
    match (known, then) {
        (None, Then::Events(_)) => assert!(allowed, "{command:?}"),
        (None, Then::Refused(why) | Then::RefusedWith(_, why)) => {
            assert!(!allowed, "{command:?}: {why}");
        }
        (None, Then::Answered(_)) => panic!("{command:?} is new"),
        (Some((first, answer)), Then::Answered(again)) => {
            assert_eq!(again, answer);
            assert_eq!(first, command);
        }
        (Some((first, RequestAnswer::Refused { rejection, .. })), Then::Refused(why))
            if first == command =>
        {
            assert_eq!(why, &**rejection);
        }
        (Some((first, _)), Then::Refused(why)) => {
            assert_ne!(first, command, "{why}");
            let fits = [
                Rejection::RequestIdReused,
                Rejection::Ended,
                Rejection::NoSeat,
                Rejection::AbortDenied,
            ];
            assert!(fits.contains(why), "{command:?}: {why}");
        }
        (Some((first, _)), Then::Events(events) | Then::RefusedWith(events, _)) => {
            panic!("{first:?} was followed by {command:?} and led to {events:?}")
        }
    }
}

/// What holds of every match, told from its log.
fn check_state(table: &Table) {
    let state = &table.state;
    let events = events(&table.log);
    let count =
        |is: fn(&MatchEvent) -> bool| events.iter().filter(|event| is(event)).count() as u64;
    let mut points = [0; 2];
    for event in &events {
        if let MatchEvent::GameEnded {
            winner: Some(winner),
            points: worth,
            ..
        } = event
        {
            points[winner.index()] += worth;
        }
    }
    assert_eq!(state.head().0, events.len() as u64);
    assert_eq!(
        u64::from(state.ply()),
        count(|event| matches!(event, MatchEvent::ActionPlayed { .. }))
    );
    assert_eq!(
        u64::from(state.play().game_number()),
        count(|event| matches!(event, MatchEvent::GameStarted { .. }))
    );
    assert_eq!(Seat::BOTH.map(|seat| state.play().score().of(seat)), points);
    let is_over = matches!(events.last(), Some(MatchEvent::MatchEnded { .. }));
    assert_eq!(state.result().is_some(), is_over);
    assert_eq!(state.due().is_some(), state.is_full() && !is_over);
    if let Some(due) = state.due() {
        let refused = events.iter().rev();
        let refused = refused.take_while(|event| matches!(event, MatchEvent::ActionRefused { .. }));
        let refused = refused.count();
        assert_eq!(due.decision.0 + refused as u64, state.head().0);
        let limit = state.created().illegal_action_limit;
        let left = limit.map(|limit| limit.get() - u32::try_from(refused).unwrap());
        assert_eq!(state.illegal_actions_left(), left);
        assert_ne!(left, Some(0));
        assert!(!state.play().legal_actions().is_empty());
    }
    for seat in Seat::BOTH {
        let since = state.history_since(seat);
        let since: Vec<_> = since.iter().map(|(sequence, _)| sequence).collect();
        assert_eq!(since, since_answer_of(seat, &table.log));
    }
}

/// The sequences of the events of play after the last decision that a seat has answered.
fn since_answer_of(seat: Seat, log: &[Recorded]) -> Vec<Sequence> {
    let is_its = |event: &Recorded| matches!(event.event, MatchEvent::ActionPlayed { seat: by, .. } if by == seat);
    let is_refusal = |event: &Recorded| matches!(event.event, MatchEvent::ActionRefused { .. });
    // Refused actions leave the decision due: they are between it and the action.
    let answered = log.iter().rposition(is_its);
    let begin = answered.map_or(0, |answered| {
        let before = log[..answered].iter().rposition(|event| !is_refusal(event));
        before.expect("a decision is due before it is answered") + 1
    });
    let is_play = |event: &&Recorded| match event.event {
        MatchEvent::GameStarted { .. }
        | MatchEvent::ActionPlayed { .. }
        | MatchEvent::TurnPassed { .. }
        | MatchEvent::Rolled { .. }
        | MatchEvent::GameEnded { .. } => true,
        MatchEvent::Created(_)
        | MatchEvent::SeatJoined { .. }
        | MatchEvent::ActionRefused { .. }
        | MatchEvent::MatchEnded { .. } => false,
    };
    let of_play = log[begin..].iter().filter(is_play);
    of_play.map(|event| event.sequence).collect()
}
