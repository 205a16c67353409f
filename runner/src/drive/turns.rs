use std::sync::Arc;

use dragontooth_games::Seat;
use tokio::sync::OwnedMutexGuard;

use super::health::{Pulse, has_crashed};
use super::players::Player;
use super::watched_match::WatchError;
use crate::record::Played;

/// The turns of the players of a match that are started again for every match: they play no other until then.
pub(super) struct Turns(Vec<(Seat, Pulse, OwnedMutexGuard<()>)>);

impl Turns {
    /// Waits for the turns of the players, by seat.
    pub(super) async fn take(players: [&Player; 2]) -> Self {
        let mut seats = Seat::BOTH;
        // Locking in one order avoids a deadlock.
        seats.sort_unstable_by_key(|seat| players[seat.index()].id);
        let mut turns = Vec::new();
        for seat in seats {
            let player = players[seat.index()];
            if let Some(turn) = &player.turn {
                let turn = Arc::clone(turn).lock_owned().await;
                turns.push((seat, player.pulse.clone(), turn));
            }
        }
        Self(turns)
    }

    /// Has the players started again, for another attempt at the match.
    pub(super) async fn renew(&self) {
        for (_, pulse, _) in &self.0 {
            pulse.renew(false).await;
        }
    }

    /// Gives the turns back after the match, each once its player has been started again.
    pub(super) fn end(self, played: &Result<Played, WatchError>) {
        for (seat, pulse, turn) in self.0 {
            let has_crashed =
                (played.as_ref()).is_ok_and(|played| has_crashed(&played.faults, seat));
            tokio::spawn(async move {
                pulse.renew(has_crashed).await;
                drop(turn);
            });
        }
    }
}
