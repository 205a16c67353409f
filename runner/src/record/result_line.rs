use super::line::{Record, RecordError};
use super::lines::{Ending, Line};

/// The record in a line of results.
pub(super) fn read_line(line: &Line) -> Result<Record, RecordError> {
    match line.ending {
        Ending::Newline => Record::from_line(&line.bytes),
        Ending::File => Err(RecordError::Syntax("it has no end".to_owned())),
        Ending::TooLong => Err(RecordError::TooLong),
    }
}

/// Whether the line is what an interruption leaves: the last one of the file and not whole. After
/// a loss of power the end of a line may be there and its middle may not.
pub(super) fn is_torn(line: &Line, fault: &RecordError, size: u64) -> bool {
    match fault {
        RecordError::Syntax(_) => line.end >= size,
        RecordError::TooLong
        | RecordError::Shape(_)
        | RecordError::Field { .. }
        | RecordError::UnknownMatch(_)
        | RecordError::Contradiction(_)
        | RecordError::Twice(_)
        | RecordError::Again(_) => false,
    }
}
