use std::cell::RefCell;
use std::path::Path;

use super::Problem;
use super::sources::Sources;

/// The texts of the files and what was found wrong in them so far.
///
/// Whatever reads a value puts what is wrong here and gives `None`, so that one run tells all.
pub(super) struct Findings<'t> {
    sources: &'t Sources,
    problems: RefCell<Vec<Problem>>,
}

impl<'t> Findings<'t> {
    pub(super) fn new(sources: &'t Sources) -> Self {
        Self {
            sources,
            problems: RefCell::new(Vec::new()),
        }
    }

    /// The folder of the file in which an offset lies.
    pub(super) fn folder(&self, offset: usize) -> &'t Path {
        self.sources.folder(offset)
    }

    /// Notes what is wrong with `key` at an offset.
    pub(super) fn report(&self, offset: usize, key: impl Into<String>, message: impl Into<String>) {
        let problem = self.sources.problem(offset, key.into(), message.into());
        self.problems.borrow_mut().push(problem);
    }

    /// All that was found, in the order of the files.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        problems
    }
}
