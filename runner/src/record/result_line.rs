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

/// Whether the line is what an interruption leaves: the last one of the file and not whole. A line
/// that ends in a newline is whole, but after a loss of power its end may be there and its middle
/// may not: then there are NUL bytes, which no record has.
pub(super) fn is_torn(line: &Line, fault: &RecordError, size: u64) -> bool {
    match fault {
        RecordError::Syntax(_) => {
            line.end >= size && (line.ending == Ending::File || line.bytes.contains(&0))
        }
        RecordError::TooLong
        | RecordError::Shape(_)
        | RecordError::Field { .. }
        | RecordError::UnknownMatch(_)
        | RecordError::Contradiction(_)
        | RecordError::Twice(_)
        | RecordError::Again(_) => false,
    }
}
