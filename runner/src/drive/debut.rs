use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dragontooth_games::Seat;
use dragontooth_service_client::{Client, MatchFilter, MatchView};
use dragontooth_service_vocabulary::{PlayerId, Stage};

/// Tells whether a bot has ever taken a seat.
#[derive(Debug)]
pub(super) struct Debut {
    /// True once its matches have reported an action of it.
    pub(super) seen: Arc<AtomicBool>,
    /// A client that may ask the service for its matches.
    pub(super) client: Client,
    /// Its player id in the service.
    pub(super) player: PlayerId,
}

impl Debut {
    /// Returns true if the bot has taken a seat, as far as can be known. What its matches have not yet
    /// reported the service knows.
    pub(super) async fn is_over(&self) -> bool {
        if self.seen.load(Ordering::Relaxed) {
            return true;
        }
        for state in [Stage::Open, Stage::Active] {
            let filter = MatchFilter {
                state: Some(state),
                player: Some(self.player),
                ..MatchFilter::default()
            };
            let has_seat = |view: &MatchView| {
                Seat::BOTH.iter().any(|seat| {
                    let seat = view.seat(*seat);
                    seat.joined && seat.player == Some(self.player)
                })
            };
            match self.client.list_matches(filter, None).await {
                Ok(page) if !page.items.iter().any(has_seat) => {}
                Ok(_) | Err(_) => return true,
            }
        }
        self.seen.load(Ordering::Relaxed)
    }
}
