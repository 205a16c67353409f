//! The appends that are made durable together.

use std::{collections::HashMap, time::Instant};

use dragontooth_service_vocabulary::Sequence;
use sled::IVec;
use tokio::sync::oneshot;

use super::{disk::Disk, failure::Failure, heads::Heads, record::Record, visible::Visible};
use crate::{AppendError, GroupCommit, StorageError, StreamId};

/// The answer to an append.
pub(super) type Answer = Result<Sequence, AppendError>;

/// One append.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) stream: StreamId,
    pub(super) expected: Sequence,
    pub(super) records: Vec<Vec<u8>>,
    pub(super) reply: oneshot::Sender<Answer>,
}

/// Appends in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Group {
    requests: Vec<Request>,
    len_bytes: usize,
}

impl Group {
    pub(super) fn push(&mut self, request: Request) {
        self.len_bytes += request.records.iter().map(Vec::len).sum::<usize>();
        self.requests.push(request);
    }

    /// The number of appends.
    pub(super) fn len(&self) -> usize {
        self.requests.len()
    }

    /// The bytes in all records.
    pub(super) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Checks each append against its stream's head, the appends before it included, writes those
    /// that are accepted, and answers all.
    ///
    /// No answer is sent before the group is durable, not even a refusal: its cause may be an append of the same
    /// group, and a caller must not learn of an event that a crash could still undo. If the storage fails, or
    /// failed earlier, every append gets that answer.
    pub(super) fn commit(
        self,
        disk: &mut impl Disk,
        heads: &mut Heads,
        visible: &Visible,
        failure: &Failure,
        on_write: Option<fn(GroupCommit)>,
    ) {
        if let Some(failure) = failure.get() {
            for request in self.requests {
                send(request.reply, Err(AppendError::Failed(failure.clone())));
            }
            return;
        }
        let appends = self.len();
        let mut plan = Plan::default();
        let answers: Vec<_> = self
            .requests
            .into_iter()
            .map(|request| {
                let answer = plan.add(
                    request.stream,
                    request.expected,
                    request.records,
                    disk,
                    heads,
                );
                (request.reply, answer)
            })
            .collect();
        let records = plan.records.len();
        let begun = Instant::now();
        let written = plan.write(disk, heads, visible);
        if let Some(on_write) = on_write
            && records > 0
        {
            on_write(GroupCommit {
                appends,
                records,
                took: begun.elapsed(),
            });
        }
        if let Err(error) = &written {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "the event log has failed and accepts nothing more"
            );
            failure.set(error.clone());
        }
        for (reply, answer) in answers {
            send(
                reply,
                written.clone().map_err(AppendError::Storage).and(answer),
            );
        }
    }
}

/// The records that a group will write.
#[derive(Debug, Default)]
struct Plan {
    records: Vec<Record>,
    heads: HashMap<StreamId, PlannedHead>,
}

#[derive(Debug)]
struct PlannedHead {
    durable: Sequence,
    planned: Sequence,
}

impl Plan {
    /// Accepts an append into the plan, or refuses it and leaves the plan as it was.
    fn add(
        &mut self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        disk: &impl Disk,
        heads: &mut Heads,
    ) -> Answer {
        let actual = match self.heads.get(&stream) {
            Some(head) => head.planned,
            None => durable_head(stream, disk, heads)?,
        };
        if actual != expected {
            return Err(AppendError::Conflict {
                stream,
                expected,
                actual,
            });
        }
        if records.is_empty() {
            return Ok(actual);
        }
        let planned = actual
            .checked_add(records.len() as u64)
            .expect("a stream has as many records as its head says, never 2^64");
        self.heads
            .entry(stream)
            .or_insert(PlannedHead {
                durable: actual,
                planned,
            })
            .planned = planned;
        let sequences = (actual.0 + 1..).map(Sequence);
        self.records.extend(
            sequences
                .zip(records)
                .map(|(sequence, record)| (stream, sequence, IVec::from(record))),
        );
        Ok(planned)
    }

    /// Makes the plan durable and visible.
    fn write(
        self,
        disk: &mut impl Disk,
        heads: &mut Heads,
        visible: &Visible,
    ) -> Result<(), StorageError> {
        if self.records.is_empty() {
            return Ok(());
        }
        let durable_heads = self.heads.iter();
        visible.hide(durable_heads.map(|(stream, head)| (*stream, head.durable)));
        disk.commit(&self.records)?;
        visible.show(self.records);
        for (stream, head) in self.heads {
            heads.set(stream, head.planned);
        }
        Ok(())
    }
}

fn durable_head(stream: StreamId, disk: &impl Disk, heads: &mut Heads) -> Answer {
    if let Some(head) = heads.get(stream) {
        return Ok(head);
    }
    let head = disk.head(stream).map_err(|source| {
        AppendError::Storage(StorageError::new("look up the head of the stream", source))
    })?;
    heads.set(stream, head);
    Ok(head)
}

fn send(reply: oneshot::Sender<Answer>, answer: Answer) {
    // The caller may have stopped waiting; the append counts anyway.
    let _ = reply.send(answer);
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::ReadError;

    const ONE: StreamId = StreamId([1; 16]);
    const OTHER: StreamId = StreamId([2; 16]);

    /// Records the commits; fails on demand.
    #[derive(Debug, Default)]
    struct NotedDisk {
        commits: Vec<Vec<Record>>,
        fails: bool,
    }

    impl Disk for NotedDisk {
        fn head(&self, _: StreamId) -> Result<Sequence, ReadError> {
            Ok(Sequence(5))
        }

        fn commit(&mut self, records: &[Record]) -> Result<(), StorageError> {
            if self.fails {
                return Err(StorageError::new("sync", io::Error::other("worn out")));
            }
            self.commits.push(records.to_vec());
            Ok(())
        }
    }

    #[derive(Debug)]
    struct Bench {
        disk: NotedDisk,
        heads: Heads,
        visible: Visible,
        failure: Failure,
    }

    impl Bench {
        fn new() -> Self {
            Self {
                disk: NotedDisk::default(),
                heads: Heads::new(100),
                visible: Visible::new(),
                failure: Failure::new(),
            }
        }

        /// Commits appends, each of a stream, an expected head and a number of records, as one group; returns their
        /// answers.
        fn commit(&mut self, appends: &[(StreamId, u64, usize)]) -> Vec<Answer> {
            let mut group = Group::default();
            let answers: Vec<_> = appends
                .iter()
                .map(|(stream, expected, count)| {
                    let (reply, answer) = oneshot::channel();
                    let records = vec![vec![0; 10]; *count];
                    let expected = Sequence(*expected);
                    group.push(Request {
                        stream: *stream,
                        expected,
                        records,
                        reply,
                    });
                    answer
                })
                .collect();
            let Self {
                disk,
                heads,
                visible,
                failure,
            } = self;
            group.commit(disk, heads, visible, failure, None);
            answers
                .into_iter()
                .map(|mut answer| answer.try_recv().unwrap())
                .collect()
        }
    }

    #[test]
    fn a_group_is_one_commit_without_what_is_refused() {
        let mut bench = Bench::new();
        let answers = bench.commit(&[
            (ONE, 5, 2),
            (OTHER, 4, 1),
            (ONE, 5, 1),
            (ONE, 7, 1),
            (OTHER, 5, 0),
            (OTHER, 5, 1),
        ]);
        let heads: Vec<_> = answers.iter().map(|answer| answer.as_ref().ok()).collect();
        let accepted = |head| Some(Sequence(head));
        assert_eq!(
            heads,
            [
                accepted(7),
                None,
                None,
                accepted(8),
                accepted(5),
                accepted(6)
            ]
            .each_ref()
            .map(Option::as_ref)
        );
        assert!(matches!(
            answers[1],
            Err(AppendError::Conflict {
                actual: Sequence(5),
                ..
            })
        ));
        assert!(matches!(
            answers[2],
            Err(AppendError::Conflict {
                actual: Sequence(7),
                ..
            })
        ));
        assert_eq!(bench.disk.commits.len(), 1);
        let written: Vec<_> = bench.disk.commits[0]
            .iter()
            .map(|(stream, sequence, _)| (*stream, sequence.0))
            .collect();
        assert_eq!(written, [(ONE, 6), (ONE, 7), (ONE, 8), (OTHER, 6)]);
    }

    #[test]
    fn a_group_that_writes_nothing_commits_nothing() {
        let mut bench = Bench::new();
        bench.disk.fails = true;
        let answers = bench.commit(&[(ONE, 5, 0), (OTHER, 0, 1)]);
        assert!(matches!(answers[0], Ok(Sequence(5))));
        assert!(matches!(answers[1], Err(AppendError::Conflict { .. })));
        assert!(bench.failure.get().is_none());
    }

    #[test]
    fn a_failed_commit_answers_all_with_the_failure_and_ends_the_log() {
        let mut bench = Bench::new();
        bench.commit(&[(ONE, 5, 1)]);
        bench.disk.fails = true;
        let answers = bench.commit(&[(ONE, 6, 2), (ONE, 0, 1), (OTHER, 5, 0)]);
        assert!(
            answers
                .iter()
                .all(|answer| matches!(answer, Err(AppendError::Storage(_))))
        );

        bench.disk.fails = false;
        let answers = bench.commit(&[(ONE, 6, 1), (OTHER, 5, 0)]);
        assert!(
            answers
                .iter()
                .all(|answer| matches!(answer, Err(AppendError::Failed(_))))
        );
        assert_eq!(bench.disk.commits.len(), 1, "only what was written before");
        let shown = bench.visible.durable(ONE, Sequence(8));
        assert_eq!(shown, Sequence(6), "what was not made durable stays hidden");
    }
}
