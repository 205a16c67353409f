use super::scale::Scale;

impl Scale {
    /// Number of measurements of a figure: one in a run that is smaller than usual, because whoever wants a rough figure,
    /// or repeats the bench itself, does not want to wait.
    pub(crate) fn times(self, usual: usize) -> usize {
        const WHOLE: usize = 1000;
        if self.count(WHOLE) < WHOLE { 1 } else { usual }
    }
}
