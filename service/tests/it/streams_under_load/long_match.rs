use std::path::Path;
use std::sync::Arc;

use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{Command, Decided, MatchState, create, decide};
use dragontooth_service_store::{MatchLog, SledLog};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, NewMatch, PlayerId, PlayerName, Recorded, SeedText, Sequence, Timestamp,
    Title,
};

use crate::random_player::Draws;

/// Number of events appended at once.
const APPENDED_AT_ONCE: usize = 200;

/// An unfinished match of backgammon to 99 points, played without a service.
pub(super) struct LongMatch {
    pub(super) id: MatchId,
    pub(super) events: Vec<MatchEvent>,
    state: MatchState,
}

impl LongMatch {
    /// A match between two players with at least `count` events.
    pub(super) fn play(players: [PlayerId; 2], count: usize, draws: &mut Draws) -> Self {
        let id = MatchId::from_bytes([9; 16]);
        let new = NewMatch {
            seed: Some(SeedText::new("far behind").unwrap().into()),
            title: Title::new("a long match").unwrap(),
            ..NewMatch::new("backgammon", 99)
        };
        let no_seed = Seed::from_bytes([0; Seed::BYTES]);
        let created = create(&new, players[0], id, &no_seed).unwrap();
        let first = Recorded {
            sequence: Sequence(1),
            time: time(1),
            event: created.clone(),
        };
        let mut long = Self {
            id,
            events: vec![created],
            state: MatchState::new(&first).unwrap(),
        };
        for player in players {
            long.obey(&Command::Join {
                player,
                seat: None,
                name: PlayerName::new("").unwrap().into(),
                seed: None,
                request_id: None,
            });
        }
        while long.events.len() < count {
            let due = long
                .state
                .due()
                .unwrap_or_else(|| panic!("{} events", long.events.len()));
            // Without the doubling cube it takes more games, and games with many hits are long.
            let mut actions = long.state.play().legal_actions();
            actions.retain(|action| action != "double");
            let hits = |action: &String| action.matches('*').count();
            let most = actions.iter().map(hits).max();
            actions.retain(|action| Some(hits(action)) == most);
            long.obey(&Command::Act {
                player: players[due.seat.index()],
                decision: due.decision,
                action: draws.one_of(&actions).clone(),
                thinking: None,
                request_id: None,
            });
        }
        long
    }

    fn obey(&mut self, command: &Command) {
        let decided = decide(&self.state, command, time(self.events.len())).unwrap();
        let Decided::Events(events) = decided else {
            panic!("{command:?} was asked before");
        };
        for event in events {
            self.events.push(event.clone());
            self.state.evolve(&Recorded {
                sequence: Sequence(self.events.len() as u64),
                time: time(self.events.len()),
                event,
            });
        }
    }

    /// Writes the match into a new log.
    pub(super) async fn write_to(&self, folder: &Path) {
        let log = MatchLog::new(Arc::new(SledLog::open(folder).unwrap()));
        let mut head = MatchLog::start(self.id);
        for events in self.events.chunks(APPENDED_AT_ONCE) {
            let appended = log.append(self.id, head, time(1), events);
            head = appended.await.unwrap();
        }
        log.close().await;
    }
}

fn time(events: usize) -> Timestamp {
    Timestamp::from_micros(1_000_000 + events as u64)
}
