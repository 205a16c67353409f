//! The folder of a run: what it is a run of, its results, what was played, and the secret of its tokens.

mod account;
mod accounts;
mod append_file;
mod background_writer;
mod contradiction;
mod entry;
mod evidence;
mod file_lines;
mod folder;
mod format_line;
mod gameplay;
mod journal;
mod journal_error;
mod journal_files;
mod line;
mod lines;
mod manifest;
mod played;
mod program_ends;
mod records;
mod secret;
mod session;
mod timestamp;
mod transcript;
mod transcripts;
mod whole_file;

pub use account::Account;
pub use accounts::Accounts;
pub use contradiction::Contradiction;
pub use entry::Entry;
pub use evidence::{Evidence, EvidenceError, read_evidence};
pub use folder::{FolderError, RunFolder, try_whole, write_whole};
pub use gameplay::Gameplay;
pub use journal::{Journal, MAX_LEFTOVERS, Recovered, read_results};
pub use journal_error::JournalError;
pub use line::{Record, RecordError};
pub use lines::MAX_RECORD_BYTES;
pub use manifest::{
    Difference, Manifest, ManifestError, ManifestFault, builtin_table, command_table, engine_table,
};
pub use played::{Fault, MAX_DETAIL_BYTES, Played};
pub use program_ends::{ProgramEnd, program_ends_in, read_program_ends};
pub use records::Records;
pub use secret::{Secret, SecretError};
pub use session::{Session, Stopwatch};
pub use timestamp::rfc3339;
pub use transcript::{MAX_TRANSCRIPT_BYTES, Transcript, TranscriptError};
pub use transcripts::Transcripts;
