use std::net::SocketAddr;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::MatchId;
use tonic::Status;
use v1::match_event::Event;

use crate::random_player::Draws;
use crate::raw::Raw;
use crate::served::Served;

/// Two players in a match, and its creator, who has no seat.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) creator: Raw,
    pub(crate) first: Raw,
    pub(crate) second: Raw,
    pub(crate) match_id: String,
}

impl Pair {
    /// A match to one point without clocks.
    pub(crate) async fn seat(served: &Served) -> Self {
        Self::seat_on(served.address(), to_points(1)).await
    }

    /// A match of the service at `address`.
    pub(crate) async fn seat_on(address: SocketAddr, new: v1::CreateMatchRequest) -> Self {
        let mut pair = Self::connect(address).await;
        pair.match_id = pair.creator.create(new).await.unwrap().id;
        pair.first
            .join(&pair.match_id, v1::Seat::First)
            .await
            .unwrap();
        pair.second
            .join(&pair.match_id, v1::Seat::Second)
            .await
            .unwrap();
        pair
    }

    /// The same players without a match.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self {
            creator: Raw::connect(address, "creator").await,
            first: Raw::connect(address, "first").await,
            second: Raw::connect(address, "second").await,
            match_id: String::new(),
        }
    }

    /// The same players in the same match, on the service that has resumed it.
    pub(crate) async fn go_on(self, served: &Served) -> Self {
        Self {
            match_id: self.match_id,
            ..Self::connect(served.address()).await
        }
    }

    pub(crate) async fn view(&self) -> v1::Match {
        self.creator.get(&self.match_id).await.unwrap()
    }

    pub(crate) async fn decision(&self) -> v1::Decision {
        self.creator.decision(&self.match_id).await.unwrap()
    }

    pub(crate) async fn events(&self) -> Vec<v1::MatchEvent> {
        self.creator.export(&self.match_id).await.unwrap().events
    }

    /// The match, for the typed client.
    pub(crate) fn id(&self) -> MatchId {
        self.match_id.parse().unwrap()
    }

    /// The number of events in the match.
    pub(crate) async fn count(&self, fits: impl Fn(&Event) -> bool) -> usize {
        let events = self.events().await;
        events
            .iter()
            .filter_map(|event| event.event.as_ref())
            .filter(|event| fits(event))
            .count()
    }

    /// The player in a seat.
    pub(crate) fn player(&self, seat: v1::Seat) -> &Raw {
        match seat {
            v1::Seat::First => &self.first,
            v1::Seat::Second => &self.second,
            v1::Seat::Unspecified => panic!("no seat decides"),
        }
    }

    /// An answer to the decision that is due: its first legal action.
    pub(crate) async fn answer(&self, request_id: &str) -> v1::SubmitActionRequest {
        let due = self.decision().await;
        v1::SubmitActionRequest {
            match_id: self.match_id.clone(),
            decision_id: due.decision_id,
            action: due.legal_actions[0].clone(),
            request_id: request_id.to_owned(),
            thinking: None,
        }
    }

    /// Plays a random action for the seat that decides.
    pub(crate) async fn play_one_of(
        &self,
        draws: &mut Draws,
    ) -> Result<v1::SubmitActionResponse, Status> {
        let due = self.creator.decision(&self.match_id).await?;
        let answer = v1::SubmitActionRequest {
            match_id: self.match_id.clone(),
            decision_id: due.decision_id,
            action: draws.one_of(&due.legal_actions).clone(),
            request_id: String::new(),
            thinking: None,
        };
        self.player(due.seat()).submit(answer).await
    }

    /// Plays random actions for both seats until the match is over.
    pub(crate) async fn play_to_the_end(&self, draws: &mut Draws) {
        // A call to learn whether the match is over would make a third of the calls.
        while let Ok(due) = self.creator.decision(&self.match_id).await {
            let answer = v1::SubmitActionRequest {
                match_id: self.match_id.clone(),
                decision_id: due.decision_id,
                action: draws.one_of(&due.legal_actions).clone(),
                request_id: String::new(),
                thinking: None,
            };
            self.player(due.seat()).submit(answer).await.unwrap();
        }
        assert_eq!(self.view().await.state(), v1::MatchState::Ended);
    }

    /// Plays the first legal action for the seat that decides.
    pub(crate) async fn play(&self) -> Result<v1::SubmitActionResponse, Status> {
        let due = self.decision().await;
        self.player(due.seat()).submit(self.answer("").await).await
    }
}

/// A match of Kamisado without clocks.
pub(crate) fn to_points(target: u32) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        game: "kamisado".to_owned(),
        target,
        ..v1::CreateMatchRequest::default()
    }
}
