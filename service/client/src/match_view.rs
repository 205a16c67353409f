use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_vocabulary::{
    MatchId, MatchOutcome, PlayerId, Sequence, Stage, TimeControl,
};

use crate::DecisionId;

/// A match as the service shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchView {
    /// Its id.
    pub id: MatchId,
    /// The title given by the creator; may be empty.
    pub title: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// The stage of the match.
    pub state: Stage,
    /// Both seats, by [`Seat::index`].
    pub seats: [SeatView; 2],
    /// The points so far.
    pub score: Score,
    /// The number of the current or last game, from 1; 0 before the first.
    pub game_number: u32,
    /// The position of that game, in the game's notation; `None` before the first.
    pub position: Option<String>,
    /// The seat to act; `None` if no decision is due.
    pub to_act: Option<Seat>,
    /// The decision that is due, if any.
    pub decision_id: Option<DecisionId>,
    /// The time of each seat at the start of the decision that is due, by [`Seat::index`], each `None`
    /// without a clock; `None` for a match without clocks.
    pub clocks: Option<[Option<Duration>; 2]>,
    /// The moment when the clock of the seat to act runs out, in the service's time.
    pub deadline: Option<SystemTime>,
    /// The result of the match; `None` until it is over.
    pub outcome: Option<MatchOutcome>,
    /// The sequence of the match's last event.
    pub head_sequence: Sequence,
    /// The hash over its events up to that one, in hexadecimal digits: a copy of it proves later
    /// that none of them was changed.
    pub head_hash: String,
    /// The time of creation.
    pub created: Option<SystemTime>,
    /// The time of the end; `None` until the match is over.
    pub ended: Option<SystemTime>,
    /// The player that created the match.
    pub creator: Option<PlayerId>,
    /// The commitment to the server's seed, in hexadecimal digits.
    pub seed_commitment: String,
    /// True if the creator gave a seed.
    pub seed_given: bool,
    /// The server's seed, in hexadecimal digits; none until all matches that use it are over.
    pub server_seed: Option<String>,
    /// True if the match is private: visible to its players, the players with reserved seats, and
    /// its creator.
    pub private: bool,
    /// Delay for spectators until the match is over; `None` means none.
    pub spectator_delay: Option<Duration>,
    /// Time that a player may be away before losing the match; `None` means no limit.
    pub disconnect_grace: Option<Duration>,
    /// The moments when absent players lose the match, by [`Seat::index`].
    pub forfeits: [Option<SystemTime>; 2],
    /// Number of illegal actions for one decision that lose the match; `None` means no limit.
    pub illegal_action_limit: Option<NonZeroU32>,
    /// The moment when the match expires if a seat is still free, in the service's time; `None` once both are
    /// taken.
    pub join_deadline: Option<SystemTime>,
    /// The entries of its opening, which led to the first position of the first game; empty for the usual
    /// start.
    pub opening: Vec<String>,
}

impl MatchView {
    /// Returns the seat's player and settings.
    #[must_use]
    pub const fn seat(&self, seat: Seat) -> &SeatView {
        &self.seats[seat.index()]
    }

    /// Returns the seat that `player` has or that is reserved for it.
    #[must_use]
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.seat(*seat).player == Some(player))
    }
}

/// A seat of a match and its player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatView {
    /// The player that joined, or for whom the seat is reserved; `None` if it is free.
    pub player: Option<PlayerId>,
    /// The player's name: that of its identity, or the one that it gave on joining, which may be empty.
    pub name: String,
    /// True if it is the name of the player's identity; false if the player gave it itself.
    pub name_verified: bool,
    /// True if the player has joined.
    pub joined: bool,
    /// The player's share of the seed; empty until it has joined.
    pub seed: String,
    /// The seat's time control; `None` means no clock.
    pub time_control: Option<TimeControl>,
}
