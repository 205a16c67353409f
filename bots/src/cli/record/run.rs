use super::{convert, export, verify};
use crate::cli::Exit;
use crate::cli::arguments::Record;
use crate::cli::failure::Failure;

/// Does what is asked of a record.
pub(in crate::cli) fn run(record: Record) -> Result<Exit, Failure> {
    match record {
        Record::Export(arguments) => export::run(&arguments),
        Record::Convert(arguments) => convert::run(&arguments),
        Record::Verify { file } => verify::run(&file),
    }
}
