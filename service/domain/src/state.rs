use dragontooth_games::Seat;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_service_vocabulary::{
    Created, FailureText, PlayerId, PlayerName, SeedText, Sequence, Sight, Termination, Timestamp,
};

use crate::request::Requests;
use crate::{Clocks, Rejection};

mod evolve;

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
    /// What the player adds to the random choices.
    pub seed: SeedText,
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
    /// The illegal actions that the seat has given, as far as the match counts them.
    pub illegal_actions: u32,
}

/// How and when a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The winner, if there is one.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// Who called it off; none if nobody did, and in logs of earlier versions.
    pub aborted_by: Option<PlayerId>,
    /// Why the program of the seat that resigned cannot go on; none if it resigned by choice, and in logs of earlier
    /// versions.
    pub failure: Option<FailureText>,
    /// When it ended.
    pub time: Timestamp,
}

impl MatchState {
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

    /// Whether the match is a matter of `player`: it has a seat or one is kept for it, or it is the creator.
    #[must_use]
    pub fn concerns(&self, player: PlayerId) -> bool {
        self.created.creator == player
            || self.created.reserved.contains(&Some(player))
            || self.seat_of(player).is_some()
    }

    /// How much of the match somebody sees: `player`, if it is one, who is an operator or not.
    #[must_use]
    pub fn sight(&self, player: Option<PlayerId>, is_operator: bool) -> Sight {
        let is_concerned = is_operator || player.is_some_and(|player| self.concerns(player));
        self.created
            .audience
            .sight(is_concerned, self.result.is_some())
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

    /// After how many more illegal actions the seat that decides loses the match, at least one; none if no
    /// decision is due or there is no limit.
    #[must_use]
    pub fn illegal_actions_left(&self) -> Option<u32> {
        let limit = self.created.illegal_action_limit?.get();
        Some(limit.saturating_sub(self.due?.illegal_actions))
    }

    /// Why the rules refuse an action of the seat that is to decide; none if they do not, or no seat is.
    #[must_use]
    pub fn refusal_of(&self, action: &str) -> Option<Rejection> {
        if !matches!(self.play.step(), Step::Decide(_)) {
            return None;
        }
        self.play_clone().play(action).err().map(Rejection::of_play)
    }

    /// How the match ended.
    #[must_use]
    pub const fn result(&self) -> Option<&MatchResult> {
        self.result.as_ref()
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

    /// What the rules and the log want next, in a copy that the caller may play on.
    pub(crate) fn play_clone(&self) -> Box<dyn Match> {
        self.play.clone()
    }

    /// The random choices of the match. A seat that is free counts as one of a player who adds
    /// nothing.
    #[must_use]
    pub fn draws(&self) -> Draws {
        let usual = SeedText::default_of_players();
        self.draws_of(self.player_seeds(&usual))
    }

    /// The random choices of the match when a player with this seed has taken `seat`.
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
