use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Rejection};
use dragontooth_service_vocabulary::{MatchId, PlayerId, RequestId, Sequence};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::Services;
use super::draws::Draws;
use crate::limits::CallerKey;
use crate::matches::{Accepted, PlayerStream, Refusal};

/// The time for an action.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// The times for which a player may be away, in matches that limit it: less than the time for an action, and a little more, so that it
/// ends when the clock is up and perhaps no service has said so yet.
pub(super) const GRACES: [Duration; 2] = [Duration::from_secs(20), Duration::from_secs(33)];

/// The time after which a player asks another service.
const PATIENCE: Duration = Duration::from_secs(3);

/// The answers that players were given.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The action at each sequence, and its request.
    pub(super) accepted: BTreeMap<Sequence, (String, RequestId)>,
    /// Requests that were refused by the rules.
    pub(super) refused: HashSet<RequestId>,
    /// Requests that were sent more than once.
    pub(super) repeated: usize,
}

/// A player of the match, who goes from service to service.
#[derive(Clone)]
pub(super) struct SimulatedPlayer {
    pub(super) id: PlayerId,
    pub(super) seat: Seat,
    pub(super) match_id: MatchId,
    pub(super) services: Services,
    pub(super) draws: Draws,
    pub(super) told: Arc<Mutex<Told>>,
}

impl SimulatedPlayer {
    /// Plays until the match is over.
    pub(super) async fn play(self) {
        let mut home = self.draws.below(3);
        let mut stream = self.open_stream(home);
        loop {
            let matches = self.services.matches(home);
            let finding = matches.find(self.match_id, CallerKey::Player(self.id));
            let found = timeout(PATIENCE, finding).await;
            let Ok(Ok(found)) = found else {
                home = self.draws.below(3);
                stream = self.open_stream(home);
                sleep(self.draws.millis(200)).await;
                continue;
            };
            let due = match found.decision(self.match_id) {
                Err(Rejection::Ended) => break,
                Ok(due) if due.seat == self.seat => due,
                Ok(_) | Err(_) => {
                    sleep(self.draws.millis(300)).await;
                    continue;
                }
            };
            let legal: Vec<_> = due.legal_actions.iter().map(str::to_owned).collect();
            let thought = match self.draws.below(100) {
                0 => LIMIT * 2,
                1..40 => Duration::ZERO,
                _ => self.draws.millis(1500),
            };
            sleep(thought).await;
            let answer = |name: &str| {
                let action = if self.draws.one_in(20) {
                    "nonsense".to_owned()
                } else {
                    self.draws.one_of(&legal).clone()
                };
                let request = format!("{}-{}-{name}", self.seat, due.decision.0);
                let again = self.draws.below(1 << 40);
                let request_id = format!("{request}-{again}").parse().unwrap();
                (due.decision, action, request_id)
            };
            if self.draws.one_in(6) {
                let elsewhere = self.draws.below(3);
                let (one, other) = (answer("one"), answer("other"));
                tokio::join!(self.act(home, one), self.act(elsewhere, other));
            } else {
                self.act(home, answer("only")).await;
            }
        }
        drop(stream);
    }

    /// A stream, unless the player goes on by calls alone.
    fn open_stream(&self, home: u64) -> Option<PlayerStream> {
        if self.draws.one_in(3) {
            return None;
        }
        let opened = self
            .services
            .matches(home)
            .open_stream(self.id, false, None);
        opened.ok().map(|(_, stream)| stream)
    }

    /// Sends an answer until the rules have answered it, at one service or another.
    async fn act(&self, first: u64, (decision, action, request_id): (Sequence, String, RequestId)) {
        let mut at = first;
        loop {
            let command = Command::Act {
                player: self.id,
                decision,
                action: action.clone(),
                thinking: None,
                request_id: Some(request_id.clone()),
            };
            let matches = self.services.matches(at);
            // Impatient players ask elsewhere while the first service still works on it.
            let patience = PATIENCE / (1 + u32::from(self.draws.one_in(4)) * 300);
            let answer = timeout(patience, matches.ask(self.match_id, command)).await;
            if self.note(answer, &request_id) {
                return;
            }
            at = self.draws.below(3);
            sleep(self.draws.millis(300)).await;
        }
    }

    /// Notes an answer. Returns true if it is one by the rules.
    fn note(
        &self,
        answer: Result<Result<Accepted, Refusal>, Elapsed>,
        request_id: &RequestId,
    ) -> bool {
        let mut told = self.told.lock().unwrap();
        match answer {
            Ok(Ok(Accepted::Acted {
                sequence, action, ..
            })) => {
                let accepted = (action, request_id.clone());
                let before = told.accepted.insert(sequence, accepted.clone());
                assert!(before.is_none_or(|before| before == accepted));
                true
            }
            Ok(Ok(Accepted::Done)) => panic!("an action is played or refused"),
            Ok(Err(Refusal::Rejected(_))) => {
                told.refused.insert(request_id.clone());
                true
            }
            Ok(Err(_)) | Err(_) => {
                told.repeated += 1;
                false
            }
        }
    }
}
