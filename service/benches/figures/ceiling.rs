use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::count::Count;
use crate::rate::Rate;

/// About what an action is as a stored event.
const RECORD_BYTES: usize = 120;
/// Appends that wait at most, and are written at once.
const QUEUE: usize = 4096;

type Append = ([u8; 16], oneshot::Sender<()>);

/// Durable records a second of the least that a durable service must do: tasks that each wait for a
/// record before they send the next, and one thread that gathers them, appends them to a file, syncs
/// it and answers. No store, no chain, no rules, no gRPC.
pub(crate) async fn appends(path: &Path, tasks: usize, time: Duration) -> Rate {
    let file = File::create(path).expect("a new file");
    let (queue, waiting) = mpsc::channel(QUEUE);
    let writer = thread::spawn(move || write(&file, waiting));
    let appended = Arc::<Count>::default();
    let mut appending = JoinSet::new();
    for task in 0..tasks {
        appending.spawn(append(task as u64, queue.clone(), Arc::clone(&appended)));
    }
    drop(queue);
    let rate = Rate::measure(time, || appended.get()).await;
    appending.shutdown().await;
    writer.join().expect("the writer ends with its queue");
    rate
}

async fn append(task: u64, queue: mpsc::Sender<Append>, appended: Arc<Count>) {
    for number in 0_u64.. {
        let mut key = [0; 16];
        let spread = task.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key[..8].copy_from_slice(&spread.to_be_bytes());
        key[8..].copy_from_slice(&number.to_be_bytes());
        let (reply, answer) = oneshot::channel();
        if queue.send((key, reply)).await.is_err() || answer.await.is_err() {
            return;
        }
        appended.add();
    }
}

fn write(mut file: &File, mut waiting: mpsc::Receiver<Append>) {
    let (mut group, mut bytes) = (Vec::new(), Vec::new());
    while waiting.blocking_recv_many(&mut group, QUEUE) > 0 {
        bytes.clear();
        for (key, _) in &group {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&[0x5a; RECORD_BYTES]);
        }
        file.write_all(&bytes).expect("the disk has room");
        file.sync_data().expect("the disk has room");
        for (_, reply) in group.drain(..) {
            // The caller may be gone at the end.
            let _ = reply.send(());
        }
    }
}
