use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_vocabulary::{Offer, PlayerId, Timestamp};
use tokio::sync::watch;

/// Players that are looked at for one page, so that a list holds up nobody.
const LOOKED_AT: usize = 2_000;

/// Departures that are kept for those who watch the players. Who is further behind begins again.
const KEPT_DEPARTURES: usize = 10_000;

/// The players with an open stream or an offer by a call, at any service on the log, in the order of their ids.
#[derive(Debug, Default)]
pub(super) struct Lobby {
    tables: Mutex<Tables>,
    /// The last change.
    head: watch::Sender<Change>,
}

/// A change of the players that are present, by its number from 1; 0 stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change(u64);

/// A player that is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PresentPlayer {
    pub(crate) player: PlayerId,
    pub(crate) presence: PlayerPresence,
}

/// The presence of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayerPresence {
    /// The time at which its newest stream was opened, or its offer was first made.
    pub(crate) opened: Timestamp,
    /// Terms that it accepts; `None` if it has not said.
    pub(crate) offer: Option<Arc<Offer>>,
    /// The time at which an offer by a call ends; `None` for a stream.
    pub(crate) expires: Option<Timestamp>,
}

/// A part of a list of players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayerPage {
    pub(crate) players: Vec<PresentPlayer>,
    /// The player after which the next page begins; `None` if this is the last one.
    pub(crate) next: Option<PlayerId>,
}

/// The place of somebody who watches the players: a part of their last changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LobbyReader {
    game: Option<&'static str>,
    /// The last change when the reading began: who had left by then is not mentioned.
    since: Change,
    read: Change,
}

/// A player of whom there is news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerNews {
    /// It is present.
    Present(PresentPlayer),
    /// It is present no more, or does not accept the game.
    Gone(PlayerId),
}

/// The changes that a reader has missed are not kept any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooFarBehind;

#[derive(Debug, Default)]
struct Tables {
    present: BTreeMap<PlayerId, Entry>,
    /// The last change of each player that is present, and of those that have left.
    changes: BTreeMap<Change, PlayerId>,
    /// The departures among them.
    departures: VecDeque<Change>,
    /// The last departure that is not kept any more.
    forgotten: Change,
    head: Change,
}

#[derive(Debug)]
struct Entry {
    presence: PlayerPresence,
    change: Change,
}

impl Lobby {
    /// Notes the presence of a player; `None` if it is away.
    pub(super) fn set(&self, player: PlayerId, presence: Option<PlayerPresence>) {
        let mut tables = self.lock();
        if tables.set(player, presence) {
            self.head.send_replace(tables.head);
        }
    }

    /// At most `limit` players after `last` that accept a game, or any.
    pub(super) fn page(
        &self,
        game: Option<&str>,
        last: Option<PlayerId>,
        limit: usize,
    ) -> PlayerPage {
        let begin = last.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        let mut rest = tables.present.range((begin, Bound::Unbounded));
        let mut page = PlayerPage::default();
        for (player, entry) in rest.by_ref().take(LOOKED_AT) {
            page.next = Some(*player);
            if entry.accepts(game) {
                page.players.push(entry.of(*player));
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

    /// A reader that begins with the players that are present now and accept a game, or any, and the number of all.
    pub(super) fn reader(&self, game: Option<&'static str>) -> (LobbyReader, usize) {
        let tables = self.lock();
        let reader = LobbyReader {
            game,
            since: tables.head,
            read: Change::default(),
        };
        (reader, tables.present.len())
    }

    /// The news that a reader has not had, after a look at no more than `limit` changes.
    pub(super) fn read(
        &self,
        reader: &mut LobbyReader,
        limit: usize,
    ) -> Result<Vec<PlayerNews>, TooFarBehind> {
        let tables = self.lock();
        if tables.forgotten > reader.read && tables.forgotten > reader.since {
            return Err(TooFarBehind);
        }
        let unread = (Bound::Excluded(reader.read), Bound::Unbounded);
        let mut unread = tables.changes.range(unread);
        let mut news = Vec::new();
        for (change, player) in unread.by_ref().take(limit) {
            reader.read = *change;
            let entry = tables.present.get(player);
            match entry {
                // There is a later change of it.
                Some(entry) if entry.change != *change => {}
                Some(entry) if entry.accepts(reader.game) => {
                    news.push(PlayerNews::Present(entry.of(*player)));
                }
                Some(_) | None if *change > reader.since => {
                    news.push(PlayerNews::Gone(*player));
                }
                Some(_) | None => {}
            }
        }
        if unread.next().is_none() {
            reader.read = tables.head;
        }
        Ok(news)
    }

    /// The last change.
    pub(super) fn head(&self) -> watch::Receiver<Change> {
        self.head.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LobbyReader {
    /// The last change that was read.
    pub(crate) const fn read(&self) -> Change {
        self.read
    }

    /// Returns true if all has been read that was there at the beginning.
    pub(crate) fn has_caught_up(&self) -> bool {
        self.read >= self.since
    }
}

impl Tables {
    /// Returns true if it is a change.
    fn set(&mut self, player: PlayerId, presence: Option<PlayerPresence>) -> bool {
        let before = self.present.get(&player);
        if before.map(|entry| &entry.presence) == presence.as_ref() {
            return false;
        }
        if let Some(before) = before {
            self.changes.remove(&before.change);
        }
        let change = Change(self.head.0 + 1);
        self.head = change;
        self.changes.insert(change, player);
        if let Some(presence) = presence {
            self.present.insert(player, Entry { presence, change });
        } else {
            self.present.remove(&player);
            self.departures.push_back(change);
            if self.departures.len() > KEPT_DEPARTURES
                && let Some(oldest) = self.departures.pop_front()
            {
                self.changes.remove(&oldest);
                self.forgotten = oldest;
            }
        }
        true
    }
}

impl Entry {
    fn accepts(&self, game: Option<&str>) -> bool {
        let offer = self.presence.offer.as_ref();
        game.is_none_or(|game| offer.is_some_and(|offer| offer.accepts_game(game)))
    }

    fn of(&self, player: PlayerId) -> PresentPlayer {
        PresentPlayer {
            player,
            presence: self.presence.clone(),
        }
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

    fn at(micros: u64, offer: Option<Arc<Offer>>) -> PlayerPresence {
        PlayerPresence {
            opened: Timestamp::from_micros(micros),
            offer,
            expires: None,
        }
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
            lobby.set(*player, Some(at(0, offer)));
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

    /// The players that somebody knows of who reads all news, and the parts in which they came.
    fn follow(
        lobby: &Lobby,
        reader: &mut LobbyReader,
        known: &mut BTreeMap<PlayerId, PresentPlayer>,
        limit: usize,
    ) -> Result<(), TooFarBehind> {
        let head = lobby.lock().head;
        while reader.read() < head {
            for news in lobby.read(reader, limit)? {
                match news {
                    PlayerNews::Present(present) => drop(known.insert(present.player, present)),
                    PlayerNews::Gone(player) => drop(known.remove(&player)),
                }
            }
        }
        Ok(())
    }

    /// A reader that comes now and then, and takes parts of any size, knows what a list says.
    #[test]
    fn readers_know_who_is_there() {
        let lobby = Lobby::default();
        let linja = Arc::new(Offer {
            games: vec![AcceptedGame::any("linja")],
            ..Offer::default()
        });
        let mut readers = Vec::new();
        let mut number = 1_u32;
        for step in 0..3_000_u64 {
            // The generator of Numerical Recipes.
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let stream = match number >> 30 {
                0 => None,
                1 => Some(at(step / 7, None)),
                _ => Some(at(step / 7, Some(Arc::clone(&linja)))),
            };
            lobby.set(player((number >> 8) % 40), stream);
            if step % 100 == 0 {
                let game = (step % 200 == 0).then_some("linja");
                let (reader, count) = lobby.reader(game);
                assert_eq!(count, all(&lobby, None, 50).len());
                readers.push((reader, game, BTreeMap::new(), 1 + readers.len()));
            }
            for (at, (reader, game, known, limit)) in readers.iter_mut().enumerate() {
                if step % (at as u64 + 3) == 0 {
                    follow(&lobby, reader, known, *limit).unwrap();
                    assert!(reader.has_caught_up());
                    let page = lobby.page(*game, None, 50).players;
                    let known: Vec<_> = known.values().cloned().collect();
                    assert_eq!(known, page, "{game:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_change_is_no_news() {
        let lobby = Lobby::default();
        let (mut reader, _) = lobby.reader(None);
        assert!(reader.has_caught_up());
        lobby.set(player(1), None);
        lobby.set(player(1), Some(at(0, None)));
        let head = lobby.head();
        lobby.set(player(1), Some(at(0, None)));
        assert!(!head.has_changed().unwrap());
        assert_eq!(lobby.read(&mut reader, 9).unwrap().len(), 1);
        // An offer by a call that is made again ends later.
        for micros in [1, 2] {
            let presence = PlayerPresence {
                expires: Some(Timestamp::from_micros(micros)),
                ..at(0, None)
            };
            lobby.set(player(1), Some(presence));
            assert_eq!(lobby.read(&mut reader, 9).unwrap().len(), 1);
        }
        assert_eq!(lobby.read(&mut reader, 9), Ok(Vec::new()));
    }

    /// Memory does not grow with those who have left.
    #[test]
    fn who_is_too_far_behind_begins_again() {
        let lobby = Lobby::default();
        let come_and_go = |number| {
            lobby.set(player(number), Some(at(0, None)));
            lobby.set(player(number), None);
        };
        let (mut early, _) = lobby.reader(None);
        come_and_go(0);
        let (mut late, _) = lobby.reader(None);
        for number in 1..=KEPT_DEPARTURES {
            come_and_go(u32::try_from(number).unwrap());
        }
        assert_eq!(lobby.lock().changes.len(), KEPT_DEPARTURES);
        assert_eq!(lobby.read(&mut early, 10), Err(TooFarBehind));
        // It began after the departure that is forgotten.
        assert_eq!(lobby.read(&mut late, 10).unwrap().len(), 10);
    }
}
