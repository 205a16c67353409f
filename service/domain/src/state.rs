use std::time::Duration;

use dragontooth_games::match_play::{Match, MatchOutcome, Step};
use dragontooth_games::{GameOutcome, Seat, catalogue};

use crate::request::Requests;
use crate::{
    Answer, Clocks, Created, Event, Inconsistent, PlayerId, PlayerName, Recorded, Sequence,
    Termination, Timestamp,
};

/// A match as its events have made it.
#[derive(Clone, Debug)]
pub struct MatchState {
    created: Created,
    created_at: Timestamp,
    head: Sequence,
    seats: [Option<Seated>; 2],
    play: Box<dyn Match>,
    ply: u32,
    clocks: Clocks,
    due: Option<Due>,
    result: Option<MatchResult>,
    requests: Requests,
}

/// A player in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    /// The player.
    pub player: PlayerId,
    /// The player's name.
    pub name: PlayerName,
}

/// A decision that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its id: the sequence of the event after which it was due.
    pub decision: Sequence,
    /// The seat that decides.
    pub seat: Seat,
    /// Since when its clock runs.
    pub since: Timestamp,
}

/// How and when a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The winner, if there is one.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// When it ended.
    pub time: Timestamp,
}

impl MatchState {
    /// The match that its first event makes.
    ///
    /// # Errors
    ///
    /// The event is no [`Event::Created`] with the sequence 1, or this program does not know its
    /// game, variant or target.
    pub fn new(first: &Recorded) -> Result<Self, Inconsistent> {
        let Event::Created(created) = &first.event else {
            return Err(Inconsistent::new(
                first,
                "the first event does not create a match",
            ));
        };
        if first.sequence != Sequence(1) {
            return Err(Inconsistent::new(
                first,
                "the events do not begin with the first",
            ));
        }
        let game = catalogue::find(&created.game)
            .map_err(|unknown| Inconsistent::new(first, &unknown.to_string()))?;
        let play = game
            .new_match(Some(&created.variant), created.target)
            .map_err(|error| Inconsistent::new(first, &error.to_string()))?;
        Ok(Self {
            created: (**created).clone(),
            created_at: first.time,
            head: first.sequence,
            seats: [None, None],
            play,
            ply: 0,
            clocks: Clocks::new(created.time_control),
            due: None,
            result: None,
            requests: Requests::default(),
        })
    }

    /// What was fixed when the match was created.
    #[must_use]
    pub const fn created(&self) -> &Created {
        &self.created
    }

    /// When the match was created.
    #[must_use]
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The sequence of the last event.
    #[must_use]
    pub const fn head(&self) -> Sequence {
        self.head
    }

    /// Who has `seat`.
    #[must_use]
    pub const fn seated(&self, seat: Seat) -> Option<&Seated> {
        self.seats[seat.index()].as_ref()
    }

    /// The seat that `player` has.
    #[must_use]
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        let sits = |seat: &Seat| {
            self.seated(*seat)
                .is_some_and(|seated| seated.player == player)
        };
        Seat::BOTH.into_iter().find(sits)
    }

    /// The play: score, position and what the rules allow.
    #[must_use]
    pub fn play(&self) -> &dyn Match {
        &*self.play
    }

    /// The number of actions that have been played.
    #[must_use]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// Both clocks, as of the start of the decision that is due.
    #[must_use]
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The decision that is due.
    #[must_use]
    pub const fn due(&self) -> Option<Due> {
        self.due
    }

    /// When the clock of the seat that decides runs out; none if none runs.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let due = self.due?;
        Some(due.since.after(self.clocks.allowance(due.seat)?))
    }

    /// How the match ended.
    #[must_use]
    pub const fn result(&self) -> Option<MatchResult> {
        self.result
    }

    /// Whether both seats are taken.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.seats.iter().all(Option::is_some)
    }

    /// Lets the clock of the decision that is due start anew at `now`: for a match that is taken
    /// up again after the service was down. What a seat had used of its time in this decision is
    /// given back.
    pub fn restart_clock(&mut self, now: Timestamp) {
        if let Some(due) = &mut self.due {
            due.since = now;
        }
    }

    /// Goes on by an event that [`decide`](crate::decide()) returned for this state.
    ///
    /// # Panics
    ///
    /// If the event does not fit the state. For events from anywhere else there is
    /// [`replay`](crate::replay()).
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.follow(recorded)
            .expect("what `decide` returned fits the state it was asked about");
    }

    /// What the rules and the log want next, in a copy that the caller may play on.
    pub(crate) fn play_clone(&self) -> Box<dyn Match> {
        self.play.clone()
    }

    pub(crate) const fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Goes on by an event; after an error the state is not to be used.
    pub(crate) fn follow(&mut self, recorded: &Recorded) -> Result<(), Inconsistent> {
        if recorded.sequence != self.head.next() {
            return Err(Inconsistent::new(recorded, "the events have a gap"));
        }
        if self.result.is_some() {
            return Err(Inconsistent::new(
                recorded,
                "an event follows the end of the match",
            ));
        }
        self.take_in(recorded)
            .map_err(|why| Inconsistent::new(recorded, &why))?;
        self.head = recorded.sequence;
        self.due = self.due_at(recorded.time);
        Ok(())
    }

    fn take_in(&mut self, recorded: &Recorded) -> Result<(), String> {
        match &recorded.event {
            Event::Created(_) => return Err("the match is created twice".to_owned()),
            Event::SeatJoined { seat, player, name } => {
                let place = &mut self.seats[seat.index()];
                if place.is_some() {
                    return Err("the seat was taken".to_owned());
                }
                *place = Some(Seated {
                    player: *player,
                    name: name.clone(),
                });
            }
            Event::GameStarted { number, position } => {
                self.play
                    .begin_game(position)
                    .map_err(|error| error.to_string())?;
                if self.play.game_number() != *number {
                    return Err("the game has the wrong number".to_owned());
                }
            }
            Event::ActionPlayed {
                seat,
                action,
                remaining,
                request_id,
            } => {
                let due = self.act(*seat, action, *remaining)?;
                let answer = Answer::Acted {
                    seat: *seat,
                    decision: due.decision,
                    sequence: recorded.sequence,
                    action: action.clone(),
                };
                self.requests
                    .remember(Some(*seat), request_id.as_ref(), answer);
            }
            Event::TurnPassed { seat } => {
                if self.play.step() != Step::Pass(*seat) {
                    return Err("the seat did not have to pass".to_owned());
                }
                self.play.pass().map_err(|error| error.to_string())?;
            }
            Event::GameEnded {
                winner,
                points,
                reason,
            } => {
                self.end_game(*winner, *points, reason)?;
            }
            Event::MatchEnded {
                winner,
                termination,
                request_id,
            } => {
                let by_rules = Step::Over(MatchOutcome { winner: *winner });
                if *termination == Termination::Normal && self.play.step() != by_rules {
                    return Err("the match did not end like this".to_owned());
                }
                self.result = Some(MatchResult {
                    winner: *winner,
                    termination: *termination,
                    time: recorded.time,
                });
                let asker = match termination {
                    Termination::Resignation => winner.map(Seat::other),
                    Termination::Normal | Termination::Timeout | Termination::Aborted => None,
                };
                self.requests
                    .remember(asker, request_id.as_ref(), Answer::Ended);
            }
        }
        Ok(())
    }

    fn act(
        &mut self,
        seat: Seat,
        action: &str,
        remaining: Option<Duration>,
    ) -> Result<Due, String> {
        let due = self.due.ok_or("no decision was due")?;
        if due.seat != seat {
            return Err("the other seat was to decide".to_owned());
        }
        self.play.play(action).map_err(|error| error.to_string())?;
        self.ply += 1;
        if let Some(remaining) = remaining {
            self.clocks.set(seat, remaining);
        }
        Ok(due)
    }

    fn end_game(&mut self, winner: Option<Seat>, points: u32, reason: &str) -> Result<(), String> {
        let fits = |outcome: GameOutcome| {
            outcome.winner == winner && outcome.points == points && outcome.reason == reason
        };
        if !matches!(self.play.step(), Step::Score(outcome) if fits(outcome)) {
            return Err("the game did not end like this".to_owned());
        }
        self.play.score_game().map_err(|error| error.to_string())
    }

    fn due_at(&self, now: Timestamp) -> Option<Due> {
        if self.result.is_some() {
            return None;
        }
        match self.play.step() {
            Step::Decide(seat) => Some(Due {
                decision: self.head,
                seat,
                since: now,
            }),
            Step::Deal | Step::Pass(_) | Step::Score(_) | Step::Over(_) => None,
        }
    }
}
