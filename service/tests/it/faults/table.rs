use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, Client, Closing, Decision, MatchResignation, PlayEvent, PlayOptions, PlaySession,
    Resume, WatchUpdate,
};
use dragontooth_service_vocabulary::{CloseReason, MatchId, NewMatch, RequestId, Sequence, Stage};

use super::player::{Lines, Player, is_passing};
use super::tally::Counted;

/// Longer than any network fault.
const PATIENCE: Duration = Duration::from_mins(1);

/// A match of two players whose choices all follow from the position and the decision.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) number: u32,
    pub(super) new: NewMatch,
    pub(super) way: Way,
    pub(super) end: End,
    pub(super) lines: Lines,
}

/// The way the players answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By unary calls.
    Calls,
    /// On streams, and also by calls where everything is sent more than once.
    Streams,
}

/// The way the match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By the rules.
    Played,
    /// By the seat that decides after this many actions.
    Resigned { after_actions: u32 },
}

impl Table {
    /// Plays the match to its end, with a watcher that sees every event once.
    pub(super) async fn play(&self) -> MatchId {
        let organiser = self.lines.player("organiser");
        let players = Seat::BOTH.map(|seat| self.lines.player(&format!("{seat}-{}", self.number)));
        let mut new = self.new.clone();
        new.title = format!("table {}", self.number).parse().unwrap();
        new.seed = Some(format!("seed {}", self.number).parse().unwrap());
        new.request_id = Some(request(&format!("table-{}", self.number)));
        if self.way == Way::Streams {
            for seat in Seat::BOTH {
                let player = &players[seat.index()];
                let id = player
                    .ask(|line| async move { line.who_am_i().await })
                    .await;
                new.reserved[seat.index()] = Some(id);
            }
        }
        let create = |line: Client| {
            let new = new.clone();
            async move {
                let view = line.create_match(new).await?;
                Ok(view.id)
            }
        };
        let id = organiser.change(create).await;
        let watched = tokio::spawn(watch(organiser, id));
        match self.way {
            Way::Calls => self.play_by_calls(&players, id).await,
            Way::Streams => {
                let [first, second] = &players;
                self.accept(first, id).await;
                self.accept(second, id).await;
                tokio::join!(
                    self.play_on_streams(first, id),
                    self.play_on_streams(second, id)
                );
            }
        }
        watched.await.unwrap();
        id
    }

    async fn play_by_calls(&self, players: &[Player; 2], id: MatchId) {
        for seat in Seat::BOTH {
            let join = |line: Client| async move {
                let name = format!("player {seat}");
                let joined = line.join_match(id, Some(seat), name, None).await?;
                Ok(joined.seat)
            };
            assert_eq!(players[seat.index()].change(join).await, seat);
        }
        loop {
            let view = players[0]
                .ask(|line| async move { line.get_match(id).await })
                .await;
            if view.state == Stage::Ended {
                return;
            }
            let due = players[0]
                .ask(|line| async move { line.get_decision(id).await })
                .await;
            let player = &players[due.seat.index()];
            if self.is_to_resign(&due) {
                self.resign(player, id).await;
            } else {
                submit(player, &answer(&due)).await;
            }
        }
    }

    /// Takes the seat kept for a player. The two players do so one after the other, so that
    /// the order of the events is the same in every run.
    async fn accept(&self, player: &Player, id: MatchId) {
        loop {
            let mut session = open(player).await;
            let view = player
                .ask(|line| async move { line.get_match(id).await })
                .await;
            let own = view.seat_of(session.player).unwrap();
            if view.seat(own).joined {
                return;
            }
            player.tally().count(Counted::Change);
            // Another event reports that the seat has been taken in the meantime.
            if let Some(Ok(PlayEvent::Invitation(_))) = session.receiver.next().await {
                for _ in 0..player.copies() {
                    let name = format!("player {own}");
                    // The reader notices a broken stream.
                    let _ = session.sender.accept_invitation(id, name, None).await;
                }
                let _ = session.receiver.next().await;
            }
        }
    }

    /// Plays on a stream until the match is over, and on a new one when it breaks.
    async fn play_on_streams(&self, player: &Player, id: MatchId) {
        loop {
            let mut session = open(player).await;
            let view = player
                .ask(|line| async move { line.get_match(id).await })
                .await;
            if view.state == Stage::Ended || self.play_on_stream(player, &mut session).await {
                return;
            }
            player.tally().count(Counted::Repeat);
        }
    }

    /// Returns true if the match is over, false if the stream has broken.
    async fn play_on_stream(&self, player: &Player, session: &mut PlaySession) -> bool {
        while let Some(event) = session.receiver.next().await {
            match event {
                Ok(PlayEvent::Decision(due)) if self.is_to_resign(&due) => {
                    self.resign(player, due.match_id).await;
                }
                Ok(PlayEvent::Decision(due)) => {
                    let answer = answer(&due);
                    for _ in 0..player.copies() {
                        // The reader notices a broken stream.
                        let _ = session.sender.answer(answer.clone()).await;
                    }
                    if player.copies() > 1 {
                        submit(player, &answer).await;
                    }
                }
                Ok(PlayEvent::Accepted(accepted)) => {
                    let decided = accepted.decision_id.sequence().0;
                    assert_eq!(accepted.sequence.0, decided + 1);
                }
                Ok(PlayEvent::Closed(_)) => return true,
                Ok(PlayEvent::Opened(_) | PlayEvent::Heartbeat(_)) => {}
                Ok(PlayEvent::Closing(Closing::Reason(CloseReason::Superseded))) | Err(_) => {
                    return false;
                }
                Ok(unexpected) => panic!("{unexpected:?}"),
            }
        }
        false
    }

    fn is_to_resign(&self, due: &Decision) -> bool {
        match self.end {
            End::Played => false,
            End::Resigned { after_actions } => due.ply >= after_actions,
        }
    }

    async fn resign(&self, player: &Player, id: MatchId) {
        let resign = |line: Client| async move {
            let view = line
                .resign_match(MatchResignation {
                    request_id: Some(request("resign")),
                    ..MatchResignation::by_choice(id)
                })
                .await?;
            Ok(view.outcome)
        };
        assert!(player.change(resign).await.is_some());
    }
}

async fn open(player: &Player) -> PlaySession {
    player
        .ask(|line| async move { line.play(PlayOptions::default()).await })
        .await
}

async fn submit(player: &Player, answer: &Answer) {
    let submit = |line: Client| {
        let answer = answer.clone();
        async move {
            let submitted = line.submit_action(answer).await?;
            Ok((submitted.sequence, submitted.action))
        }
    };
    let (sequence, action) = player.change(submit).await;
    assert_eq!(sequence.0, answer.decision_id.sequence().0 + 1);
    assert_eq!(action, answer.action);
}

/// The answer that follows from the decision: the same in every run, and in every repetition.
fn answer(due: &Decision) -> Answer {
    let id = due.id.sequence().0;
    let mut mixed = id;
    for byte in due.position.bytes() {
        // FNV-1a.
        mixed = (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let place = (mixed >> 20) % due.legal_actions.len() as u64;
    Answer {
        match_id: due.match_id,
        decision_id: due.id,
        action: due.legal_actions[usize::try_from(place).unwrap()].clone(),
        request_id: Some(request(&format!("decision-{id}"))),
        thinking: None,
    }
}

fn request(text: &str) -> RequestId {
    text.parse().unwrap()
}

/// Checks that every event is seen once and in order, to the end of the match.
async fn watch(player: Player, id: MatchId) {
    let mut watch = player
        .line()
        .watch(id, Sequence::START, Resume::For(PATIENCE));
    let mut seen = 0;
    while let Some(update) = watch.next().await {
        match update {
            Ok(WatchUpdate::Events(events)) => {
                for event in events {
                    seen += 1;
                    assert_eq!(event.recorded.sequence.0, seen);
                }
            }
            Ok(WatchUpdate::Closing(reason)) => {
                assert_eq!(reason, Closing::Reason(CloseReason::MatchEnded));
            }
            Ok(WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. }) => {}
            Err(failure) => panic!("{failure} ({})", is_passing(&failure)),
        }
    }
    let view = player
        .ask(|line| async move { line.get_match(id).await })
        .await;
    assert_eq!(view.head_sequence.0, seen);
}
