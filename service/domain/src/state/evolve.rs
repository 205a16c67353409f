use std::time::Duration;

use dragontooth_games::match_play::Step;
use dragontooth_games::{GameOutcome, Seat, catalogue};
use dragontooth_service_vocabulary::{
    Created, History, HistoryEvent, MatchEvent, MatchOutcome, PlayerId, Recorded, RequestId,
    Sequence, Sight, Termination,
};

use super::{DueDecision, MatchState, Seated};
use crate::deal::deal;
use crate::request::{Asker, Requests};
use crate::{Clocks, Inconsistent, Misfit, RequestAnswer};

impl MatchState {
    /// Creates the match from its first event.
    ///
    /// # Errors
    ///
    /// The event is not a [`MatchEvent::Created`] with the sequence 1 as returned by
    /// [`create`](crate::create()).
    pub fn new(first: &Recorded) -> Result<Self, Inconsistent> {
        let misfit = |why| Inconsistent::new(first, why);
        let MatchEvent::Created(created) = &first.event else {
            return Err(misfit(Misfit::NotCreated));
        };
        if first.sequence != Sequence(1) {
            return Err(misfit(Misfit::Gap));
        }
        if created
            .time_controls
            .iter()
            .flatten()
            .any(|control| control.check().is_err())
        {
            return Err(misfit(Misfit::TimeControl));
        }
        if created.reserved[0].is_some() && created.reserved[0] == created.reserved[1] {
            return Err(misfit(Misfit::Seat));
        }
        let mut play = catalogue::find(&created.game)
            .map_err(Misfit::UnknownGame)
            .and_then(|game| {
                game.new_match(Some(&created.variant), created.target)
                    .map_err(Misfit::Setup)
            })
            .map_err(misfit)?;
        let opening = play.open_with(&created.opening, None);
        if opening.map_err(|error| misfit(Misfit::Opening(error)))? != created.opening {
            return Err(misfit(Misfit::Notation));
        }
        Ok(Self {
            created: (**created).clone(),
            created_at: first.time,
            join_deadline: created
                .join_timeout
                .map(|timeout| first.time.after(timeout)),
            head: first.sequence,
            last_time: first.time,
            seats: [None, None],
            play,
            ply: 0,
            clocks: Clocks::new(created.time_controls),
            due: None,
            end: None,
            requests: Requests::default(),
            history: History::default(),
            answered: [Sequence(0); 2],
        })
    }

    /// Applies an event that [`decide`](crate::decide()) returned for this state.
    ///
    /// # Panics
    ///
    /// If the event does not fit the state. Use [`replay`](crate::replay()) for events from
    /// anywhere else.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.follow(recorded)
            .expect("an event returned by `decide` fits its state");
    }

    /// Applies an event; after an error, discard the state.
    pub(crate) fn follow(&mut self, recorded: &Recorded) -> Result<(), Inconsistent> {
        if recorded.sequence != self.head.next() {
            return Err(Inconsistent::new(recorded, Misfit::Gap));
        }
        if self.end.is_some() {
            return Err(Inconsistent::new(recorded, Misfit::AfterTheEnd));
        }
        self.take_in(recorded)
            .map_err(|why| Inconsistent::new(recorded, why))?;
        self.head = recorded.sequence;
        self.last_time = recorded.time;
        if let Some(event) = HistoryEvent::of(&recorded.event, || self.play.score()) {
            self.history.push(recorded.sequence, event);
        }
        if matches!(recorded.event, MatchEvent::ActionRefused { .. }) {
            // The same decision is still due.
            return Ok(());
        }
        self.due = match self.play.step() {
            Step::Decide(seat) if self.end.is_none() => Some(DueDecision {
                decision: recorded.sequence,
                seat,
                since: recorded.time,
                illegal_actions: 0,
            }),
            Step::Decide(_)
            | Step::Deal
            | Step::Pass(_)
            | Step::Chance
            | Step::Score(_)
            | Step::Over { .. } => None,
        };
        Ok(())
    }

    fn take_in(&mut self, recorded: &Recorded) -> Result<(), Misfit> {
        match &recorded.event {
            MatchEvent::Created(_) => Err(Misfit::CreatedTwice),
            MatchEvent::SeatJoined {
                seat,
                player,
                name,
                seed,
                request_id,
            } => {
                self.check_seat(*seat, *player)?;
                self.seats[seat.index()] = Some(Seated {
                    player: *player,
                    name: name.clone(),
                    seed: seed.clone(),
                });
                self.requests
                    .remember(Asker::Seat(*seat), request_id.as_ref(), || {
                        RequestAnswer::Joined
                    });
                Ok(())
            }
            MatchEvent::GameStarted { number, position } => self.start_game(*number, position),
            MatchEvent::ActionPlayed {
                seat,
                action,
                received: _,
                remaining,
                request_id,
                written,
                thinking: _,
            } => {
                let is_written_so = |written: &String| {
                    request_id.is_some()
                        && written != action
                        && self.play.canonical(written).as_ref() == Ok(action)
                };
                if !written.as_ref().is_none_or(is_written_so) {
                    return Err(Misfit::Notation);
                }
                let due = self.act(*seat, action, *remaining)?;
                let answer = || RequestAnswer::Acted {
                    seat: *seat,
                    decision: due.decision,
                    sequence: recorded.sequence,
                    action: action.clone(),
                    written: written.as_ref().unwrap_or(action).clone(),
                };
                self.requests
                    .remember(Asker::Seat(*seat), request_id.as_ref(), answer);
                Ok(())
            }
            MatchEvent::ActionRefused {
                seat,
                action,
                request_id,
            } => self.refuse(*seat, action, request_id.as_ref()),
            MatchEvent::Rolled { roll } => {
                if self.play.step() != Step::Chance {
                    return Err(Misfit::Roll);
                }
                let canonical = self.play.roll(roll).map_err(Misfit::Play)?;
                if canonical != *roll {
                    return Err(Misfit::Roll);
                }
                Ok(())
            }
            MatchEvent::TurnPassed { seat } => {
                if self.play.step() != Step::Pass(*seat) {
                    return Err(Misfit::Pass);
                }
                self.play.pass().map_err(Misfit::Play)
            }
            MatchEvent::GameEnded {
                winner,
                points,
                reason,
            } => self.end_game(*winner, *points, reason),
            MatchEvent::MatchEnded {
                outcome,
                request_id,
            } => {
                if !self.may_end(outcome, request_id.is_some()) || !self.may_call_off(outcome) {
                    return Err(Misfit::MatchEnd);
                }
                if let Some(asker) = self.asker_of(outcome) {
                    self.requests
                        .remember(asker, request_id.as_ref(), || RequestAnswer::Ended);
                }
                self.end = Some((outcome.clone(), recorded.time));
                Ok(())
            }
        }
    }

    fn check_seat(&self, seat: Seat, player: PlayerId) -> Result<(), Misfit> {
        let Created { reserved, .. } = &self.created;
        let may_take = reserved[seat.index()].is_none_or(|kept_for| kept_for == player)
            && reserved[seat.other().index()] != Some(player)
            && self.sight(player) != Sight::Nothing;
        if self.seated(seat).is_some() || self.seat_of(player).is_some() || !may_take {
            return Err(Misfit::Seat);
        }
        Ok(())
    }

    /// A drawn position is taken from the event, so that a log outlives the way in
    /// which it was drawn.
    fn start_game(&mut self, number: u32, position: &str) -> Result<(), Misfit> {
        let is_next = number == self.play.game_number() + 1;
        if !self.is_full() || self.play.step() != Step::Deal || !is_next {
            return Err(Misfit::GameStart);
        }
        let deal = deal(&*self.play, &self.draws());
        if !deal.drawn && position != deal.position {
            return Err(Misfit::GameStart);
        }
        self.play.begin_game(position).map_err(Misfit::Play)
    }

    fn act(
        &mut self,
        seat: Seat,
        action: &str,
        remaining: Option<Duration>,
    ) -> Result<DueDecision, Misfit> {
        let due = self
            .due
            .filter(|due| due.seat == seat)
            .ok_or(Misfit::NotDue)?;
        if !self.clocks.may_leave(seat, remaining) {
            return Err(Misfit::Clock);
        }
        let canonical = self.play.play(action).map_err(Misfit::Play)?;
        if canonical != action {
            return Err(Misfit::Notation);
        }
        self.ply += 1;
        self.answered[seat.index()] = due.decision;
        self.history
            .forget_up_to(self.answered[0].min(self.answered[1]));
        if let Some(remaining) = remaining {
            self.clocks.set(seat, remaining);
        }
        Ok(due)
    }

    /// Counts an action that the rules refuse.
    fn refuse(
        &mut self,
        seat: Seat,
        action: &str,
        request_id: Option<&RequestId>,
    ) -> Result<(), Misfit> {
        let due = self.due.filter(|due| due.seat == seat);
        let due = due.ok_or(Misfit::NotDue)?;
        let left = self.illegal_actions_left().ok_or(Misfit::Refusal)? - 1;
        let rejection = self.refusal_of(action).ok_or(Misfit::Refusal)?;
        // After the last one nothing is due: all that can follow is the end.
        self.due = (left > 0).then_some(DueDecision {
            illegal_actions: due.illegal_actions + 1,
            ..due
        });
        let answer = || RequestAnswer::Refused {
            decision: due.decision,
            written: action.to_owned(),
            rejection: Box::new(rejection.with_left(left)),
        };
        self.requests
            .remember(Asker::Seat(seat), request_id, answer);
        Ok(())
    }

    fn end_game(&mut self, winner: Option<Seat>, points: u32, reason: &str) -> Result<(), Misfit> {
        let fits = |outcome: GameOutcome| {
            outcome.winner == winner && outcome.points == points && outcome.reason == reason
        };
        if !matches!(self.play.step(), Step::Score(outcome) if fits(outcome)) {
            return Err(Misfit::GameEnd);
        }
        self.play.score_game().map_err(Misfit::Play)
    }

    fn may_end(&self, outcome: &MatchOutcome, is_asked_for: bool) -> bool {
        let MatchOutcome {
            winner,
            termination,
            ..
        } = *outcome;
        match termination {
            Termination::IllegalAction => {
                // The only way in which a seat is to decide and nothing is due.
                let is_lost_by =
                    |loser: Seat| self.due.is_none() && self.play.step() == Step::Decide(loser);
                !is_asked_for && winner.is_some_and(|winner| is_lost_by(winner.other()))
            }
            Termination::Normal => !is_asked_for && self.play.step() == Step::Over { winner },
            Termination::Timeout => {
                let out_of_time = self.due.filter(|_| self.deadline().is_some());
                !is_asked_for && out_of_time.is_some_and(|due| winner == Some(due.seat.other()))
            }
            Termination::Resignation => self.due.is_some() && winner.is_some(),
            Termination::Disconnect => {
                !is_asked_for && self.created.disconnect_grace.is_some() && self.due.is_some()
            }
            Termination::Aborted => (self.due.is_some() || !self.is_full()) && winner.is_none(),
            Termination::Expired => !is_asked_for && !self.is_full() && winner.is_none(),
            Termination::Declined => !self.is_full() && winner.is_none(),
        }
    }

    /// Only the creator aborts a match, a player until both seats are taken, and an operator with a reason. In
    /// logs of earlier versions players did so until the first action, and a creator that played until the end.
    fn may_call_off(&self, outcome: &MatchOutcome) -> bool {
        let by = outcome.aborted_by;
        if outcome.failure.is_some() && outcome.termination != Termination::Resignation {
            return false;
        }
        match outcome.termination {
            Termination::Aborted if outcome.reason.is_some() => by.is_some(),
            Termination::Aborted => by.is_none_or(|player| {
                let is_early_player = self.seat_of(player).is_some() && self.ply == 0;
                player == self.created.creator || is_early_player
            }),
            Termination::Declined => by.is_some_and(|player| self.is_invited(player)),
            Termination::Normal
            | Termination::Timeout
            | Termination::Resignation
            | Termination::IllegalAction
            | Termination::Disconnect
            | Termination::Expired => by.is_none() && outcome.reason.is_none(),
        }
    }

    /// Whose request ended the match so, if it was one.
    fn asker_of(&self, outcome: &MatchOutcome) -> Option<Asker> {
        match outcome.termination {
            Termination::Resignation => Some(Asker::Seat(outcome.winner?.other())),
            Termination::Aborted | Termination::Declined => {
                // Earlier versions did not record who aborted a match.
                let player = outcome.aborted_by.unwrap_or(self.created.creator);
                Some(Asker::Player(player))
            }
            Termination::Normal
            | Termination::Timeout
            | Termination::IllegalAction
            | Termination::Disconnect
            | Termination::Expired => None,
        }
    }
}
