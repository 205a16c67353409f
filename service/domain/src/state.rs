use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_service_vocabulary::{
    Created, DisplayName, History, MatchOutcome, PlayerId, SeedText, Sequence, Sight, Timestamp,
};

use crate::request::Requests;
use crate::{Clocks, Rejection};

mod evolve;

/// The state of a match after its events.
///
/// ```
/// use dragontooth_games::chance::Seed;
/// use dragontooth_service_domain::{Command, Decided, MatchState, create, decide};
/// use dragontooth_service_vocabulary::{
///     MatchId, NewMatch, PlayerId, PlayerName, Recorded, Sequence, Timestamp,
/// };
///
/// let [ann, bob] = [1, 2].map(|id| PlayerId::from_bytes([id; 16]));
/// let new = NewMatch::new("kamisado", 1);
/// let now = Timestamp::from_micros(0);
/// let recorded = |sequence, event| Recorded { sequence, time: now, event };
/// let id = MatchId::from_bytes([0; 16]);
/// let created = create(&new, ann, id, &Seed::from_bytes([7; Seed::BYTES]))?;
/// let mut state = MatchState::new(&recorded(Sequence(1), created))?;
///
/// let join = |player, name| {
///     let name = PlayerName::new(name)?;
///     Ok::<_, Box<dyn std::error::Error>>(Command::Join {
///         player,
///         seat: None,
///         name: name.into(),
///         seed: None,
///         request_id: None,
///     })
/// };
/// // The first decision is due at event 4: created, two seats taken, a game begun.
/// let act = Command::Act {
///     player: ann,
///     decision: Sequence(4),
///     action: "a1a7".to_owned(),
///     thinking: None,
///     request_id: None,
/// };
/// for command in [join(ann, "Ann")?, join(bob, "Bob")?, act] {
///     if let Decided::Events(events) = decide(&state, &command, now)? {
///         for event in events {
///             state.evolve(&recorded(state.head().next(), event));
///         }
///     }
/// }
/// assert_eq!(state.ply(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatchState {
    created: Created,
    created_at: Timestamp,
    join_deadline: Option<Timestamp>,
    head: Sequence,
    last_time: Timestamp,
    seats: [Option<Seated>; 2],
    play: Box<dyn Match>,
    ply: u32,
    clocks: Clocks,
    due: Option<DueDecision>,
    end: Option<(MatchOutcome, Timestamp)>,
    requests: Requests,
    /// The events of play that a seat may not have been told of.
    history: History,
    /// The last decision that each seat has answered.
    answered: [Sequence; 2],
}

/// A player in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    /// The player.
    pub player: PlayerId,
    /// The player's name.
    pub name: DisplayName,
    /// The player's share of the seed.
    pub seed: SeedText,
}

/// A decision that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueDecision {
    /// Its id: the sequence of the event that made it due.
    pub decision: Sequence,
    /// The seat to act.
    pub seat: Seat,
    /// The moment when its clock started.
    pub since: Timestamp,
    /// Number of illegal actions of the seat, as far as the match counts them.
    pub illegal_actions: u32,
}

impl MatchState {
    /// The agreed terms of the match.
    #[must_use]
    pub const fn created(&self) -> &Created {
        &self.created
    }

    /// The time of creation.
    #[must_use]
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The sequence of the last event.
    #[must_use]
    pub const fn head(&self) -> Sequence {
        self.head
    }

    /// The time of the last event.
    #[must_use]
    pub const fn last_time(&self) -> Timestamp {
        self.last_time
    }

    /// Returns the player in `seat`.
    #[must_use]
    pub const fn seated(&self, seat: Seat) -> Option<&Seated> {
        self.seats[seat.index()].as_ref()
    }

    /// Returns the seat of `player`.
    #[must_use]
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        let sits = |seat: &Seat| {
            self.seated(*seat)
                .is_some_and(|seated| seated.player == player)
        };
        Seat::BOTH.into_iter().find(sits)
    }

    /// Returns true if a seat is reserved for `player` that it has not taken.
    #[must_use]
    pub fn is_invited(&self, player: PlayerId) -> bool {
        self.created.reserved.contains(&Some(player)) && self.seat_of(player).is_none()
    }

    /// Returns true if `player` is part of the match: it has a seat or a reserved one, or created
    /// the match.
    #[must_use]
    pub fn concerns(&self, player: PlayerId) -> bool {
        self.created.creator == player
            || self.created.reserved.contains(&Some(player))
            || self.seat_of(player).is_some()
    }

    /// Returns what `player` may see of the match.
    #[must_use]
    pub fn sight(&self, player: PlayerId) -> Sight {
        let is_concerned = self.concerns(player);
        self.created
            .audience
            .sight(is_concerned, self.end.is_some())
    }

    /// The play: score, position and legal actions.
    #[must_use]
    pub fn play(&self) -> &dyn Match {
        &*self.play
    }

    /// Number of actions played.
    #[must_use]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// Both clocks at the start of the due decision.
    #[must_use]
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The decision that is due.
    #[must_use]
    pub const fn due(&self) -> Option<DueDecision> {
        self.due
    }

    /// The moment when the clock of the seat to act runs out; `None` if none is running.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let due = self.due?;
        Some(due.since.after(self.clocks.allowance(due.seat)?))
    }

    /// The moment from which on the match expires if a seat is still free; `None` once both are taken, after the
    /// end, and without a limit.
    #[must_use]
    pub fn join_deadline(&self) -> Option<Timestamp> {
        self.join_deadline
            .filter(|_| !self.is_full() && self.end.is_none())
    }

    /// Number of illegal actions, at least one, after which the seat to act loses the match; `None`
    /// without a due decision or a limit.
    #[must_use]
    pub fn illegal_actions_left(&self) -> Option<u32> {
        let limit = self.created.illegal_action_limit?.get();
        Some(limit.saturating_sub(self.due?.illegal_actions))
    }

    /// Returns the events of play after the last decision that `seat` has answered, its own action included.
    #[must_use]
    pub fn history_since(&self, seat: Seat) -> History {
        self.history.after(self.answered[seat.index()])
    }

    /// Returns the reason why the rules refuse an action of the seat to act; `None` if they do not,
    /// or if no decision is due.
    #[must_use]
    pub fn refusal_of(&self, action: &str) -> Option<Rejection> {
        if !matches!(self.play.step(), Step::Decide(_)) {
            return None;
        }
        self.play_clone().play(action).err().map(Rejection::of_play)
    }

    /// The result of the match, if it is over.
    #[must_use]
    pub const fn result(&self) -> Option<&MatchOutcome> {
        match &self.end {
            Some((outcome, _)) => Some(outcome),
            None => None,
        }
    }

    /// The time of the end, if it is over.
    #[must_use]
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.end.as_ref().map(|(_, time)| *time)
    }

    /// Returns true if both seats are taken.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.seats.iter().all(Option::is_some)
    }

    /// Restarts the clock of the due decision at `now`, for a match that resumes after the service
    /// was down. The time already used for this decision is given back.
    pub fn restart_clock(&mut self, now: Timestamp) {
        if let Some(due) = &mut self.due {
            due.since = now;
        }
    }

    /// Lets the match expire `timeout` after its creation if an earlier version created it, which set no limit.
    pub fn limit_joining(&mut self, timeout: Duration) {
        let deadline = self.created_at.after(timeout);
        self.join_deadline.get_or_insert(deadline);
    }

    /// Returns a copy of the play for deciding the next steps.
    pub(crate) fn play_clone(&self) -> Box<dyn Match> {
        self.play.clone()
    }

    /// The draws of the match. A free seat counts like a player without a share of the seed.
    #[must_use]
    pub fn draws(&self) -> Draws {
        let usual = SeedText::default_of_players();
        self.draws_of(self.player_seeds(&usual))
    }

    /// The draws of the match if a player with this seed takes `seat`.
    pub(crate) fn draws_with(&self, seat: Seat, seed: &SeedText) -> Draws {
        let usual = SeedText::default_of_players();
        let mut seeds = self.player_seeds(&usual);
        seeds[seat.index()] = seed;
        self.draws_of(seeds)
    }

    fn draws_of(&self, player_seeds: [&SeedText; 2]) -> Draws {
        self.created.seed.draws(self.created.id, player_seeds)
    }

    fn player_seeds<'a>(&'a self, usual: &'a SeedText) -> [&'a SeedText; 2] {
        Seat::BOTH.map(|seat| self.seated(seat).map_or(usual, |seated| &seated.seed))
    }

    pub(crate) const fn requests(&self) -> &Requests {
        &self.requests
    }
}
