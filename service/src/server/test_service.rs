//! A service on a log of a test's own, and its two players.

use dragontooth_games::Seat;
use dragontooth_service_client::{Client, ServerAddress, Token};
use dragontooth_service_vocabulary::{MatchId, NewMatch};

use super::*;

/// A service on this log, at any free port.
pub(super) async fn serve(
    log: &Arc<impl EventLog + 'static>,
    config: Config,
) -> Result<Service, StartError> {
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        ..config
    };
    let log = Arc::clone(log);
    Service::start_on(config, async move |_: &Storage| Ok(log as _)).await
}

/// The client of the player with this token.
pub(super) async fn client(service: &Service, token: &str) -> Client {
    let address: ServerAddress = service.address().to_string().parse().unwrap();
    Client::connect(&address, &Token::new(token).unwrap())
        .await
        .unwrap()
}

/// Two players, the same for all services.
pub(super) async fn players(service: &Service) -> [Client; 2] {
    [
        client(service, "the-first-player").await,
        client(service, "the-second-player").await,
    ]
}

/// A match of both players.
pub(super) async fn seat(players: &[Client; 2], new: NewMatch) -> MatchId {
    let id = players[0].create_match(new).await.unwrap().id;
    for (player, seat) in players.iter().zip(Seat::BOTH) {
        player.join_match(id, Some(seat), "", None).await.unwrap();
    }
    id
}
