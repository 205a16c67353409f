//! Several logs on one database.

use std::{collections::HashMap, future::poll_fn, sync::Arc};

use dragontooth_service_postgres::{
    PostgresError, PostgresLog, PostgresRestoreError, restore_to_postgres,
};
use dragontooth_service_store::{
    AppendError, EntryChange, EventLog, Listing, MatchBrief, MatchEntry, MemoryLog, NewHead,
    StreamId,
};
use dragontooth_service_vocabulary::{PlayerId, Sequence, Visibility};
use futures::future::join_all;
use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client, NoTls};

use crate::{backup::back_up, interruptions::relayed, load::stream, relay::Relay, server::Server};

async fn append(log: &PostgresLog, to: StreamId, after: u64) -> Result<Sequence, AppendError> {
    log.append(to, Sequence(after), vec![after.to_be_bytes().to_vec()])
        .await
}

/// Waits until a log listens to what another one appends: messages before that are lost.
async fn listens(log: &PostgresLog, other: &PostgresLog) {
    let feed = log.feed().unwrap();
    let appending = async {
        let mut head = other.head(stream(999)).await.unwrap();
        loop {
            head = append(other, stream(999), head.0).await.unwrap();
        }
    };
    tokio::select! {
        _ = feed.take() => {}
        never = appending => never,
    }
}

/// Waits until a log has heard of these heads.
async fn hears(log: &PostgresLog, heads: &[(StreamId, u64)]) {
    let feed = log.feed().unwrap();
    let mut heard = HashMap::new();
    while !heads
        .iter()
        .all(|(stream, head)| heard.get(stream) == Some(&Sequence(*head)))
    {
        let heads = feed.take().await.into_iter();
        heard.extend(heads.map(|(stream, new)| (stream, new.head)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_hears_what_the_others_append() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (first, second) = (server.open().await, server.open().await);
    listens(&second, &first).await;
    append(&first, stream(1), 0).await.unwrap();
    listens(&first, &second).await;
    append(&second, stream(2), 0).await.unwrap();
    append(&first, stream(1), 1).await.unwrap();
    hears(&second, &[(stream(1), 2)]).await;
    hears(&first, &[(stream(2), 1)]).await;
    let after = vec![(stream(1), Sequence(1)), (stream(2), Sequence(0))];
    let read = second.read_many(after, 10).await.unwrap();
    let record = |number: u64| number.to_be_bytes().to_vec();
    let of = |number| read[&stream(number)].as_ref().unwrap();
    assert_eq!(of(1)[..], [(Sequence(2), record(1))]);
    assert_eq!(of(2)[..], [(Sequence(1), record(0))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_hear_of_their_matches() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (first, second) = (server.open().await, server.open().await);
    listens(&second, &first).await;
    let players = [1, 2].map(|byte| Some(PlayerId::from_bytes([byte; 16])));
    // More than one message takes.
    for number in 0..300 {
        let after = MatchEntry::ended(MatchBrief {
            game: "kamisado".to_owned(),
            variant: "standard".to_owned(),
            players,
            creator: PlayerId::from_bytes([3; 16]),
            visibility: Visibility::Public,
            seed_mark: None,
            request_id: None,
        });
        let entry = Some(Box::new(EntryChange {
            before: None,
            after,
        }));
        let deadline = None;
        let listing = Listing { entry, deadline };
        let records = vec![vec![7]];
        let appended = first.append_listed(stream(number), Sequence(0), records, listing);
        appended.await.unwrap();
    }
    let feed = second.feed().unwrap();
    let mut heard = HashMap::new();
    while heard.len() < 300 {
        heard.extend(feed.take().await);
        heard.remove(&stream(999));
    }
    let expected = NewHead {
        head: Sequence(1),
        players,
        is_listed: true,
    };
    assert!(heard.into_values().all(|new| new == expected));
}

/// The messages of heads that are sent on a database, to somebody who is no log.
async fn overhear(server: &Server) -> (Client, mpsc::UnboundedReceiver<String>) {
    let connected = tokio_postgres::connect(&server.address(), NoTls).await;
    let (client, mut connection) = connected.unwrap();
    let (hear, heard) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(message) = message {
                // The test may be over.
                let _ = hear.send(message.payload().to_owned());
            }
        }
    });
    client
        .batch_execute("LISTEN dragontooth_heads")
        .await
        .unwrap();
    (client, heard)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_was_alone_tells_those_who_come() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let first = server.open().await;
    let (_client, mut overheard) = overhear(&server).await;
    let sessions = first.sessions().unwrap();
    let (mut head, mut has_told, mut untold) = (Sequence(0), false, 0);
    while !has_told || untold < 100 {
        sessions.exchange().await.unwrap();
        head = append(&first, stream(1), head.0).await.unwrap();
        untold += 1;
        while let Ok(message) = overheard.try_recv() {
            if !message.is_empty() {
                (has_told, untold) = (true, 0);
            }
        }
    }
    // It does not exchange sessions.
    let later = server.open().await;
    listens(&later, &first).await;
    append(&first, stream(2), 0).await.unwrap();
    hears(&later, &[(stream(2), 1)]).await;
}

/// Its connections end on the server while what it has sent is on the way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_did_not_get_through_is_told_again() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let relay = Relay::to(([127, 0, 0, 1], server.port())).await;
    let first = relayed(&relay).await;
    let client = server.connect().await;
    let names =
        "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'dragontooth%'";
    let name: String = client.query(names, &[]).await.unwrap()[0].get(0);
    let later = server.open().await;
    listens(&later, &first).await;
    let append_at_last = async |to| while append(&first, to, 0).await.is_err() {};
    for round in 0..5 {
        let streams: Vec<_> = (0..40).map(|number| stream(40 * round + number)).collect();
        let appends = join_all(streams.iter().map(|to| append_at_last(*to)));
        let interrupting = async {
            append_at_last(stream(500 + round)).await;
            relay.cut();
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
            client.execute(end, &[&name]).await.unwrap();
            relay.mend();
        };
        tokio::join!(appends, interrupting);
        let heads: Vec<_> = streams.into_iter().map(|to| (to, 1)).collect();
        hears(&later, &heads).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_appended_while_nobody_listened_is_found() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    append(&log, stream(1), 0).await.unwrap();
    append(&log, stream(2), 0).await.unwrap();
    let other = server.open().await;
    append(&other, stream(1), 1).await.unwrap();
    let asked = [1, 2, 3].map(stream).to_vec();
    let found = log.heads(asked).await.unwrap();
    let expected = [(stream(1), Sequence(2)), (stream(2), Sequence(1))];
    assert_eq!(found, HashMap::from(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_appends_at_one_head_one_wins() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let logs = [server.open().await, server.open().await];
    let race = async |number: u64| {
        let mut wins = [0; 2];
        for after in 0..5 {
            // Either may be the first to be asked.
            let mut order = [0, 1];
            order.rotate_left(usize::from(number.is_multiple_of(2)));
            let raced = order.map(|log| append(&logs[log], stream(number), after));
            let raced = join_all(raced).await;
            for (log, appended) in order.into_iter().zip(raced) {
                match appended {
                    Ok(head) => {
                        assert_eq!(head, Sequence(after + 1));
                        wins[log] += 1;
                    }
                    Err(AppendError::Conflict { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
        wins
    };
    let mut won = [0; 2];
    // A log appends all that wait together, so now and then one wins a whole heat: it goes on until both have won some.
    for heat in 0.. {
        let wins = join_all((0..400).map(|number| race(400 * heat + number))).await;
        for [first, second] in wins {
            assert_eq!(first + second, 5);
            won[0] += first;
            won[1] += second;
        }
        if won.iter().all(|wins| *wins > 0) {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_stands_for_one_stream() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let logs = [server.open().await, server.open().await];
    let claims = (0..50_u64).map(|number| {
        let log = &logs[usize::from(number % 2 == 0)];
        log.reserve(b"a match", stream(number))
    });
    assert_eq!(logs[0].reserved(b"a match").await.unwrap(), None);
    let kept: Vec<_> = join_all(claims)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(kept.iter().all(|stream| *stream == kept[0]), "{kept:?}");
    let found = logs[1].reserved(b"a match").await.unwrap();
    assert_eq!(found, Some(kept[0]));
    let other = logs[0].reserve(b"another", stream(99)).await.unwrap();
    assert_eq!(other, stream(99));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_in_use_is_not_changed() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    server
        .execute("UPDATE dragontooth.log SET format = 1")
        .await;
    let refused = PostgresLog::open(&server.options()).await.unwrap_err();
    let PostgresError::Outdated {
        found: 1, holder, ..
    } = refused
    else {
        panic!("{refused:?}");
    };
    assert!(holder.starts_with("dragontooth-service "), "{holder}");

    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    back_up(Arc::new(MemoryLog::new()), &backup).await;
    let refused = restore_to_postgres(&backup, &server.options()).await;
    server
        .execute("UPDATE dragontooth.log SET format = 4")
        .await;
    let again = restore_to_postgres(&backup, &server.options()).await;
    for refused in [refused, again] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(
                refused,
                PostgresRestoreError::Open(
                    PostgresError::Outdated { .. } | PostgresError::NotAlone { .. }
                )
            ),
            "{refused:?}"
        );
    }
    append(&log, stream(1), 0).await.unwrap();
}
