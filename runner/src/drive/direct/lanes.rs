use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use futures::future::join_all;

use super::bots::{DirectBot, close_bots, direct_bots};
use crate::config::RunConfig;
use crate::drive::RunError;
use crate::drive::affinity::{self, Pinned, Processor};

/// The bots of a run for the matches at the same time: in one lane for all, or in one for each with a processor of its own.
#[derive(Debug)]
pub(in crate::drive) struct Lanes {
    lanes: Vec<Lane>,
    /// The lanes without a match, if each has one at a time.
    free: Mutex<Vec<usize>>,
}

#[derive(Debug)]
struct Lane {
    processor: Option<Processor>,
    /// In the order of the event's list.
    bots: Vec<DirectBot>,
}

/// The lane of a match that is played on this thread.
pub(super) struct Taken<'a> {
    lanes: &'a Lanes,
    at: usize,
    _pinned: Option<Pinned>,
}

impl Lanes {
    /// Those of a run with `matches` at the same time, with the engines started.
    pub(in crate::drive) async fn start(
        config: &RunConfig,
        logs: &Path,
        matches: NonZeroUsize,
    ) -> Result<Self, RunError> {
        if !config.affinity {
            let bots = direct_bots(config, &config.bots, logs, matches.get(), None).await?;
            return Ok(Self::shared(bots));
        }
        let processors = affinity::processors().map_err(RunError::NoAffinity)?;
        let (matches, found) = (matches.get(), processors.len());
        if matches > found {
            return Err(RunError::FewProcessors { matches, found });
        }
        let starting = processors[..matches].iter().map(|processor| async {
            let processor = Some(*processor);
            let bots = direct_bots(config, &config.bots, logs, 1, processor).await?;
            Ok(Lane { processor, bots })
        });
        let (mut lanes, mut failure) = (Vec::with_capacity(matches), None);
        for started in join_all(starting).await {
            match started {
                Ok(lane) => lanes.push(lane),
                Err(error) => failure = Some(error),
            }
        }
        let free = Mutex::new((0..lanes.len()).collect());
        let lanes = Self { lanes, free };
        match failure {
            None => Ok(lanes),
            Some(error) => {
                lanes.close().await;
                Err(error)
            }
        }
    }

    /// One lane with these bots for all matches.
    pub(in crate::drive) fn shared(bots: Vec<DirectBot>) -> Self {
        let processor = None;
        Self {
            lanes: vec![Lane { processor, bots }],
            free: Mutex::default(),
        }
    }

    /// Takes a lane for a match on this thread, which keeps to the processor of the lane meanwhile.
    pub(super) fn take(&self) -> Taken<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // There are as many as matches at the same time, or it is the shared one.
        let at = free.pop().unwrap_or_default();
        let processor = self.lanes[at].processor;
        Taken {
            lanes: self,
            at,
            _pinned: processor.and_then(Processor::pin),
        }
    }

    /// Has the engines end.
    pub(in crate::drive) async fn close(&self) {
        let bots = self.lanes.iter().flat_map(|lane| lane.bots.clone());
        close_bots(bots.collect()).await;
    }
}

impl Taken<'_> {
    /// The bots, in the order of the event's list.
    pub(super) fn bots(&self) -> &[DirectBot] {
        &self.lanes.lanes[self.at].bots
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if self.lanes.lanes[self.at].processor.is_some() {
            let free = self.lanes.free.lock();
            free.unwrap_or_else(PoisonError::into_inner).push(self.at);
        }
    }
}
