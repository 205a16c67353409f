use std::collections::BTreeMap;
use std::mem::take;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::PlayerId;
use v1::watch_players_response::change::Change;
use v1::watch_players_response::{Batch, Response};

use crate::from_proto::{self, Field};
use crate::resuming_stream::{Resume, ResumingStream, opening};
use crate::{Client, ClientError, FieldFault, InvalidResponse, PlayerView};

/// Most players that a watch keeps.
pub const MAX_WATCHED_PLAYERS: usize = 100_000;

/// Follows the players that are present.
#[derive(Debug)]
pub struct PlayersWatch {
    client: Client,
    game: String,
    stream: ResumingStream<v1::WatchPlayersResponse>,
    present: BTreeMap<PlayerId, PlayerView>,
    /// The players of a stream that has not sent all of them yet.
    beginning: Option<BTreeMap<PlayerId, PlayerView>>,
    has_begun: bool,
}

/// An update of a watch of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayersUpdate {
    /// [`PlayersWatch::present`] has changed. The first one comes when all players are known.
    Changed,
    /// The service has nothing to say, but is there.
    Heartbeat,
}

impl Client {
    /// Follows the players that are present, those that accept a game or all. The first [`PlayersWatch::next`] opens
    /// the stream.
    #[must_use]
    pub fn watch_players(&self, game: Option<&str>, resume: Resume) -> PlayersWatch {
        PlayersWatch {
            client: self.clone(),
            game: game.unwrap_or_default().to_owned(),
            stream: ResumingStream::new(self, resume),
            present: BTreeMap::new(),
            beginning: Some(BTreeMap::new()),
            has_begun: false,
        }
    }
}

impl PlayersWatch {
    /// The players that are present as far as is known. After a lost connection these are the last ones that were
    /// known, until all are known again.
    #[must_use]
    pub const fn present(&self) -> &BTreeMap<PlayerId, PlayerView> {
        &self.present
    }

    /// Returns the next update. Cancel safe. After an error, another call tries once more.
    ///
    /// # Errors
    ///
    /// The game is not in the catalogue, the token has ended, a message is malformed, more than
    /// [`MAX_WATCHED_PLAYERS`] players are present, or the connection was lost and the watch does not resume.
    pub async fn next(&mut self) -> Result<PlayersUpdate, ClientError> {
        loop {
            match self.receive().await {
                Ok(Some(update)) => return Ok(update),
                Ok(None) => {}
                Err(failure) => self.lose(failure)?,
            }
        }
    }

    fn lose(&mut self, failure: ClientError) -> Result<(), ClientError> {
        self.beginning = Some(BTreeMap::new());
        self.stream.lose(failure, |_, _| ())
    }

    /// Handles a message; returns `None` if it has no news.
    async fn receive(&mut self) -> Result<Option<PlayersUpdate>, ClientError> {
        let Self {
            client,
            game,
            stream,
            ..
        } = self;
        let open = || async {
            let game = game.clone();
            let request = opening(v1::WatchPlayersRequest { game });
            client.players.clone().watch_players(request).await
        };
        let message = stream.message(open).await?;
        self.read(message)
    }

    fn read(
        &mut self,
        message: v1::WatchPlayersResponse,
    ) -> Result<Option<PlayersUpdate>, ClientError> {
        if let Some(Response::Closing(closing)) = &message.response {
            if !from_proto::closing(closing.reason).is_of_the_replica() {
                self.stream.stay();
            }
            // If a new stream is of no use, its refusal says why.
            return Err(ClientError::ended());
        }
        self.stream.has_answered();
        // Later versions of the API may have unknown kinds of messages.
        Ok(match message.response {
            Some(Response::Batch(batch)) => {
                let players = self.beginning.as_mut().unwrap_or(&mut self.present);
                apply(players, batch)?;
                self.beginning.is_none().then_some(PlayersUpdate::Changed)
            }
            Some(Response::CaughtUp(_)) => {
                let Some(players) = take(&mut self.beginning) else {
                    return Err(InvalidResponse::new("caught_up", FieldFault::Order).into());
                };
                let is_news = !self.has_begun || players != self.present;
                self.has_begun = true;
                self.present = players;
                is_news.then_some(PlayersUpdate::Changed)
            }
            Some(Response::Heartbeat(_)) => Some(PlayersUpdate::Heartbeat),
            Some(Response::Closing(_)) | None => None,
        })
    }
}

fn apply(
    players: &mut BTreeMap<PlayerId, PlayerView>,
    batch: Batch,
) -> Result<(), InvalidResponse> {
    for (index, change) in batch.changes.into_iter().enumerate() {
        let field = format!("batch.changes[{index}]");
        match change.change {
            Some(Change::Present(present)) => {
                let view = from_proto::present_player(present).within("present");
                let view = view.within(&field)?;
                players.insert(view.player, view);
            }
            Some(Change::GonePlayerId(player)) => {
                let player = from_proto::gone_player_id(&player).within(&field)?;
                players.remove(&player);
            }
            None => {}
        }
    }
    if players.len() > MAX_WATCHED_PLAYERS {
        let fault = FieldFault::Count(players.len());
        return Err(InvalidResponse::new("batch.changes", fault));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::Token;
    use v1::watch_players_response::{self, CaughtUp, Heartbeat};

    fn watch() -> PlayersWatch {
        let address = "127.0.0.1:1".parse().unwrap();
        let client = Client::connect_lazily(&address, &Token::random()).unwrap();
        client.watch_players(None, Resume::For(Duration::from_mins(1)))
    }

    fn id(number: u8) -> PlayerId {
        PlayerId::from_bytes([number; 16])
    }

    fn message(response: Response) -> v1::WatchPlayersResponse {
        v1::WatchPlayersResponse {
            response: Some(response),
        }
    }

    fn batch(changes: Vec<Change>) -> v1::WatchPlayersResponse {
        let changes = changes.into_iter();
        let changes = changes.map(|change| watch_players_response::Change {
            change: Some(change),
        });
        let changes = changes.collect();
        message(Response::Batch(Batch { changes }))
    }

    fn here(number: u8) -> Change {
        Change::Present(v1::PresentPlayer {
            player_id: id(number).to_string(),
            open_time: Some(SystemTime::UNIX_EPOCH.into()),
            ..v1::PresentPlayer::default()
        })
    }

    fn gone(number: u8) -> Change {
        Change::GonePlayerId(id(number).to_string())
    }

    fn caught_up() -> v1::WatchPlayersResponse {
        message(Response::CaughtUp(CaughtUp {}))
    }

    fn known(watch: &PlayersWatch) -> Vec<PlayerId> {
        watch.present().keys().copied().collect()
    }

    #[tokio::test]
    async fn a_new_stream_changes_what_is_known_when_it_has_sent_all() {
        let mut watch = watch();
        let changed = Some(PlayersUpdate::Changed);
        assert_eq!(watch.read(batch(vec![here(1), here(2)])).unwrap(), None);
        assert_eq!(known(&watch), []);
        assert_eq!(watch.read(caught_up()).unwrap(), changed);
        assert_eq!(known(&watch), [id(1), id(2)]);
        let step = batch(vec![gone(1), here(3), gone(9)]);
        assert_eq!(watch.read(step).unwrap(), changed);
        assert_eq!(known(&watch), [id(2), id(3)]);
        let beat = message(Response::Heartbeat(Heartbeat { server_time: None }));
        assert_eq!(watch.read(beat).unwrap(), Some(PlayersUpdate::Heartbeat));

        let closing = message(Response::Closing(watch_players_response::Closing {
            reason: v1::CloseReason::Draining.into(),
        }));
        assert!(watch.read(closing).unwrap_err().is_transient());
        watch.lose(ClientError::ended()).unwrap();
        watch.read(batch(vec![here(2)])).unwrap();
        assert_eq!(known(&watch), [id(2), id(3)]);
        watch.read(batch(vec![here(3)])).unwrap();
        assert_eq!(watch.read(caught_up()).unwrap(), None);
        watch.lose(ClientError::ended()).unwrap();
        assert_eq!(watch.read(caught_up()).unwrap(), changed);
        assert_eq!(known(&watch), []);
    }

    #[tokio::test]
    async fn a_malformed_message_is_named_by_its_field() {
        let untimely = Change::Present(v1::PresentPlayer {
            player_id: id(1).to_string(),
            ..v1::PresentPlayer::default()
        });
        let nobody = Change::GonePlayerId("nobody".to_owned());
        for (change, field) in [
            (untimely, "batch.changes[1].present.open_time"),
            (nobody, "batch.changes[1].gone_player_id"),
        ] {
            let error = watch().read(batch(vec![here(1), change])).unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
        let mut watch = watch();
        watch.read(caught_up()).unwrap();
        let error = watch.read(caught_up()).unwrap_err();
        assert!(error.to_string().contains("caught_up"), "{error}");
    }
}
