//! The appends that PostgreSQL takes: through the log, and through a bare loop around one statement.
//!
//! Both write one record of 150 bytes an append, with the expected head, on the same server and in turns.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts and times of a bench are far below 2^52"
)]
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/server.rs"]
mod server;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{EventLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use rustix::time::{ClockId, clock_gettime};
use tokio::{runtime::Runtime, task::JoinSet};
use tokio_postgres::{Client, Statement, types::Type};
use uuid::Uuid;

use server::Server;

const RECORD_BYTES: usize = 150;
const WRITERS: [u64; 4] = [1, 16, 256, 1000];
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(1500);

/// The bare statement: it trusts that all heads are the expected ones.
const BARE: &str = "
WITH moved AS (
    UPDATE dragontooth.stream s SET head = w.head
    FROM unnest($1::uuid[], $2::int8[], $3::int8[]) AS w (id, expected, head)
    WHERE s.id = w.id AND s.head = w.expected
)
INSERT INTO dragontooth.event (stream, seq, record) SELECT * FROM unnest($1::uuid[], $3::int8[], $4::bytea[])";

fn main() {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let Some(alone) = Server::start(&[]) else {
            return;
        };
        measure("without a standby", &alone).await;
        drop(alone);
        let (primary, _standby) = Server::start_pair().unwrap();
        measure("with a synchronous standby", &primary).await;
    });
}

async fn measure(what: &str, server: &Server) {
    let log = Arc::new(server.open().await);
    let mut bare = Bare::connect(server).await;
    for writers in WRITERS {
        let (mut through_log, mut through_bare) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS as u64 {
            let first = (writers << 32) + (round << 16);
            through_log.push(rate(server, write_log(&log, first, writers)).await);
            through_bare.push(rate(server, bare.write(first + (1 << 15), writers)).await);
        }
        let [log, bare] = [through_log, through_bare].map(median);
        println!(
            "postgres {what}, {writers} writers: {:.0} appends/s, bare {:.0} ({:.0} %); processor µs an append: \
             {:.1} here and {:.1} in the database, bare {:.1} and {:.1}",
            log.rate,
            bare.rate,
            log.rate / bare.rate * 100.0,
            log.here_us,
            log.database_us,
            bare.here_us,
            bare.database_us,
        );
    }
}

/// A measurement.
#[derive(Clone, Copy, Debug)]
struct Measured {
    rate: f64,
    here_us: f64,
    database_us: f64,
}

fn median(mut of: Vec<Measured>) -> Measured {
    of.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    of[of.len() / 2]
}

async fn rate(server: &Server, work: impl Future<Output = u64>) -> Measured {
    let (begun, here, database) = (
        Instant::now(),
        own_time(),
        server.processor_time().as_secs_f64(),
    );
    let appends = work.await as f64;
    let each_us = |time: f64| time * 1e6 / appends;
    Measured {
        rate: appends / begun.elapsed().as_secs_f64(),
        here_us: each_us(own_time() - here),
        database_us: each_us(server.processor_time().as_secs_f64() - database),
    }
}

/// Seconds of the processor that this process has used.
fn own_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn id(number: u64) -> [u8; 16] {
    u128::from(number).to_be_bytes()
}

/// Appends to as many streams as there are writers, each as soon as the one before is acknowledged.
async fn write_log(log: &Arc<PostgresLog>, first: u64, writers: u64) -> u64 {
    let end = Instant::now() + ROUND;
    let mut tasks = JoinSet::new();
    for number in first..first + writers {
        let log = Arc::clone(log);
        tasks.spawn(async move {
            let mut head = Sequence::START;
            while Instant::now() < end {
                let records = vec![vec![7; RECORD_BYTES]];
                head = log
                    .append(StreamId(id(number)), head, records)
                    .await
                    .unwrap();
            }
            head.0
        });
    }
    tasks.join_all().await.into_iter().sum()
}

/// A connection with the bare statement.
struct Bare {
    client: Client,
    statement: Statement,
}

impl Bare {
    async fn connect(server: &Server) -> Self {
        let client = server.connect().await;
        let types = [
            Type::UUID_ARRAY,
            Type::INT8_ARRAY,
            Type::INT8_ARRAY,
            Type::BYTEA_ARRAY,
        ];
        let statement = client.prepare_typed(BARE, &types).await.unwrap();
        Self { client, statement }
    }

    async fn write(&mut self, first: u64, writers: u64) -> u64 {
        let ids: Vec<_> = (first..first + writers)
            .map(|number| Uuid::from_bytes(id(number)))
            .collect();
        let new = "INSERT INTO dragontooth.stream (id, head) SELECT unnest($1::uuid[]), 1";
        self.client.execute(new, &[&ids]).await.unwrap();
        let record = [7_u8; RECORD_BYTES];
        let records = vec![&record[..]; ids.len()];
        let end = Instant::now() + ROUND;
        let mut batches = 0;
        while Instant::now() < end {
            let heads = |head: i64| vec![head; ids.len()];
            let (before, after) = (heads(1 + batches), heads(2 + batches));
            self.client
                .execute(&self.statement, &[&ids, &before, &after, &records])
                .await
                .unwrap();
            batches += 1;
        }
        batches.cast_unsigned() * writers
    }
}
