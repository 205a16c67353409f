use std::mem;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_client::{
    Answer, Client, ClientError, Code, PlayEvent, PlayOptions, Reason,
};
use dragontooth_service_vocabulary::{MatchId, NewMatch, Sequence, Stage, TimeControl};
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::ledger::{Acknowledged, Ledger};
use crate::random_player::Draws;
use crate::raw::endpoint;
use crate::served::lazy_client;

/// Two players who play one match after another, of every game in turn.
#[derive(Debug)]
pub(super) struct Table {
    number: u64,
    way: Way,
    ways_in: [Vec<SocketAddr>; 2],
    seats: [Client; 2],
    limit: Option<Duration>,
    draws: Draws,
    /// Number of matches with both seats taken.
    begun: usize,
    current: Option<MatchId>,
    played: Vec<MatchId>,
    unanswered: Vec<(Seat, Answer)>,
}

/// The way the players answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Calls,
    Streams,
}

/// The connection to the service has broken, or it is stopping.
struct Broken;

type Tell = UnboundedSender<Acknowledged>;

impl Table {
    /// Players who know these addresses of the service, by [`Seat::index`].
    pub(super) fn new(ways_in: [&[SocketAddr]; 2], number: u64, way: Way, draws: Draws) -> Self {
        let seats =
            Seat::BOTH.map(|seat| lazy_client(ways_in[seat.index()], &format!("{seat}-{number}")));
        Self {
            number,
            way,
            ways_in: ways_in.map(<[_]>::to_vec),
            seats,
            limit: None,
            draws,
            begun: 0,
            current: None,
            played: Vec::new(),
            unanswered: Vec::new(),
        }
    }

    /// The same with this limit of time for an action.
    pub(super) const fn with_limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }

    /// Plays until the connection breaks.
    pub(super) async fn play(mut self, tell: Tell) -> Self {
        while self.play_one(&tell).await.is_ok() {}
        self
    }

    /// Plays matches until it is told to stop, and goes on whenever a connection breaks.
    pub(super) async fn play_on(mut self, tell: Tell, ledger: &Mutex<Ledger>, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) || self.current.is_some() {
            if self.play_one(&tell).await.is_err() {
                await_log(&self.ways_in).await;
                let granted = self.ask_again().await;
                ledger.lock().await.acknowledge_again(granted);
            }
        }
    }

    /// Plays the current match to its end.
    pub(super) async fn finish(mut self, tell: &Tell) {
        assert!(self.play_one(tell).await.is_ok(), "the kills are over");
    }

    /// Repeats the requests that the kill may have hit before or after they were recorded, as often as the log is away.
    /// There are two if one player answered the result of the other's answer before that was reported.
    pub(super) async fn ask_again(&mut self) -> Vec<Acknowledged> {
        self.unanswered
            .sort_by_key(|(_, answer)| answer.decision_id);
        let mut granted = Vec::new();
        for (seat, answer) in mem::take(&mut self.unanswered) {
            let client = &self.seats[seat.index()];
            let submitted = loop {
                match client.submit_action(answer.clone()).await {
                    Err(failure) if failure.reason() == Some(&Reason::LogUnavailable) => {
                        await_log(&self.ways_in).await;
                    }
                    // A call that is long under way may find both of two services killed, one after the other.
                    Err(ClientError::Unreachable { .. })
                        if self.ways_in[seat.index()].len() > 1 =>
                    {
                        await_log(&self.ways_in).await;
                    }
                    answered => break answered.unwrap(),
                }
            };
            assert_eq!(submitted.action, answer.action);
            granted.push(acknowledged(
                answer.match_id,
                submitted.sequence,
                answer.action,
            ));
        }
        granted
    }

    /// The matches in which something has happened since the last call.
    pub(super) fn take_played(&mut self) -> Vec<MatchId> {
        mem::take(&mut self.played)
    }

    async fn play_one(&mut self, tell: &Tell) -> Result<(), Broken> {
        let id = match self.current {
            Some(id) => id,
            None => self.seat().await?,
        };
        self.current = Some(id);
        self.played.push(id);
        match self.way {
            Way::Calls => self.play_by_calls(id, tell).await?,
            Way::Streams => self.play_on_streams(id, tell).await?,
        }
        self.current = None;
        self.begun += 1;
        Ok(())
    }

    /// A match with both players. Repeated after a kill, these are the same requests.
    async fn seat(&self) -> Result<MatchId, Broken> {
        let game = &catalogue::GAMES[self.begun % catalogue::GAMES.len()];
        let mut new = NewMatch::new(game.name, game.variants()[0].targets.usual[0]);
        new.time_controls = [self.limit.map(|limit| TimeControl::PerAction { limit }); 2];
        let request = format!("table-{}-match-{}", self.number, self.begun);
        new.request_id = Some(request.parse().unwrap());
        let [first, _] = &self.seats;
        let id = first.create_match(new).await.map_err(broken)?.id;
        for seat in Seat::BOTH {
            let client = &self.seats[seat.index()];
            let joined = client.join_match(id, Some(seat), "", None).await;
            assert_eq!(joined.map_err(broken)?.seat, seat);
        }
        Ok(id)
    }

    async fn play_by_calls(&mut self, id: MatchId, tell: &Tell) -> Result<(), Broken> {
        loop {
            let due = match self.seats[0].get_decision(id).await {
                Ok(due) => due,
                Err(failure) if failure.reason() == Some(&Reason::MatchEnded) => return Ok(()),
                Err(failure) => return Err(broken(failure)),
            };
            let answer = self.draws.answer(&due);
            self.unanswered.push((due.seat, answer.clone()));
            let submitted = self.seats[due.seat.index()].submit_action(answer).await;
            let submitted = submitted.map_err(broken)?;
            self.unanswered.clear();
            let told = acknowledged(id, submitted.sequence, submitted.action);
            tell.send(told).unwrap();
        }
    }

    async fn play_on_streams(&mut self, id: MatchId, tell: &Tell) -> Result<(), Broken> {
        let view = self.seats[0].get_match(id).await.map_err(broken)?;
        if view.state == Stage::Ended {
            return Ok(());
        }
        let [of_first, of_second] = [self.draws.split(), self.draws.split()];
        let [first, second] = &self.seats;
        let [mut asked_first, mut asked_second] = [None, None];
        // When a stream breaks, its player would not answer the other one's.
        let played = futures::try_join!(
            play_on_stream(first, &self.ways_in, id, of_first, tell, &mut asked_first),
            play_on_stream(
                second,
                &self.ways_in,
                id,
                of_second,
                tell,
                &mut asked_second
            ),
        );
        let asked_first = asked_first.map(|answer| (Seat::First, answer));
        let asked_second = asked_second.map(|answer| (Seat::Second, answer));
        self.unanswered
            .extend(asked_first.into_iter().chain(asked_second));
        played.map(drop)
    }
}

/// Plays one seat of a match on a stream, to the end of the match. The answer that is pending stands in `under_way`.
async fn play_on_stream(
    client: &Client,
    ways_in: &[Vec<SocketAddr>; 2],
    id: MatchId,
    mut draws: Draws,
    tell: &Tell,
    under_way: &mut Option<Answer>,
) -> Result<(), Broken> {
    let session = client.play(PlayOptions::default()).await;
    let mut session = session.map_err(broken)?;
    loop {
        match session.receiver.next().await {
            Some(Ok(PlayEvent::Decision(due))) => {
                assert_eq!(due.match_id, id);
                let answer = draws.answer(&due);
                *under_way = Some(answer.clone());
                // The reader notices a broken stream.
                let _ = session.sender.answer(answer).await;
            }
            Some(Ok(PlayEvent::Accepted(accepted))) => {
                let answer = under_way.take().expect("an answer is under way");
                assert_eq!(accepted.decision_id, answer.decision_id);
                let told = acknowledged(id, accepted.sequence, accepted.action);
                tell.send(told).unwrap();
            }
            Some(Ok(PlayEvent::Closed(closed))) if closed.view.id == id => return Ok(()),
            // The stream stays open, and the other player's too.
            Some(Ok(PlayEvent::Refused(refused)))
                if refused.error.reason() == Some(&Reason::LogUnavailable) =>
            {
                await_log(ways_in).await;
                let again = under_way.clone().expect("an answer is under way");
                let _ = session.sender.answer(again).await;
            }
            Some(Ok(PlayEvent::Refused(refused))) => return Err(broken(refused.error)),
            // Another match that closes was told to be over at a service that has died, and this one has just heard of it.
            Some(Ok(PlayEvent::Opened(_) | PlayEvent::Closed(_) | PlayEvent::Heartbeat(_))) => {}
            Some(Ok(PlayEvent::Closing(_)) | Err(_)) | None => return Err(Broken),
            Some(Ok(unexpected)) => panic!("{unexpected:?}"),
        }
    }
}

/// Waits until every service to which a player goes first has its log; one that cannot be reached is passed over.
async fn await_log(ways_in: &[Vec<SocketAddr>; 2]) {
    for ways_in in ways_in {
        let Ok(channel) = endpoint(ways_in[0]).connect().await else {
            continue;
        };
        let whole = HealthCheckRequest::default();
        let Ok(watch) = HealthClient::new(channel).watch(whole).await else {
            continue;
        };
        let mut watch = watch.into_inner();
        while let Ok(Some(health)) = watch.message().await
            && health.status() != ServingStatus::Serving
        {}
    }
}

fn acknowledged(match_id: MatchId, sequence: Sequence, action: String) -> Acknowledged {
    Acknowledged {
        match_id,
        sequence: sequence.0,
        action,
        at: Instant::now(),
    }
}

/// Asserts that a call failed only because the service or its log has gone.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn broken(failure: ClientError) -> Broken {
    let is_broken = matches!(
        failure,
        ClientError::Unreachable { .. }
            | ClientError::Failed {
                code: Code::Unavailable | Code::Cancelled,
                ..
            }
    );
    assert!(
        is_broken
            || matches!(
                failure.reason(),
                Some(Reason::Draining | Reason::LogUnavailable)
            ),
        "{failure}"
    );
    Broken
}
