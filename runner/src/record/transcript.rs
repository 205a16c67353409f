use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::{
    Headers, MatchRecord, RecordReadError, SeedHeaders, SeedOrigin, read_text, write_text,
};
use dragontooth_runner_tournament::{MatchRules, MovesDigest, Schedule, ScheduledMatch};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::timestamp::rfc3339;
use super::{Fingerprint, Played};

/// The most bytes of a line of `games.jsonl` with its newline: about a hundred times the longest match.
pub const MAX_TRANSCRIPT_BYTES: usize = 64 << 20;

/// The transcript of a match: a line of `games.jsonl`, with its fields in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    title: String,
    record: String,
    think_us: Vec<u64>,
}

/// The reason why a line is not a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the line is no record of what was played: {0}")]
pub struct TranscriptError(String);

impl TranscriptError {
    pub(super) fn new(fault: impl Into<String>) -> Self {
        Self(fault.into())
    }
}

impl Transcript {
    /// The transcript of a match of `schedule`.
    #[must_use]
    pub fn new(schedule: &Schedule, planned: &ScheduledMatch, played: &Played) -> Self {
        let event = schedule.event();
        let players = Seat::BOTH.map(|seat| event.bot(planned.bot(seat)).to_string());
        Self::of_match(event.rules(), schedule.title(planned), players, played)
    }

    /// The transcript of a match that is in no schedule.
    #[must_use]
    pub fn of_match(
        rules: MatchRules,
        title: String,
        players: [String; 2],
        played: &Played,
    ) -> Self {
        let day = rfc3339(played.started);
        let record = MatchRecord {
            game: rules.game().to_owned(),
            variant: rules.variant().to_owned(),
            target: rules.target(),
            players,
            title: title.clone(),
            date: day.split_once('T').map(|(day, _)| day.to_owned()),
            opening: (played.gameplay.opening.as_ref())
                .map_or_else(Vec::new, |opening| opening.entries.clone()),
            games: played.gameplay.games.clone(),
        };
        let headers = Headers {
            result: result(played),
            head_hash: None,
            seeds: SeedHeaders {
                commitment: played.gameplay.seed_commitment,
                // The other match of the encounter has it too, and may still be played.
                server_seed: None,
                origin: SeedOrigin::Shared,
                players: played.gameplay.player_seeds.clone(),
            },
            match_id: played.match_id.to_string(),
        };
        let micros = |time: &Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self {
            title,
            record: write_text(&record, &headers),
            think_us: played.gameplay.thinking.iter().map(micros).collect(),
        }
    }

    /// Parses a line, without its newline.
    ///
    /// # Errors
    ///
    /// It is not JSON or not a transcript.
    pub fn from_line(line: &[u8]) -> Result<Self, TranscriptError> {
        serde_json::from_slice(line).map_err(|error| TranscriptError(error.to_string()))
    }

    /// The line, with its newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("numbers and texts can all be written");
        line.push('\n');
        line
    }

    /// The title of the match.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The record of the match as text, as [`write_text`] writes it.
    #[must_use]
    pub fn record(&self) -> &str {
        &self.record
    }

    /// The record of the match and its headers.
    ///
    /// # Errors
    ///
    /// The text is not a record.
    pub fn read(&self) -> Result<(MatchRecord, Headers), RecordReadError> {
        read_text(&self.record)
    }

    /// The duration of each decision in microseconds, over all games in order: from the moment when the
    /// event that made it due was recorded, to the receipt of the answer.
    #[must_use]
    pub fn thinking_us(&self) -> &[u64] {
        &self.think_us
    }

    /// The digest of the games: of what was played, not of what the players thought.
    #[must_use]
    pub fn digest(&self) -> MovesDigest {
        digest(self.moves())
    }

    /// The digest of the match as it would be if it had ended after its first `plies` actions: of these, and of the
    /// passes and rolls that follow without a choice.
    #[must_use]
    pub fn digest_after(&self, plies: u32) -> MovesDigest {
        let mut played = 0;
        digest(self.moves().take_while(|line| {
            let is_forced = line.starts_with("     ");
            let is_within = played < plies || is_forced;
            let is_action = line
                .trim_start()
                .starts_with(|digit: char| digit.is_ascii_digit());
            played += u32::from(is_action);
            is_within
        }))
    }

    /// The lines of the games.
    fn moves(&self) -> impl Iterator<Item = &str> {
        // Headers come first, and a blank line before each game.
        let start = self.record.find("\n\nGame 1: ");
        let games = start.map_or("", |start| &self.record[start + 2..]);
        // Only thoughts are headers in the course of a game.
        let lines = games.split_inclusive('\n');
        lines.filter(|line| !line.starts_with('['))
    }

    /// The hash of the line, without its newline.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.to_line().trim_end_matches('\n').as_bytes())
    }

    /// Returns true if a line begins like the transcript of the match with this title.
    pub(super) fn is_of(line: &[u8], title: &str) -> bool {
        let rest = line.strip_prefix(b"{\"title\":\"");
        let rest = rest.and_then(|rest| rest.strip_prefix(title.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"\",\"record\":"))
    }
}

fn digest<'a>(lines: impl Iterator<Item = &'a str>) -> MovesDigest {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
    }
    MovesDigest::from_bytes(hash.finalize().into())
}

/// The result in the notation of the service's records: `first 3-1 normal`; after a call, `first 0-0 adjudicated by
/// win 0.98 at ply 31`.
fn result(played: &Played) -> String {
    let winner = played
        .winner
        .map_or("nobody".to_owned(), |seat| seat.to_string());
    let [first, second] = played.score;
    let call = played.deciding_call();
    let basis = call.map_or_else(String::new, |call| format!(" {}", call.basis()));
    format!("{winner} {first}-{second} {}{basis}", played.termination)
}
