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
    cells: HashMap<CreateRequest, Arc<OnceCell<MatchId>>>,
    /// Those whose match is there, the earliest first.
    created: VecDeque<CreateRequest>,
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
        Arc::clone(self.cells.entry(request).or_default())
    }

    /// The match of a request is there.
    pub(super) fn enter(&mut self, request: CreateRequest, id: MatchId) {
        // While the match is being created, its creator fills the cell.
        let _ = self.cell(request.clone()).set(id);
        self.created.push_back(request);
        while self.created.len() > self.most
            && let Some(earliest) = self.created.pop_front()
        {
            self.cells.remove(&earliest);
        }
    }

    /// Nothing came of a request, of which the caller has the cell.
    pub(super) fn forget(&mut self, request: &CreateRequest, cell: &Arc<OnceCell<MatchId>>) {
        // Two references, the table's and this call's: no other call tries the same request.
        if cell.get().is_none() && Arc::strong_count(cell) == 2 {
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
    }

    #[test]
    fn what_comes_to_nothing_is_forgotten() {
        let mut requests = CreateRequests::new(2);
        let one = requests.cell(request(1));
        let other = requests.cell(request(1));
        requests.forget(&request(1), &one);
        assert_eq!(requests.cells.len(), 1, "somebody else still tries");
        drop(one);
        requests.forget(&request(1), &other);
        assert!(requests.cells.is_empty());
    }
}
