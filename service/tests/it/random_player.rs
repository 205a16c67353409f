use std::env;

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, Client, ClientError, Decision, MatchView, PlayEvent, PlayOptions, Reason, Resume,
    WatchUpdate, random_request_id,
};
use dragontooth_service_vocabulary::{MatchId, Sequence};

/// Draws from a seed, of which `TEST_SEED` sets the part of the test run.
#[derive(Clone, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(number: u64) -> Self {
        let run: u64 = env::var("TEST_SEED").map_or(1, |text| text.parse().unwrap());
        println!("draws of TEST_SEED={run}, number {number}");
        Self(run.wrapping_mul(0x9e37_79b9).wrapping_add(number << 32))
    }

    /// Independent draws that follow from these.
    pub(crate) fn split(&mut self) -> Self {
        Self(self.word())
    }

    /// One of the items.
    pub(crate) fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[usize::try_from(self.below(items.len() as u64)).unwrap()]
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// The next 64 bits. (`SplitMix64`.)
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// An answer to a decision. It may be repeated.
    pub(crate) fn answer(&mut self, due: &Decision) -> Answer {
        Answer {
            match_id: due.match_id,
            decision_id: due.id,
            action: self.one_of(&due.legal_actions).clone(),
            request_id: Some(random_request_id()),
            thinking: None,
        }
    }
}

/// Plays `seat` by unary calls alone: watches the match, asks for the decision, answers it.
pub(crate) async fn play_by_calls(client: Client, match_id: MatchId, seat: Seat, mut draws: Draws) {
    let mut watch = client.watch(match_id, Sequence::START, Resume::Never);
    while let Some(update) = watch.next().await {
        if let WatchUpdate::Closing(_) = update.unwrap() {
            return;
        }
        match client.get_decision(match_id).await {
            Ok(due) if due.seat == seat => answer_by_call(&client, &draws.answer(&due)).await,
            Ok(_) => {}
            Err(error) => {
                let reason = error.reason();
                let waits = matches!(reason, Some(Reason::MatchNotStarted | Reason::MatchEnded));
                assert!(waits, "{error}");
            }
        }
    }
    panic!("the watch ended without a reason");
}

/// Answers. A decision that has been answered already is skipped.
async fn answer_by_call(client: &Client, answer: &Answer) {
    let submitted = client.submit_action(answer.clone()).await.unwrap();
    assert_eq!(submitted.action, answer.action);
    assert_eq!(submitted.sequence.0, answer.decision_id.sequence().0 + 1);
}

/// Plays one match to its end on a Play stream: accepts the invitation, answers every decision.
pub(crate) async fn play_on_stream(
    client: Client,
    match_id: MatchId,
    mut draws: Draws,
) -> Result<MatchView, ClientError> {
    let mut session = client.play(PlayOptions::default()).await?;
    let mut unconfirmed: Option<Answer> = None;
    while let Some(event) = session.receiver.next().await {
        match event? {
            PlayEvent::Invitation(invitation) => {
                assert_eq!(invitation.view.id, match_id);
                let name = format!("the {} player", invitation.seat);
                session
                    .sender
                    .accept_invitation(match_id, name, None)
                    .await
                    .unwrap();
            }
            PlayEvent::Opened(opened) => assert_eq!(opened.view.id, match_id),
            PlayEvent::Decision(due) => {
                let answer = draws.answer(&due);
                unconfirmed = Some(answer.clone());
                session.sender.answer(answer).await.unwrap();
            }
            PlayEvent::Accepted(accepted) => {
                let answer = unconfirmed.take().expect("an answer waits");
                assert_eq!(accepted.decision_id, answer.decision_id);
                assert_eq!(accepted.action, answer.action);
                assert_eq!(accepted.sequence.0, answer.decision_id.sequence().0 + 1);
                assert_eq!(
                    Some(accepted.request_id),
                    answer.request_id.map(|id| id.to_string())
                );
            }
            PlayEvent::Closed(closed) => {
                assert_eq!(unconfirmed, None, "the last answer was not confirmed");
                return Ok(closed.view);
            }
            PlayEvent::Heartbeat(_) => {}
            unexpected @ (PlayEvent::Ready { .. }
            | PlayEvent::Refused(_)
            | PlayEvent::Closing(_)) => panic!("{unexpected:?}"),
        }
    }
    panic!("the stream ended before the match");
}
