use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, Client, ClientError, EventKind, MatchId, NewMatch, PlayEvent, PlayOptions, Reason,
    Submitted,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::program::Program;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::replayed::assert_replays;
use crate::served::{client, lone_address};

/// Matches played by calls, and as many on streams.
const MATCHES: u64 = 3;
/// Acknowledgements in all before a kill.
const BEFORE_KILL: usize = 120;
/// How often the service is killed.
const KILLS: u64 = 3;

/// What the service acknowledged: the action of an answer is durable.
#[derive(Debug)]
struct Acknowledged {
    answer: Answer,
    sequence: u64,
}

/// A match in the hands of its two players.
#[derive(Clone, Debug)]
struct Played {
    match_id: MatchId,
    seats: [Client; 2],
}

/// Several matches are played as fast as the service goes when it is killed. Whatever it had
/// acknowledged is there afterwards, in its place; whatever it had not can be asked for again; and
/// the matches go on to their end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_outlives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::serve_at(folder.path(), lone_address()).await;
    let address = program.address();
    let mut matches = Vec::new();
    for number in 0..2 * MATCHES {
        matches.push(seat(&program, number).await);
    }
    let mut acknowledged = Vec::new();
    let mut unanswered = Vec::new();
    for kill in 0..KILLS {
        let (tell, mut told) = unbounded_channel();
        let mut players = JoinSet::new();
        for (played, number) in matches.iter().zip(0..) {
            let draws = Draws::new(1000 * (kill + 1) + 10 * number);
            let (played, tell) = (played.clone(), tell.clone());
            if number < MATCHES {
                players.spawn(play_by_calls(played, draws, tell));
            } else {
                players.spawn(play_on_streams(played, draws, tell));
            }
        }
        drop(tell);
        for _ in 0..BEFORE_KILL {
            acknowledged.push(told.recv().await.expect("the matches go on"));
        }
        program.kill().await;
        for answers in players.join_all().await {
            unanswered.extend(answers);
        }
        while let Some(late) = told.recv().await {
            acknowledged.push(late);
        }

        program = Program::serve_at(folder.path(), address).await;
        assert_there(&matches, &acknowledged).await;
        for (seat, answer) in unanswered.drain(..) {
            let played = matches
                .iter()
                .find(|played| played.match_id == answer.match_id);
            ask_again(&played.unwrap().seats[seat.index()], answer).await;
        }
    }
    finish(&matches).await;
    let raw = Raw::connect(address, "anyone").await;
    for played in &matches {
        assert_replays(&raw.export(&played.match_id.to_string()).await.unwrap());
    }
    assert_there(&matches, &acknowledged).await;
}

async fn seat(program: &Program, number: u64) -> Played {
    let first = client(program.address(), &format!("first-{number}")).await;
    let second = client(program.address(), &format!("second-{number}")).await;
    let new = NewMatch::new("kamisado", 15);
    let match_id = first.create_match(new).await.unwrap().id;
    first
        .join_match(match_id, Some(Seat::First), "", None)
        .await
        .unwrap();
    second
        .join_match(match_id, Some(Seat::Second), "", None)
        .await
        .unwrap();
    Played {
        match_id,
        seats: [first, second],
    }
}

/// Plays both seats until the connection breaks: the answer that was under way then.
async fn play_by_calls(
    played: Played,
    mut draws: Draws,
    tell: UnboundedSender<Acknowledged>,
) -> Vec<(Seat, Answer)> {
    loop {
        let due = match played.seats[0].get_decision(played.match_id).await {
            Ok(due) => due,
            Err(failure) => {
                assert!(is_over_or_broken(&failure), "{failure}");
                return Vec::new();
            }
        };
        let answer = draws.answer(&due);
        match played.seats[due.seat.index()]
            .submit_action(answer.clone())
            .await
        {
            Ok(Submitted { sequence, .. }) => {
                let sequence = sequence.get();
                tell.send(Acknowledged { answer, sequence }).unwrap();
            }
            Err(failure) => {
                assert!(is_over_or_broken(&failure), "{failure}");
                return vec![(due.seat, answer)];
            }
        }
    }
}

/// Plays both seats, each on its stream, until the connections break.
async fn play_on_streams(
    played: Played,
    draws: Draws,
    tell: UnboundedSender<Acknowledged>,
) -> Vec<(Seat, Answer)> {
    let [first, second] = &played.seats;
    let (first, second) = tokio::join!(
        play_on_stream(first, draws.clone(), &tell),
        play_on_stream(second, draws, &tell),
    );
    let first = first.map(|answer| (Seat::First, answer));
    let second = second.map(|answer| (Seat::Second, answer));
    first.into_iter().chain(second).collect()
}

async fn play_on_stream(
    client: &Client,
    mut draws: Draws,
    tell: &UnboundedSender<Acknowledged>,
) -> Option<Answer> {
    let mut session = match client.play(PlayOptions::default()).await {
        Ok(session) => session,
        Err(failure) => {
            assert!(is_over_or_broken(&failure), "{failure}");
            return None;
        }
    };
    let mut under_way: Option<Answer> = None;
    loop {
        match session.receiver.next().await {
            Some(Ok(PlayEvent::Decision(due))) => {
                let answer = draws.answer(&due);
                under_way = Some(answer.clone());
                // A stream that is broken is seen by its reader.
                let _ = session.sender.answer(answer).await;
            }
            Some(Ok(PlayEvent::Accepted(accepted))) => {
                let answer = under_way.take().expect("an answer is under way");
                assert_eq!(accepted.decision_id, answer.decision_id);
                let sequence = accepted.sequence.get();
                tell.send(Acknowledged { answer, sequence }).unwrap();
            }
            Some(Ok(PlayEvent::Opened(_) | PlayEvent::Heartbeat(_))) => {}
            Some(Ok(PlayEvent::Closed(_)) | Err(_)) | None => return under_way,
            Some(Ok(unexpected)) => panic!("{unexpected:?}"),
        }
    }
}

fn is_over_or_broken(failure: &ClientError) -> bool {
    let broken = matches!(failure, ClientError::Unreachable { .. });
    broken || failure.reason() == Some(&Reason::MatchEnded)
}

/// Every acknowledged action is in the log under its sequence.
async fn assert_there(matches: &[Played], acknowledged: &[Acknowledged]) {
    for played in matches {
        let record = played.seats[0]
            .export_match(played.match_id, None)
            .await
            .unwrap();
        let of_this_match = |told: &&Acknowledged| told.answer.match_id == played.match_id;
        for told in acknowledged.iter().filter(of_this_match) {
            let place = usize::try_from(told.sequence).unwrap() - 1;
            let event = record.events.get(place).expect("the event is there");
            let EventKind::ActionPlayed { action, .. } = &event.kind else {
                panic!("{told:?}, but {event:?}");
            };
            assert_eq!(*action, told.answer.action);
        }
    }
}

/// Makes a request again that the kill may have hit before or after it was recorded.
async fn ask_again(client: &Client, answer: Answer) {
    match client.submit_action(answer.clone()).await {
        Ok(submitted) => assert_eq!(submitted.action, answer.action),
        Err(failure) => assert_eq!(failure.reason(), Some(&Reason::MatchEnded), "{failure}"),
    }
}

/// Plays all matches to their end.
async fn finish(matches: &[Played]) {
    let (tell, _told) = unbounded_channel();
    let mut players = JoinSet::new();
    for (played, number) in matches.iter().zip(0..) {
        players.spawn(play_by_calls(
            played.clone(),
            Draws::new(9000 + number),
            tell.clone(),
        ));
    }
    for unanswered in players.join_all().await {
        assert!(unanswered.is_empty());
    }
}
