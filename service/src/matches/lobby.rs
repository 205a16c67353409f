use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_vocabulary::{Offer, PlayerId, Timestamp};

/// Players that are looked at for one page, so that a list holds up nobody.
const LOOKED_AT: usize = 2_000;

/// The players with an open stream, at any service on the log, in the order of their ids.
#[derive(Debug, Default)]
pub(super) struct Lobby(Mutex<BTreeMap<PlayerId, Presence>>);

/// A player that is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PresentPlayer {
    pub(crate) player: PlayerId,
    /// The time at which its newest stream was opened.
    pub(crate) opened: Timestamp,
    /// Terms that it accepts; `None` if it has not said.
    pub(crate) offer: Option<Arc<Offer>>,
}

/// A part of a list of players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayerPage {
    pub(crate) players: Vec<PresentPlayer>,
    /// The player after which the next page begins; `None` if this is the last one.
    pub(crate) next: Option<PlayerId>,
}

#[derive(Debug)]
struct Presence {
    opened: Timestamp,
    offer: Option<Arc<Offer>>,
}

impl Lobby {
    /// Notes the newest stream of a player; `None` if it has none.
    pub(super) fn set(&self, player: PlayerId, stream: Option<(Timestamp, Option<Arc<Offer>>)>) {
        let mut present = self.lock();
        match stream {
            Some((opened, offer)) => present.insert(player, Presence { opened, offer }),
            None => present.remove(&player),
        };
    }

    /// At most `limit` players after `last` that accept a game, or any.
    pub(super) fn page(
        &self,
        game: Option<&str>,
        last: Option<PlayerId>,
        limit: usize,
    ) -> PlayerPage {
        let begin = last.map_or(Bound::Unbounded, Bound::Excluded);
        let present = self.lock();
        let mut rest = present.range((begin, Bound::Unbounded));
        let mut page = PlayerPage::default();
        for (player, presence) in rest.by_ref().take(LOOKED_AT) {
            page.next = Some(*player);
            let offer = presence.offer.as_ref();
            let accepts = |game| offer.is_some_and(|offer| offer.accepts_game(game));
            if game.is_none_or(accepts) {
                page.players.push(PresentPlayer {
                    player: *player,
                    opened: presence.opened,
                    offer: presence.offer.clone(),
                });
                if page.players.len() == limit {
                    break;
                }
            }
        }
        if rest.next().is_none() {
            page.next = None;
        }
        page
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PlayerId, Presence>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::AcceptedGame;

    use super::*;

    fn player(number: u32) -> PlayerId {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&number.to_be_bytes());
        PlayerId::from_bytes(id)
    }

    fn all(lobby: &Lobby, game: Option<&str>, limit: usize) -> Vec<PlayerId> {
        let mut found = Vec::new();
        let mut last = None;
        loop {
            let page = lobby.page(game, last, limit);
            assert!(page.players.len() <= limit);
            found.extend(page.players.iter().map(|present| present.player));
            match page.next {
                Some(next) => last = Some(next),
                None => return found,
            }
        }
    }

    #[test]
    fn pages_have_every_player_that_accepts_a_game_once_in_order() {
        let lobby = Lobby::default();
        // More than are looked at for one page.
        let players: Vec<_> = (0..5_000).map(player).collect();
        let offer = Arc::new(Offer {
            games: vec![AcceptedGame::any("linja")],
            ..Offer::default()
        });
        for (number, player) in players.iter().enumerate().rev() {
            let offer = (number % 2_500 == 7).then(|| Arc::clone(&offer));
            lobby.set(*player, Some((Timestamp::default(), offer)));
        }
        for limit in [1, 700, 5_000, 6_000] {
            if limit > 1 {
                assert_eq!(all(&lobby, None, limit), players);
            }
            assert_eq!(
                all(&lobby, Some("linja"), limit),
                [players[7], players[2_507]]
            );
            assert!(all(&lobby, Some("tzaar"), limit).is_empty());
        }
        for player in &players[1..] {
            lobby.set(*player, None);
        }
        assert_eq!(all(&lobby, None, 1), [players[0]]);
    }
}
