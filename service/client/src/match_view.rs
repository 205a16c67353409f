use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    FailureText, MatchId, PlayerId, Sequence, Stage, Termination, TimeControl,
};

use crate::{DecisionId, Score};

/// A match as the service shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchView {
    /// Its id.
    pub id: MatchId,
    /// The title that its creator gave it; may be empty.
    pub title: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// How far the match has come.
    pub state: Stage,
    /// Both seats, by [`Seat::index`].
    pub seats: [SeatView; 2],
    /// The points so far.
    pub score: Score,
    /// The number of the game that is or was last played, from 1; 0 before the first.
    pub game_number: u32,
    /// The position of that game, in the game's notation; none before the first.
    pub position: Option<String>,
    /// The seat that has to act; none if none has.
    pub to_act: Option<Seat>,
    /// The decision that is due; none if none is.
    pub decision_id: Option<DecisionId>,
    /// The clocks; none for a match without.
    pub clocks: Option<Clocks>,
    /// When the clock of the seat that has to act runs out, by the service's time.
    pub deadline: Option<SystemTime>,
    /// How the match ended; none before.
    pub outcome: Option<MatchOutcome>,
    /// The sequence of the match's last event.
    pub head_sequence: Sequence,
    /// The hash over its events up to that one, in hexadecimal digits: whoever has noted it can tell
    /// later that none of them was changed.
    pub head_hash: String,
    /// When the match was created.
    pub created: Option<SystemTime>,
    /// When the match ended; none before.
    pub ended: Option<SystemTime>,
    /// The player that created the match.
    pub creator: Option<PlayerId>,
    /// The commitment to the server's seed, in hexadecimal digits.
    pub seed_commitment: String,
    /// Whether the creator gave the seed.
    pub seed_given: bool,
    /// The server's seed, in hexadecimal digits; none until the match is over.
    pub server_seed: Option<String>,
    /// Whether only those see it whom it concerns: its players, those for whom a seat is kept, and its creator.
    pub private: bool,
    /// How much later spectators see what happens, until the match is over; none for at once.
    pub spectator_delay: Option<Duration>,
    /// How long a player may be away before the match is lost for it; none for ever.
    pub disconnect_grace: Option<Duration>,
    /// When the match is lost for seats whose players are away, by [`Seat::index`].
    pub forfeits: [Option<SystemTime>; 2],
    /// With how many illegal actions at one decision a seat loses; none for no limit.
    pub illegal_action_limit: Option<NonZeroU32>,
}

impl MatchView {
    /// The seat and who has it.
    #[must_use]
    pub const fn seat(&self, seat: Seat) -> &SeatView {
        &self.seats[seat.index()]
    }

    /// The seat that `player` has or that is kept for it.
    #[must_use]
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.seat(*seat).player == Some(player))
    }
}

/// A seat of a match and who has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatView {
    /// The player that has joined, or for whom the seat is kept; none if it is free for anyone.
    pub player: Option<PlayerId>,
    /// The name that the player gave on joining; may be empty.
    pub name: String,
    /// Whether the player has joined.
    pub joined: bool,
    /// What the player adds to the random choices; empty before it has joined.
    pub seed: String,
    /// The agreement on time of the seat; none without a clock.
    pub time_control: Option<TimeControl>,
}

/// The time that each seat has, as of the start of the decision that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The first seat's time; none without a clock.
    pub first: Option<Duration>,
    /// The second seat's time; none without a clock.
    pub second: Option<Duration>,
}

impl Clocks {
    /// The time of `seat`; none without a clock.
    #[must_use]
    pub const fn of(self, seat: Seat) -> Option<Duration> {
        match seat {
            Seat::First => self.first,
            Seat::Second => self.second,
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatchOutcome {
    /// The winner; none for a match that is drawn or aborted.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// The player that called the match off; none if nobody did, and from services of early versions.
    pub aborted_by: Option<PlayerId>,
    /// Why the program of the player that resigned could not go on; none if nobody resigned, or by choice.
    pub failure: Option<FailureText>,
}
