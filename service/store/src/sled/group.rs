//! The appends that are made durable together.

use std::{collections::HashMap, mem, time::Instant};

use dragontooth_service_vocabulary::Sequence;
use tokio::sync::oneshot;

use super::{
    disk::Disk, failure::Failure, heads::Heads, recent_records::RecentRecords, record::Record,
};
use crate::{AppendError, GroupCommit, StorageError, StreamId};

/// The answer to an append.
pub(super) type Answer = Result<Sequence, AppendError>;

/// One append.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) stream: StreamId,
    pub(super) expected: Sequence,
    pub(super) records: Vec<Vec<u8>>,
    /// The answer may come before the records are durable.
    pub(super) early: bool,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// The answer to an append.
///
/// With it come answers to others of its group, which are sent when this is dropped. So the writing thread wakes one
/// task, and that one the others from within its runtime, which costs a small part of waking them from outside.
#[derive(Debug)]
pub(super) struct Reply {
    answer: Answer,
    others: Answers,
}

impl Reply {
    /// Sends the answers to the others, and returns the one to this append.
    pub(super) fn open(self) -> Answer {
        drop(self.others);
        self.answer
    }
}

/// Answers, sent when this is dropped.
#[derive(Debug, Default)]
struct Answers(Vec<(oneshot::Sender<Reply>, Answer)>);

impl Answers {
    /// Sends the first answer, and the others with it.
    fn send(mut self) {
        let mut answers = mem::take(&mut self.0).into_iter();
        if let Some((reply, answer)) = answers.next() {
            let others = Self(answers.collect());
            // If the caller has stopped waiting, the others are sent now; the append counts anyway.
            let _ = reply.send(Reply { answer, others });
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        for (reply, answer) in self.0.drain(..) {
            let others = Self::default();
            let _ = reply.send(Reply { answer, others });
        }
    }
}

/// The state of a group's records when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// There are none.
    Nothing,
    /// They are not durable yet.
    Early,
    /// They, and all before them, are durable.
    Durably,
}

/// Appends in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Group {
    requests: Vec<Request>,
    len_bytes: usize,
    must_be_durable: bool,
}

impl Group {
    pub(super) fn push(&mut self, request: Request) {
        self.must_be_durable |= !request.early;
        self.len_bytes += request.records.iter().map(Vec::len).sum::<usize>();
        self.requests.push(request);
    }

    /// Makes the group durable before its answers, even if all of them may come early.
    pub(super) fn make_durable(&mut self) {
        self.must_be_durable = true;
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
    /// No answer is sent before the group is durable, unless all of them may be early, not even a refusal: its cause may
    /// be an append of the same group, and a caller must not learn of an event that a crash could still undo. If the storage fails, or
    /// failed earlier, every append gets that answer.
    pub(super) fn commit(
        self,
        disk: &mut impl Disk,
        heads: &mut Heads,
        recent: &RecentRecords,
        failure: &Failure,
        on_write: Option<fn(GroupCommit)>,
    ) -> Written {
        if let Some(failure) = failure.get() {
            let refused = || Err(AppendError::Failed(failure.clone()));
            let requests = self.requests.into_iter();
            Answers(requests.map(|request| (request.reply, refused())).collect()).send();
            return Written::Nothing;
        }
        let (appends, must_be_durable) = (self.len(), self.must_be_durable);
        let mut plan = Plan::default();
        let mut answers: Vec<_> = self
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
        let written = plan.write(disk, must_be_durable, heads, recent);
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
            failure.set(error.clone());
            for (_, answer) in &mut answers {
                *answer = Err(AppendError::Storage(error.clone()));
            }
        }
        Answers(answers).send();
        written.unwrap_or(Written::Nothing)
    }
}

/// The records that a group will write.
#[derive(Debug, Default)]
struct Plan {
    records: Vec<Record>,
    heads: HashMap<StreamId, Sequence>,
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
            Some(head) => *head,
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
        self.heads.insert(stream, planned);
        let sequences = (actual.0 + 1..).map(Sequence);
        self.records.extend(
            sequences
                .zip(records)
                .map(|(sequence, record)| (stream, sequence, record)),
        );
        Ok(planned)
    }

    /// Writes the plan, makes it durable if it must be, and shows it.
    fn write(
        self,
        disk: &mut impl Disk,
        must_be_durable: bool,
        heads: &mut Heads,
        recent: &RecentRecords,
    ) -> Result<Written, StorageError> {
        if self.records.is_empty() {
            return Ok(Written::Nothing);
        }
        disk.write(&self.records)?;
        if must_be_durable {
            disk.sync()?;
        }
        recent.push(self.records);
        for (stream, head) in self.heads {
            heads.set(stream, head);
        }
        Ok(if must_be_durable {
            Written::Durably
        } else {
            Written::Early
        })
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
        /// The number of commits that are durable.
        synced: usize,
        fails: bool,
    }

    impl Disk for NotedDisk {
        fn head(&self, _: StreamId) -> Result<Sequence, ReadError> {
            Ok(Sequence(5))
        }

        fn write(&mut self, records: &[Record]) -> Result<(), StorageError> {
            self.commits.push(records.to_vec());
            Ok(())
        }

        fn sync(&mut self) -> Result<(), StorageError> {
            if self.fails {
                return Err(StorageError::new("sync", io::Error::other("worn out")));
            }
            self.synced = self.commits.len();
            Ok(())
        }

        fn close(&mut self) -> Result<(), StorageError> {
            Ok(())
        }
    }

    #[derive(Debug)]
    struct Bench {
        disk: NotedDisk,
        heads: Heads,
        recent: RecentRecords,
        failure: Failure,
    }

    impl Bench {
        fn new() -> Self {
            Self {
                disk: NotedDisk::default(),
                heads: Heads::new(100),
                recent: RecentRecords::default(),
                failure: Failure::new(),
            }
        }

        /// Commits appends, each of a stream, an expected head and a number of records, as one group; returns their
        /// answers.
        fn commit(&mut self, appends: &[(StreamId, u64, usize)]) -> Vec<Answer> {
            self.commit_some_early(appends, 0)
        }

        /// The same, with answers that may come early to the first few.
        fn commit_some_early(
            &mut self,
            appends: &[(StreamId, u64, usize)],
            number: usize,
        ) -> Vec<Answer> {
            let mut group = Group::default();
            let answers: Vec<_> = appends
                .iter()
                .enumerate()
                .map(|(at, (stream, expected, count))| {
                    let early = at < number;
                    let (reply, answer) = oneshot::channel();
                    let records = vec![vec![0; 10]; *count];
                    let expected = Sequence(*expected);
                    group.push(Request {
                        stream: *stream,
                        expected,
                        records,
                        early,
                        reply,
                    });
                    answer
                })
                .collect();
            let Self {
                disk,
                heads,
                recent,
                failure,
            } = self;
            group.commit(disk, heads, recent, failure, None);
            answers
                .into_iter()
                .map(|mut reply| reply.try_recv().unwrap().open())
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
    fn a_group_is_durable_unless_all_its_answers_may_be_early() {
        let mut bench = Bench::new();
        let appends = [(ONE, 5, 1), (OTHER, 5, 1)];
        let answers = bench.commit_some_early(&appends, 2);
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!((bench.disk.commits.len(), bench.disk.synced), (1, 0));
        assert_eq!(bench.recent.head(ONE), Some(Sequence(6)));
        let appends = [(ONE, 6, 1), (OTHER, 6, 1)];
        bench.commit_some_early(&appends, 1);
        assert_eq!((bench.disk.commits.len(), bench.disk.synced), (2, 2));
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
        assert_eq!(bench.disk.synced, 1, "only what was written before");
        let shown = bench.recent.head(ONE);
        assert_eq!(
            shown,
            Some(Sequence(6)),
            "what was not made durable stays hidden"
        );
    }
}
