use std::time::Duration;

use dragontooth_service_client::{Client, PlayOptions, PlaySession, ServerAddress, Token};
use dragontooth_service_vocabulary::NewMatch;
use futures::stream::{self, StreamExt};
use tokio::runtime::Runtime;

use crate::figure::figure;
use crate::load::connect;
use crate::measure::measure_for;
use crate::program::Program;
use crate::scale::Scale;

/// Number of idle matches with both seats taken.
const MATCHES: usize = 10_000;
/// `Play` streams of players without a match.
const STREAMS: usize = 1000;
/// Streams that share a connection.
const STREAMS_OF_CONNECTION: usize = 100;
/// Calls under way at once.
const AT_ONCE: usize = 64;
/// Rest of the service before its memory is measured.
const REST: Duration = Duration::from_secs(2);

/// Prints the memory that an idle match and an idle stream take.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let program = Program::serve(folder.path());
    let (matches, streams) = (scale.count(MATCHES), scale.count(STREAMS));
    runtime.block_on(async {
        let first = connect(program.address(), "the-first-player").await;
        let second = connect(program.address(), "the-second-player").await;
        let before = rested(&program, scale).await;
        seat(&first, &second, matches).await;
        let with_matches = rested(&program, scale).await;
        let kib = with_matches - before;
        println!(
            "{matches} idle matches: {:.1} KiB each",
            kib / as_f64(matches)
        );
        figure("footprint/match", kib / as_f64(matches), "KiB");

        let program = Program::serve(&folder.path().join("streams"));
        let before = rested(&program, scale).await;
        let sessions = open_streams(program.address(), streams).await;
        let with_streams = rested(&program, scale).await;
        let kib = with_streams - before;
        println!(
            "{streams} idle Play streams: {:.1} KiB each",
            kib / as_f64(streams)
        );
        figure("footprint/stream", kib / as_f64(streams), "KiB");
        drop(sessions);
    });
}

async fn rested(program: &Program, scale: Scale) -> f64 {
    measure_for(scale.time(REST)).await;
    program.resident_kib()
}

async fn seat(first: &Client, second: &Client, matches: usize) {
    // Each of them creates as many as a player may.
    let seating = (0..matches).map(|number| async move {
        let creator = [first, second][number % 2];
        let created = creator.create_match(NewMatch::new("kamisado", 3)).await;
        let id = created.expect("created").id;
        for client in [first, second] {
            client.join_match(id, None, "", None).await.expect("joined");
        }
    });
    stream::iter(seating)
        .for_each_concurrent(AT_ONCE, |seated| seated)
        .await;
}

/// Streams of as many players.
pub(crate) async fn open_streams(address: &ServerAddress, streams: usize) -> Vec<PlaySession> {
    let mut sessions = Vec::new();
    let mut line = connect(address, "a-player-of-its-own").await;
    for number in 0..streams {
        if number % STREAMS_OF_CONNECTION == 0 {
            line = connect(address, "a-player-of-its-own").await;
        }
        let token = Token::new(format!("player-number-{number:08}"));
        let client = line.with_token(&token.expect("it is a token"));
        let session = client.play(PlayOptions::default()).await;
        sessions.push(session.expect("the stream opens"));
    }
    sessions
}

#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
