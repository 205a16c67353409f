//! The sessions at the other services, as far as they are known.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use dragontooth_service_store::PlayerSession;
use dragontooth_service_vocabulary::{PlayerId, Timestamp};

/// A service that has not renewed itself for so long is gone.
pub(crate) const GONE: Duration = Duration::from_secs(6);

/// A service, or a player without a stream, that was not seen for so long is forgotten.
pub(crate) const FORGOTTEN: Duration = Duration::from_mins(1);

/// The other services on the database, by their names.
#[derive(Debug, Default)]
pub(crate) struct Others(HashMap<String, Other>);

#[derive(Debug, Default)]
struct Other {
    since: Timestamp,
    renewed: Timestamp,
    is_gone: bool,
    /// The version of the newest session that is known of it.
    version: i64,
    sessions: HashMap<PlayerId, PlayerSession>,
}

/// The changes of one exchange.
#[derive(Debug)]
pub(crate) struct Update<'a> {
    others: &'a mut Others,
    now: Timestamp,
    changed: BTreeSet<PlayerId>,
}

impl Others {
    /// The versions up to which the services' sessions are known.
    pub(crate) fn versions(&self) -> (Vec<&str>, Vec<i64>) {
        let versions = self.0.iter();
        versions
            .map(|(name, other)| (&**name, other.version))
            .unzip()
    }

    /// Returns true if there is a service that is not gone.
    pub(crate) fn has_any(&self) -> bool {
        self.0.values().any(|other| !other.is_gone)
    }

    /// Begins to take in what was read at `now`.
    pub(crate) fn update(&mut self, now: Timestamp) -> Update<'_> {
        Update {
            others: self,
            now,
            changed: BTreeSet::new(),
        }
    }

    /// The session of a player, put together from all services.
    fn session(&self, player: PlayerId) -> PlayerSession {
        let mut whole = PlayerSession {
            player,
            opened: None,
            seen: Timestamp::default(),
            offer: None,
        };
        for other in self.0.values() {
            let Some(session) = other.sessions.get(&player) else {
                continue;
            };
            whole.seen = whole.seen.max(session.seen);
            if !other.is_gone {
                if session.opened > whole.opened {
                    whole.opened = session.opened;
                    whole.offer.clone_from(&session.offer);
                }
            } else if session.opened.is_some() {
                // Its players have noticed that before anyone, and were given the time to go to another service.
                whole.seen = whole.seen.max(other.renewed.after(GONE));
            }
        }
        whole
    }
}

impl Update<'_> {
    /// A service has posted all of its streams from one time on, and has renewed itself at another one.
    pub(crate) fn renewed(&mut self, name: &str, since: Timestamp, renewed: Timestamp) {
        let other = self.others.0.entry(name.to_owned()).or_default();
        other.renewed = renewed;
        if other.since != since {
            other.since = since;
            for session in other.sessions.values_mut() {
                session.seen = session.seen.max(self.now);
                session.opened = None;
                session.offer = None;
                self.changed.insert(session.player);
            }
        }
    }

    /// A service has posted a session.
    pub(crate) fn posted(&mut self, name: &str, version: i64, session: PlayerSession) {
        let other = self.others.0.entry(name.to_owned()).or_default();
        other.version = other.version.max(version);
        self.changed.insert(session.player);
        other.sessions.insert(session.player, session);
    }

    /// Returns the sessions that have changed.
    pub(crate) fn end(mut self) -> Vec<PlayerSession> {
        for other in self.others.0.values_mut() {
            let is_gone = self.now.since(other.renewed) >= GONE;
            if is_gone != other.is_gone {
                other.is_gone = is_gone;
                let streams = other.sessions.values();
                let streams = streams.filter(|session| session.opened.is_some());
                self.changed.extend(streams.map(|session| session.player));
            }
        }
        let changed = self.changed.iter();
        let changed = changed.map(|player| self.others.session(*player)).collect();
        let is_old = |time| self.now.since(time) >= FORGOTTEN;
        self.others.0.retain(|_, other| !is_old(other.renewed));
        for other in self.others.0.values_mut() {
            let is_needed =
                |session: &PlayerSession| session.opened.is_some() || !is_old(session.seen);
            other.sessions.retain(|_, session| is_needed(session));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYER: PlayerId = PlayerId::from_bytes([1; 16]);

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn session(opened: Option<u64>, seen: u64) -> PlayerSession {
        PlayerSession {
            player: PLAYER,
            opened: opened.map(at),
            seen: at(seen),
            offer: opened.map(|opened| opened.to_string().as_bytes().into()),
        }
    }

    #[test]
    fn the_newest_stream_of_all_services_counts() {
        let mut others = Others::default();
        let mut update = others.update(at(10));
        for (name, version, opened) in [("a", 3, 7), ("b", 9, 8), ("c", 1, 6)] {
            update.renewed(name, at(1), at(10));
            update.posted(name, version, session(Some(opened), opened));
        }
        assert_eq!(update.end(), [session(Some(8), 8)]);
        let (names, versions) = others.versions();
        let mut known: Vec<_> = names.into_iter().zip(versions).collect();
        known.sort_unstable();
        assert_eq!(known, [("a", 3), ("b", 9), ("c", 1)]);
        let mut update = others.update(at(11));
        update.posted("b", 10, session(None, 11));
        assert_eq!(update.end(), [session(Some(7), 11)]);
    }

    #[test]
    fn a_service_that_does_not_renew_itself_is_gone_until_it_does() {
        let mut others = Others::default();
        let mut update = others.update(at(10));
        update.renewed("a", at(1), at(10));
        update.posted("a", 1, session(Some(5), 5));
        update.end();
        assert_eq!(others.update(at(15)).end(), []);
        assert!(others.has_any());
        assert_eq!(others.update(at(16)).end(), [session(None, 16)]);
        assert!(!others.has_any());
        assert_eq!(others.update(at(17)).end(), []);
        let mut update = others.update(at(20));
        update.renewed("a", at(1), at(20));
        assert_eq!(update.end(), [session(Some(5), 5)]);
        assert!(others.has_any());
        assert_eq!(others.update(at(80)).end(), [session(None, 26)]);
        assert!(others.0.is_empty());
    }

    #[test]
    fn the_streams_of_a_service_that_begins_again_have_ended() {
        let mut others = Others::default();
        let mut update = others.update(at(10));
        update.renewed("a", at(1), at(10));
        update.posted("a", 1, session(Some(5), 5));
        update.end();
        let mut update = others.update(at(12));
        update.renewed("a", at(11), at(12));
        assert_eq!(update.end(), [session(None, 12)]);
        let mut update = others.update(at(13));
        update.renewed("a", at(11), at(13));
        update.posted("a", 2, session(Some(5), 5));
        assert_eq!(update.end(), [session(Some(5), 5)]);
    }

    #[test]
    fn players_without_a_stream_are_forgotten() {
        let mut others = Others::default();
        let mut update = others.update(at(10));
        update.renewed("a", at(1), at(10));
        update.posted("a", 1, session(None, 10));
        assert_eq!(update.end(), [session(None, 10)]);
        let mut update = others.update(at(70));
        update.renewed("a", at(1), at(70));
        assert_eq!(update.end(), []);
        assert!(others.0["a"].sessions.is_empty());
    }
}
