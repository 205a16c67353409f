use dragontooth_service_store::{EventLog, MemoryLog};
use dragontooth_service_vocabulary::{Scope, TokenStanding};
use futures::future::join_all;

use super::*;

/// The tokens of services that share a log.
async fn tokens(services: usize) -> Vec<Arc<Tokens>> {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let open = || Tokens::open(TokenLog::new(Arc::clone(&log)), WallClock::start());
    join_all((0..services).map(|_| async { open().await.unwrap() })).await
}

fn for_name(name: &str) -> NewToken {
    NewToken {
        name: name.parse().unwrap(),
        scopes: [Scope::Play].into_iter().collect(),
        ttl: None,
        request_id: None,
    }
}

#[tokio::test]
async fn a_service_decides_on_what_others_have_written() {
    let services = tokens(2).await;
    let [first, second] = &services[..] else {
        unreachable!()
    };
    let issued = first.issue(for_name("anna"), None).await.unwrap().token;
    let again = second.issue(for_name("anna"), None).await.unwrap().token;
    assert_eq!(again.player, issued.player, "one name is one player");
    let revoked = first.revoke(again.id(), None).await.unwrap();
    assert_eq!(first.standing(&revoked), TokenStanding::Revoked);
    let (anna, other) = (issued.player, PlayerId::from_bytes([7; 16]));
    first.block(anna, other, &Limits::default()).await.unwrap();
    second.unblock(anna, other).await.unwrap();
    assert!(second.blocked_by(anna).is_empty());
}

#[tokio::test]
async fn a_request_issues_one_token_whichever_service_it_is_repeated_on() {
    let services = tokens(2).await;
    let new = NewToken {
        request_id: Some("one".parse().unwrap()),
        ..for_name("anna")
    };
    let issued = services[0].issue(new.clone(), None).await.unwrap();
    let id = issued.token.id();
    let repeated = services[1].issue(new.clone(), None).await;
    assert!(matches!(repeated, Err(TokenFault::SecretGone(gone)) if gone == id));
    let repeated = services[0].issue(new, None).await.unwrap();
    assert_eq!(repeated.secret, issued.secret);
}

/// A request is repeated after 1,023 others.
#[tokio::test]
async fn a_secret_is_kept_as_long_as_its_request_is_remembered() {
    let tokens = tokens(1).await.remove(0);
    let request = |number: usize| NewToken {
        request_id: Some(number.to_string().parse().unwrap()),
        ..for_name(&format!("player{number}"))
    };
    let first = tokens.issue(request(0), None).await.unwrap();
    for number in 1..1024 {
        tokens.issue(request(number), None).await.unwrap();
    }
    let again = tokens.issue(request(0), None).await.unwrap();
    assert_eq!(again.secret, first.secret);
}

#[tokio::test]
async fn services_that_write_at_once_lose_nothing() {
    let services = tokens(3).await;
    let names: Vec<_> = (0..30).map(|number| format!("player{number}")).collect();
    let issued = names.iter().enumerate().map(|(at, name)| {
        let service = &services[at % services.len()];
        async move {
            service
                .issue(for_name(name), None)
                .await
                .unwrap()
                .token
                .id()
        }
    });
    let mut issued = join_all(issued).await;
    issued.sort_unstable();
    for service in &services {
        // What changes nothing is decided on the newest state, too.
        service.revoke(issued[0], None).await.unwrap();
        let (listed, has_more) = service.list(None, 100);
        let listed: Vec<_> = listed.iter().map(TokenState::id).collect();
        assert_eq!((listed, has_more), (issued.clone(), false));
    }
}
