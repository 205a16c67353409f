use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchId, PlayerId, RequestId};
use tokio::sync::OnceCell;

/// A request to create a match: who asks, and the id that it gave the request.
pub(super) type CreateRequest = (PlayerId, RequestId);

/// The matches that were created on requests with an id: the latest ones.
#[derive(Debug)]
pub(super) struct CreateRequests {
    most: usize,
    cells: HashMap<CreateRequest, Remembered>,
    /// Those whose match is there, the earliest first.
    created: VecDeque<CreateRequest>,
}

#[derive(Debug, Default)]
struct Remembered {
    cell: Arc<OnceCell<MatchId>>,
    /// True once it is among those whose match is there.
    is_created: bool,
}

impl CreateRequests {
    /// Remembers at most `most` matches, besides those that are being created.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            cells: HashMap::new(),
            created: VecDeque::new(),
        }
    }

    /// Returns the cell for the match of a request: the task that fills it creates the match.
    pub(super) fn cell(&mut self, request: CreateRequest) -> Arc<OnceCell<MatchId>> {
        Arc::clone(&self.cells.entry(request).or_default().cell)
    }

    /// The match of a request is there, which may be entered already.
    pub(super) fn enter(&mut self, request: CreateRequest, id: MatchId) {
        let remembered = self.cells.entry(request.clone()).or_default();
        // While the match is being created, its creator fills the cell.
        let _ = remembered.cell.set(id);
        if std::mem::replace(&mut remembered.is_created, true) {
            return;
        }
        self.created.push_back(request);
        while self.created.len() > self.most
            && let Some(earliest) = self.created.pop_front()
        {
            self.cells.remove(&earliest);
        }
    }

    /// Nothing came of a request, whose cell the caller gives up.
    pub(super) fn forget(&mut self, request: &CreateRequest, cell: Arc<OnceCell<MatchId>>) {
        drop(cell);
        // The table's alone is left: no other call tries the same request.
        let is_left = |Remembered { cell, .. }: &Remembered| {
            cell.get().is_none() && Arc::strong_count(cell) == 1
        };
        if self.cells.get(request).is_some_and(is_left) {
            self.cells.remove(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u8) -> CreateRequest {
        (
            PlayerId::from_bytes([1; 16]),
            RequestId::new(&format!("r{number}")).unwrap(),
        )
    }

    fn id(number: u8) -> MatchId {
        MatchId::from_bytes([number; 16])
    }

    #[test]
    fn the_latest_are_remembered() {
        let mut requests = CreateRequests::new(2);
        for number in 1..=4 {
            requests.enter(request(number), id(number));
        }
        assert_eq!(requests.cell(request(3)).get(), Some(&id(3)));
        assert_eq!(requests.cell(request(4)).get(), Some(&id(4)));
        assert_eq!(requests.cells.len(), 2);
        assert_eq!(requests.cell(request(1)).get(), None, "it is new again");
        requests.enter(request(4), id(4));
        assert_eq!(requests.cell(request(3)).get(), Some(&id(3)), "once");
    }

    #[test]
    fn what_comes_to_nothing_is_forgotten() {
        let mut requests = CreateRequests::new(2);
        let one = requests.cell(request(1));
        let other = requests.cell(request(1));
        requests.forget(&request(1), one);
        assert_eq!(requests.cells.len(), 1, "somebody else still tries");
        requests.forget(&request(1), other);
        assert!(requests.cells.is_empty());
    }
}
