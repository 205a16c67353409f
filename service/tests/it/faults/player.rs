use std::fmt;
use std::net::SocketAddr;

use dragontooth_service_client::{Client, ClientError, Code};
use futures::future::join_all;

use super::tally::{Counted, Tally};
use crate::served::lazy_client;

/// The players' route to the service: the address, and the number of simultaneous connections.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    address: SocketAddr,
    copies: usize,
    tally: Tally,
}

/// A player with several connections.
#[derive(Clone, Debug)]
pub(super) struct Player {
    lines: Vec<Client>,
    tally: Tally,
}

impl Lines {
    /// One connection per player, straight to the service.
    pub(super) fn direct(service: SocketAddr) -> Self {
        Self::through(service, 1, &Tally::default())
    }

    /// Several connections per player, and as many copies of every changing request.
    pub(super) fn through(address: SocketAddr, copies: usize, tally: &Tally) -> Self {
        Self {
            address,
            copies,
            tally: tally.clone(),
        }
    }

    /// The player called `name`.
    pub(super) fn player(&self, name: &str) -> Player {
        let line = || lazy_client(&[self.address], name);
        Player {
            lines: (0..self.copies).map(|_| line()).collect(),
            tally: self.tally.clone(),
        }
    }
}

impl Player {
    /// A connection.
    pub(super) fn line(&self) -> &Client {
        &self.lines[0]
    }

    /// Number of copies of a changing request it sends.
    pub(super) fn copies(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Repeats a read until it is answered.
    pub(super) async fn ask<T, F>(&self, question: impl Fn(Client) -> F) -> T
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.insist(self.line(), &question).await.unwrap()
    }

    /// Sends a changing request over all connections at once, on each until it is answered. All answers are
    /// the same.
    pub(super) async fn change<T, F>(&self, request: impl Fn(Client) -> F) -> T
    where
        T: PartialEq + fmt::Debug,
        F: Future<Output = Result<T, ClientError>>,
    {
        self.tally.count(Counted::Change);
        let copies = self.lines.iter().map(|line| self.insist(line, &request));
        let mut answers = join_all(copies).await.into_iter().map(Result::unwrap);
        let first = answers.next().unwrap();
        for answer in answers {
            assert_eq!(answer, first, "the same request has two answers");
            self.tally.count(Counted::Duplicate);
        }
        first
    }

    async fn insist<T, F>(
        &self,
        line: &Client,
        request: &impl Fn(Client) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        loop {
            match request(line.clone()).await {
                Err(failure) if is_passing(&failure) => self.tally.count(Counted::Repeat),
                answered => return answered,
            }
        }
    }
}

/// Returns true if the network caused the failure.
pub(super) fn is_passing(failure: &ClientError) -> bool {
    if let ClientError::Failed { code, .. } = failure {
        return matches!(code, Code::Unavailable | Code::Cancelled);
    }
    matches!(failure, ClientError::Unreachable { .. })
}
